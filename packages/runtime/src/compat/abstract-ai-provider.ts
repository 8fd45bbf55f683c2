import type { AssistantMessage, Message } from "../messages/message.ts";
import {
  chat,
  type ChatOptions,
  type Provider,
  type ProviderEvent,
} from "../providers/provider.ts";

/** Base for providers written as classes: implement the stream, and `chat` follows from it. */
export abstract class AbstractAIProvider implements Provider {
  abstract readonly name: string;
  abstract readonly model: string;

  abstract chatStream(
    messages: readonly Message[],
    options?: ChatOptions,
  ): AsyncIterable<ProviderEvent>;

  chat(messages: readonly Message[], options?: ChatOptions): Promise<AssistantMessage> {
    return chat(this, messages, options);
  }
}
