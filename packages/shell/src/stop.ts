const MAX_TIMER_MS = 2 ** 31 - 1;

/** The reason to end a command early: the caller's signal, or its timeout. */
export interface Stop extends Disposable {
  /** Missing when nothing can end the command: the interpreter then saves a controller for each program it runs. */
  readonly signal: AbortSignal | undefined;
  readonly reason: "aborted" | "timed out" | undefined;
  /** Checks the clock, for code that keeps the timer from firing. */
  check(): void;
}

const never: Stop = {
  signal: undefined,
  reason: undefined,
  check() {},
  [Symbol.dispose]() {},
};

export function createStop(signal: AbortSignal | undefined, timeoutMs: number | undefined): Stop {
  if (!signal && timeoutMs === undefined) return never;
  const controller = new AbortController();
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  let reason: Stop["reason"];
  const stop = (why: Stop["reason"]): void => {
    if (reason) return;
    reason = why;
    controller.abort();
  };
  const onAbort = (): void => stop("aborted");
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => stop("timed out"), Math.min(timeoutMs, MAX_TIMER_MS));
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort);
  return {
    signal: controller.signal,
    get reason() {
      return reason;
    },
    check() {
      if (Date.now() >= deadline) stop("timed out");
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
