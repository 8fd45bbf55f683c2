/** Calls `act` once when `signal` aborts, at once if it has; without a signal never. Returns the way to stop that. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal?.aborted) act();
  else signal?.addEventListener("abort", act, { once: true });
  return () => signal?.removeEventListener("abort", act);
}
