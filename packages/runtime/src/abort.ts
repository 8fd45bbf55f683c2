import { abortError } from "./errors.ts";

/** Resolves after `ms` milliseconds; rejects with an `AbortError` as soon as `signal` aborts. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop();
      resolve();
    }, ms);
    const stop = onAbort(signal, () => {
      clearTimeout(timer);
      reject(abortError());
    });
  });
}

/**
 * The result of `work`; `undefined` when it has not settled `graceMs` milliseconds after `signal` aborted. Later
 * results are ignored.
 */
export async function settledAfterAbort<Value>(
  work: PromiseLike<Value>,
  signal: AbortSignal,
  graceMs: number,
): Promise<{ value: Value } | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<{ value: Value } | undefined>();
  let grace: ReturnType<typeof setTimeout> | undefined;
  const stop = onAbort(signal, () => {
    grace = setTimeout(resolve, graceMs, undefined);
  });
  work.then((value) => resolve({ value }), reject);
  try {
    return await promise;
  } finally {
    clearTimeout(grace);
    stop();
  }
}

/** Settles as `work` does, or rejects with `reason()` when `signal` has aborted or aborts first, without waiting for it. */
export async function raceAbort<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const stop = onAbort(signal, () => reject(reason()));
  work.then(resolve, reject);
  try {
    return await promise;
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
