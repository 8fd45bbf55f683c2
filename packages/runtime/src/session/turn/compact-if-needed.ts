import type { CompactionParts } from "./compact.ts";

/**
 * Compacts when the window's usage exceeds the session's threshold: first by clearing old tool results, then by a
 * summary. A failure leaves the conversation unchanged, and is reported in a note.
 *
 * @returns whether the window is below the threshold now
 */
export async function compactIfNeeded(
  parts: CompactionParts,
  signal: AbortSignal,
): Promise<boolean> {
  const threshold = parts.autoCompactThreshold;
  if (threshold === false || signal.aborted) return false;
  if (!parts.requestContext.tracker.isOver(threshold)) return true;
  if (parts.state.isCompactionPaused) return false;
  const { compactAutomatically } = await import("./compact.ts");
  return compactAutomatically(parts, threshold, signal);
}
