import { defined } from "../defined.ts";
import type { ExecutionRequest, Executor } from "../toolkit/executors/executor.ts";
import type { AssistantMessage, Message } from "../messages/message.ts";
import {
  chat,
  type ChatOptions,
  type Provider,
  type ProviderEvent,
} from "../providers/provider.ts";

/**
 * Base for executors written as classes: implement `executeStream`. The rest follows from it; an executor is accepted
 * wherever a provider is.
 */
export abstract class AbstractExecutor implements Executor, Provider {
  abstract readonly name: string;
  abstract readonly model: string;

  abstract executeStream(request: ExecutionRequest): AsyncIterable<ProviderEvent>;

  execute({ messages, options }: ExecutionRequest): Promise<AssistantMessage> {
    return chat(this, messages, options);
  }

  chat(messages: readonly Message[], options?: ChatOptions): Promise<AssistantMessage> {
    return chat(this, messages, options);
  }

  chatStream(messages: readonly Message[], options?: ChatOptions): AsyncIterable<ProviderEvent> {
    return this.executeStream(defined({ messages, options }));
  }
}
