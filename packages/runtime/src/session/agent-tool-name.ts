/** The tool that starts agents, which no agent has: neither one that it started, nor one of a hook. */
export const AGENT_TOOL = "Agent";
