/** Longest wait for a moment in which the page has nothing else to do. In milliseconds. */
const PATIENCE_MS = 500;

/** Calls `work` when the page has nothing else to do. Returns the way to cancel it. */
export function whenIdle(work: () => void): () => void {
  if ("requestIdleCallback" in globalThis) {
    const id = requestIdleCallback(work, { timeout: PATIENCE_MS });
    return () => cancelIdleCallback(id);
  }
  // Safari has no idle callbacks.
  const timer = setTimeout(work, PATIENCE_MS);
  return () => clearTimeout(timer);
}
