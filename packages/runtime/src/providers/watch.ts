/** Supervises one exchange with a service: passes an abort on, and ends the exchange after too long a silence. */
export interface Watch {
  /** Signal for the request; aborts when the exchange is stopped. */
  readonly signal: AbortSignal;
  readonly stopped: "aborted" | "silent" | undefined;
  /** The reason for a broken connection, if any. */
  cause: unknown;
  /** Something arrived. */
  touch(): void;
  /** Like `operation`, but rejects as soon as the exchange is stopped, even if `fetch` does not. */
  race<Value extends Response>(operation: Promise<Value>): Promise<Value>;
  /** Called once when the exchange is stopped; replaces the listener before. */
  onStop: () => void;
  dispose(): void;
}

/** `idleTimeoutMs` of 0 or less, or infinite, means no limit. */
export function watch(outer: AbortSignal | undefined, idleTimeoutMs: number): Watch {
  const controller = new AbortController();
  let last = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let giveUp = (): void => {};

  const stop = (reason: "aborted" | "silent"): void => {
    if (line.stopped) return;
    line.stopped = reason;
    controller.abort();
    line.onStop();
    giveUp();
  };
  const onAbort = (): void => stop("aborted");
  /** A single timer that checks the clock, instead of a new one per chunk. */
  const look = (): void => {
    const left = idleTimeoutMs - (performance.now() - last);
    if (left <= 0) stop("silent");
    else timer = setTimeout(look, left);
  };

  const line: Watch & { stopped: Watch["stopped"] } = {
    signal: controller.signal,
    stopped: undefined,
    cause: undefined,
    touch() {
      last = performance.now();
    },
    race(operation) {
      return new Promise((resolve, reject) => {
        giveUp = () => reject(new Error("stopped"));
        operation.then(
          (response) => {
            if (line.stopped) void response.body?.cancel().catch(() => {});
            resolve(response);
          },
          (error: unknown) => reject(error as Error),
        );
        if (line.stopped) giveUp();
      });
    },
    onStop() {},
    dispose() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
  if (outer?.aborted) onAbort();
  else outer?.addEventListener("abort", onAbort, { once: true });
  if (idleTimeoutMs > 0 && idleTimeoutMs < 2 ** 31) timer = setTimeout(look, idleTimeoutMs);
  return line;
}
