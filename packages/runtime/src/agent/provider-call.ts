import { countedUsage } from "../context/usage.ts";
import {
  ABORT_GRACE_MS,
  abortError,
  errorFacts,
  isAbortError,
  NetworkError,
  ProviderError,
  RobotaError,
} from "../errors.ts";
import type { AssistantMessage, Message } from "../messages/message.ts";
import {
  type ChatOptions,
  generate,
  type Provider,
  type ProviderEvent,
} from "../providers/provider.ts";

/**
 * Longer than any service is silent before its first token: pings alone, for ten minutes and more, are not a failure.
 */
const DEFAULT_PROGRESS_TIMEOUT_MS = 15 * 60_000;
/** Longer than the longest answer; only a stream that never ends reaches it. */
const DEFAULT_CALL_TIMEOUT_MS = 60 * 60_000;
/** Timers above this fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The time limits of a provider call. */
export interface CallBounds {
  /** Milliseconds without any byte from the service after which the call fails; 0 leaves it to the provider. */
  idleTimeoutMs: number;
  /**
   * Milliseconds without anything new of the answer, be it text, thinking or arguments, after which the call fails
   * although the service is alive; 15 minutes when omitted, 0 for no limit.
   */
  progressTimeoutMs?: number | undefined;
  /** Milliseconds after which the call fails in any case; an hour when omitted, 0 for no limit. */
  callTimeoutMs?: number | undefined;
}

export interface ProviderCall extends CallBounds {
  provider: Provider;
  messages: readonly Message[];
  options: ChatOptions;
  signal: AbortSignal;
  /** The id that the answer will have, known before it is complete so that its deltas can name it. */
  messageId: string;
  now: () => number;
  onEvent(event: ProviderEvent): void;
  /** Called with the answer as the provider gave it, before it gets its id and timestamp. */
  onResponse?: ((answer: AssistantMessage) => void) | undefined;
}

/** A failed call, with the text received before. The cause is an error of the SDK, or an abort by the provider itself. */
export class ProviderCallFailure extends Error {
  readonly partial: AssistantMessage | undefined;

  constructor(cause: unknown, partial: AssistantMessage | undefined) {
    super("The provider call failed", { cause });
    this.partial = partial;
  }
}

/**
 * Makes one provider call that always settles soon after an abort or a timeout, whatever the provider does, and never
 * loses text that was shown.
 * @returns the answer; after an abort, an `interrupted` message with the text so far (possibly empty)
 * @throws {ProviderCallFailure}
 */
export async function callProvider(call: ProviderCall): Promise<AssistantMessage> {
  const inner = new AbortController();
  let text = "";
  const last = { progress: performance.now() };
  const lookAtClock = clockOfBursts();
  const onEvent = (event: ProviderEvent): void => {
    if (inner.signal.aborted) return;
    if (isProgress(event)) last.progress = lookAtClock();
    if (event.type === "text_delta") text += event.delta;
    call.onEvent(event);
  };
  const partial = (): AssistantMessage => ({
    role: "assistant",
    id: call.messageId,
    timestamp: new Date(call.now()),
    content: text,
    state: "interrupted",
    stopReason: "aborted",
    provider: call.provider.name,
    model: call.options.model ?? call.provider.model,
  });

  const options = { ...call.options, signal: inner.signal };
  if (call.idleTimeoutMs > 0) options.idleTimeoutMs = call.idleTimeoutMs;
  const { promise: answered, resolve, reject } = Promise.withResolvers<AssistantMessage>();
  const stop = stopWhen(call, inner, last, reject);
  try {
    generate(call.provider, call.messages, options, onEvent).then(resolve, reject);
    const answer = await answered;
    if (!inner.signal.aborted) call.onResponse?.(answer);
    const message = { ...answer, id: call.messageId, timestamp: new Date(call.now()) };
    if (message.usage) message.usage = countedUsage(message.usage);
    if (inner.signal.reason instanceof NetworkError) throw inner.signal.reason;
    if (!call.signal.aborted) return message;
    return contentLost(message, text) ? partial() : { ...message, state: "interrupted" };
  } catch (error) {
    if (call.signal.aborted) return partial();
    // After a time limit, whatever the provider throws is a consequence of it.
    const cause = inner.signal.reason instanceof NetworkError ? inner.signal.reason : error;
    throw new ProviderCallFailure(
      coded(cause, call.provider),
      text === "" ? undefined : { ...partial(), stopReason: "error" },
    );
  } finally {
    stop();
  }
}

