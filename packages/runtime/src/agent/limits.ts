/** Tools of a batch that run concurrently. */
export const MAX_CONCURRENT_TOOLS = 5;

/**
 * The result, in the conversation, of a call whose own result would not have fitted the window. Text of the
 * specification.
 */
export const RESULT_SKIPPED = "Error: Context window near capacity. Tool execution result skipped.";

/** The answer of a run that used up its rounds without one. */
export const MAX_ROUNDS_FALLBACK =
  "Maximum rounds reached. Partial results available in conversation history.";
