/** What comes of `work`, unless `signal` aborts first: with what `reason` then gives, and nobody waits for the work. */
export async function unlessAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(reason());
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
