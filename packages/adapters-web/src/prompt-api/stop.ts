import { NetworkError } from "@robota/runtime";
import { abortError } from "./failure.ts";

/** Ends a call when its owner aborts it, or when nothing comes of it for too long. */
export interface Stop extends Disposable {
  readonly signal: AbortSignal;
  /** Something came. */
  touch(): void;
  /** Like `operation`, but rejects as soon as the call must end, even if the browser ignores it. */
  race<Value>(operation: Promise<Value>): Promise<Value>;
}

/** `idleTimeoutMs` of 0 or none means no limit. */
export function stopOf(
  outer: AbortSignal | undefined,
  idleTimeoutMs: number | undefined,
  provider: string,
): Stop {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = (): void => controller.abort(abortError());
  const touch = (): void => {
    clearTimeout(timer);
    if (!idleTimeoutMs || !(idleTimeoutMs < 2 ** 31)) return;
    timer = setTimeout(() => controller.abort(silence(provider, idleTimeoutMs)), idleTimeoutMs);
  };
  const stopped = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error));
  });
  // Most calls end before anything stops them.
  stopped.catch(() => {});
  if (outer?.aborted) onAbort();
  else outer?.addEventListener("abort", onAbort, { once: true });
  touch();
  return {
    signal: controller.signal,
    touch,
    race: (operation) => Promise.race([operation, stopped]),
    [Symbol.dispose]() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
}

function silence(provider: string, idleTimeoutMs: number): NetworkError {
  return new NetworkError(`${provider} wrote nothing for ${idleTimeoutMs / 1000} s`, {
    provider,
    hint: "Try again, or allow a longer silence with `idleTimeoutMs`: a long conversation takes the browser's model time.",
  });
}
