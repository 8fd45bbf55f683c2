import { ProviderError } from "../errors.ts";
import type { AssistantMessage, Message } from "../messages/message.ts";
import { silenceError } from "./network.ts";
import type { ChatOptions, Provider, ProviderEvent } from "./provider.ts";
import { watch } from "./watch.ts";

/** `Provider.generate` for a provider without it: reads the stream, which may send nothing for `idleTimeoutMs` at most. */
export async function readStream(
  provider: Provider,
  messages: readonly Message[],
  options: ChatOptions,
  onEvent: (event: ProviderEvent) => void,
): Promise<AssistantMessage> {
  const { idleTimeoutMs = 0, signal: outer } = options;
  const line = watch(undefined, idleTimeoutMs);
  const signal = idleTimeoutMs > 0 ? either(outer, line.signal) : outer;
  const silence = Promise.withResolvers<never>();
  line.onStop = () => silence.reject(silenceError(provider.name, idleTimeoutMs));
  const read = async (): Promise<AssistantMessage> => {
    let message: AssistantMessage | undefined;
    for await (const event of provider.chatStream(messages, { ...options, signal })) {
      if (line.stopped) break;
      line.touch();
      if (event.type === "message") message = event.message;
      else onEvent(event);
    }
    if (message) return message;
    throw new ProviderError(`${provider.name} ended its stream without a message`, {
      provider: provider.name,
      code: "PROTOCOL_ERROR",
      hint: "End the stream of the provider with a `message` event.",
    });
  };
  try {
    return await Promise.race([read(), silence.promise]);
  } catch (error) {
    // The abort may have ended the stream first.
    throw line.stopped ? silenceError(provider.name, idleTimeoutMs) : error;
  } finally {
    line.dispose();
  }
}

function either(outer: AbortSignal | undefined, own: AbortSignal): AbortSignal {
  return outer ? AbortSignal.any([outer, own]) : own;
}
