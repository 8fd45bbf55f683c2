/** How many tools of a batch run at once. */
export const MAX_CONCURRENT_TOOLS = 5;

/**
 * How many milliseconds a provider, a tool or whoever is asked for it may take to settle after an abort before the turn
 * goes on without; what remains of the 250 in which a turn ends is for the turn's own last writes.
 */
export const ABORT_GRACE_MS = 100;

export const RESULT_SKIPPED = "Error: Context window near capacity. Tool execution result skipped.";

/** The answer of a run that used up its rounds without one. */
export const MAX_ROUNDS_FALLBACK =
  "Maximum rounds reached. Partial results available in conversation history.";
