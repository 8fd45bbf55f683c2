/** Levels of agents below a session, at most; a person's settings choose up to that many. */
export const MAX_AGENT_DEPTH = 3;
