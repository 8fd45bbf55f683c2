/** How the agent's loop begins its report of a failed call. */
export const REPORT = "The model could not answer: ";
/** What the agent's loop says of a call that an abort came before. */
export const NEVER_RUN = "Aborted before it ran.";
