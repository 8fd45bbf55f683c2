/** How the agent's loop begins its report of a failed call. */
export const REPORT = "The model could not answer: ";