/** The error itself when it is one of the SDK or an abort; else the provider's, with what was thrown as its cause. */
function coded(cause: unknown, { name }: Provider): unknown {
  if (cause instanceof RobotaError || isAbortError(cause)) return cause;
  return new ProviderError(errorFacts(cause).message, {
    provider: name,
    cause,
    recoverable: false,
    hint: "Check the cause, the provider's own error.",
  });
}

/** Reports whether an answer that arrives after the abort has less text than was shown; shown text is never lost. */
function contentLost(message: AssistantMessage, shown: string): boolean {
  return typeof message.content === "string" && message.content.length < shown.length;
}

/** `performance.now()`, read once for all that happens synchronously: the events of a chunk arrive at one time. */
function clockOfBursts(): () => number {
  let now: number | undefined;
  const forget = (): void => {
    now = undefined;
  };
  return () => {
    if (now === undefined) {
      now = performance.now();
      queueMicrotask(forget);
    }
    return now;
  };
}

/** Reports whether the event adds to the answer. */
function isProgress(event: ProviderEvent): boolean {
  return !("delta" in event) || event.delta !== "" || "id" in event;
}

interface Bound {
  limitMs: number;
  /** Start of the time limit, by `performance.now()`. */
  since(): number;
  error(): NetworkError;
}

/**
 * Aborts the inner signal on the outer abort or at a bound, and gives up on the provider a moment later. Returns the way to
 * stop that.
 */
function stopWhen(
  call: ProviderCall,
  inner: AbortController,
  last: { readonly progress: number },
  giveUp: (reason: unknown) => void,
): () => void {
  let grace: ReturnType<typeof setTimeout> | undefined;
  const stop = (reason: unknown): void => {
    if (inner.signal.aborted) return;
    inner.abort(reason);
    grace = setTimeout(() => giveUp(reason), ABORT_GRACE_MS);
  };
  const onAbort = (): void => stop(abortError());
  if (call.signal.aborted) onAbort();
  else call.signal.addEventListener("abort", onAbort, { once: true });

  const bounds = boundsOf(call, last);
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** A single timer that checks the clock, instead of a new one for each event. */
  const look = (): void => {
    let next = MAX_TIMER_MS;
    for (const bound of bounds) {
      const left = bound.limitMs - (performance.now() - bound.since());
      if (left <= 0) return stop(bound.error());
      next = Math.min(next, left);
    }
    timer = setTimeout(look, next);
  };
  if (bounds.length > 0) look();
  return () => {
    call.signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
    clearTimeout(grace);
  };
}

function boundsOf(call: ProviderCall, last: { readonly progress: number }): Bound[] {
  const { name } = call.provider;
  const begun = performance.now();
  const { progressTimeoutMs = DEFAULT_PROGRESS_TIMEOUT_MS } = call;
  const { callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS } = call;
  const bound = (limitMs: number, since: () => number, problem: string, hint: string): Bound => ({
    limitMs,
    since,
    error: () =>
      new NetworkError(`${name} ${problem} ${Math.round(limitMs / 100) / 10} s`, {
        provider: name,
        hint,
      }),
  });
  return [
    bound(
      progressTimeoutMs,
      () => last.progress,
      "is alive, but its answer did not grow for",
      "Try again; raise the progress timeout when the model needs longer to think.",
    ),
    bound(
      callTimeoutMs,
      () => begun,
      "did not end its answer within",
      "Ask for less at once, or raise the call timeout.",
    ),
  ].filter(({ limitMs }) => limitMs > 0);
}
