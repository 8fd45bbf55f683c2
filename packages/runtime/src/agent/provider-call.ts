import { abortError, isAbortError, NetworkError } from "../errors.ts";
import type { AssistantMessage, Message } from "../messages/message.ts";
import {
  type ChatOptions,
  generate,
  type Provider,
  type ProviderEvent,
} from "../providers/provider.ts";

/** How long a provider may take to hand over its partial answer after an abort. */
const ABORT_GRACE_MS = 150;
/** How often silence is looked for, as a share of what is allowed. */
const IDLE_CHECKS = 4;

export interface ProviderCall {
  provider: Provider;
  messages: readonly Message[];
  options: ChatOptions;
  signal: AbortSignal;
  /** Milliseconds without any progress after which the call fails; 0 for no limit. */
  idleTimeoutMs: number;
  /** The id that the answer will have, known before it is complete so that its deltas can name it. */
  messageId: string;
  now: () => number;
  onEvent(event: ProviderEvent): void;
}

/** A failed call, with whatever text had arrived. */
export class ProviderCallFailure extends Error {
  readonly partial: AssistantMessage | undefined;

  constructor(cause: unknown, partial: AssistantMessage | undefined) {
    super("The provider call failed", { cause });
    this.partial = partial;
  }
}

/**
 * One call to the provider that always settles soon after an abort or a silence, whatever the provider does, and never
 * loses text that was shown.
 *
 * @returns the answer; after an abort, an `interrupted` message with the text so far (possibly empty)
 * @throws {ProviderCallFailure}
 */
export async function callProvider(call: ProviderCall): Promise<AssistantMessage> {
  const inner = new AbortController();
  let text = "";
  let progress = performance.now();
  const onEvent = (event: ProviderEvent): void => {
    if (inner.signal.aborted) return;
    progress = performance.now();
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
  const stop = stopWhen(call, inner, () => progress);
  try {
    const answer = await Promise.race([
      generate(call.provider, call.messages, options, onEvent),
      stop.stopped,
    ]);
    const message = { ...answer, id: call.messageId, timestamp: new Date(call.now()) };
    if (!call.signal.aborted) return message;
    return contentLost(message, text) ? partial() : { ...message, state: "interrupted" };
  } catch (error) {
    if (call.signal.aborted) return partial();
    const cause =
      isAbortError(error) && inner.signal.reason instanceof NetworkError
        ? inner.signal.reason
        : error;
    throw new ProviderCallFailure(
      cause,
      text === "" ? undefined : { ...partial(), stopReason: "error" },
    );
  } finally {
    stop.dispose();
  }
}

/** An answer that arrives after the abort may have less than what was shown; shown text is never lost. */
function contentLost(message: AssistantMessage, shown: string): boolean {
  return typeof message.content === "string" && message.content.length < shown.length;
}

/** Aborts the inner signal on the outer abort or on silence, and gives up on the provider a moment later. */
function stopWhen(
  call: ProviderCall,
  inner: AbortController,
  lastProgress: () => number,
): { stopped: Promise<never>; dispose(): void } {
  let giveUp: (reason: unknown) => void = () => {};
  const stopped = new Promise<never>((_, reject) => (giveUp = reject));
  // The race may be over before this rejects.
  stopped.catch(() => {});
  let grace: ReturnType<typeof setTimeout> | undefined;
  const stop = (reason: unknown): void => {
    inner.abort(reason);
    grace ??= setTimeout(() => giveUp(reason), ABORT_GRACE_MS);
  };
  const onAbort = (): void => stop(abortError());
  if (call.signal.aborted) onAbort();
  else call.signal.addEventListener("abort", onAbort, { once: true });

  let timer: ReturnType<typeof setInterval> | undefined;
  // The synchronous form looks for silence itself, at the bytes: a service that only pings is alive.
  if (call.idleTimeoutMs > 0 && !call.provider.generate) {
    timer = setInterval(
      () => {
        if (performance.now() - lastProgress() < call.idleTimeoutMs) return;
        clearInterval(timer);
        const seconds = Math.round(call.idleTimeoutMs / 100) / 10;
        stop(
          new NetworkError(`${call.provider.name} sent nothing for ${seconds} s`, {
            provider: call.provider.name,
            hint: "Try again; raise providerTimeout when the model needs longer to begin.",
          }),
        );
      },
      Math.max(10, call.idleTimeoutMs / IDLE_CHECKS),
    );
  }
  return {
    stopped,
    dispose() {
      call.signal.removeEventListener("abort", onAbort);
      clearInterval(timer);
      clearTimeout(grace);
    },
  };
}
