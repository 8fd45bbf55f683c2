/** Prefix of the agent loop's report of a failed call. */
export const REPORT = "The model could not answer: ";
/** The agent loop's message for a call that was aborted before it ran. */
export const NEVER_RUN = "Aborted before it ran.";
