import { abortError } from "./errors.ts";

/** Resolves after `ms` milliseconds; rejects with an `AbortError` as soon as `signal` aborts. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortError());
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(abortError());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * The result of `work`; `undefined` when it has not settled `graceMs` milliseconds after `signal` aborted. Later
 * results are ignored.
 */
export function settledAfterAbort<Value>(
  work: PromiseLike<Value>,
  signal: AbortSignal,
  graceMs: number,
): Promise<{ value: Value } | undefined> {
  return new Promise((resolve, reject) => {
    let grace: ReturnType<typeof setTimeout> | undefined;
    const onAbort = (): void => {
      grace = setTimeout(resolve, graceMs, undefined);
    };
    const settle = (): void => {
      clearTimeout(grace);
      signal.removeEventListener("abort", onAbort);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    work.then(
      (value) => {
        settle();
        resolve({ value });
      },
      (error: unknown) => {
        settle();
        reject(error as Error);
      },
    );
  });
}

/** Settles as `work` does, or rejects with `reason()` when `signal` has aborted or aborts first, without waiting for it. */
export async function raceAbort<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = onAbort(signal, () => reject(reason()));
  try {
    return await Promise.race([aborted, work]);
  } finally {
    stop();
  }
}

/** Calls `act` once when `signal` aborts, at once if it has; without a signal never. Returns the way to stop that. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal?.aborted) act();
  else signal?.addEventListener("abort", act, { once: true });
  return () => signal?.removeEventListener("abort", act);
}
