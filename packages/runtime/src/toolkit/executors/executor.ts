import { ConfigurationError } from "../../errors.ts";
import type { AssistantMessage, Message } from "../../messages/message.ts";
import {
  chat,
  type ChatOptions,
  type Provider,
  type ProviderEvent,
} from "../../providers/provider.ts";
import { AIProviders } from "../agents/ai-providers.ts";

/** One model call as a value, wherever it is executed. */
export interface ExecutionRequest {
  messages: readonly Message[];
  options?: ChatOptions;
  /** The provider to use, for an executor with several; the current one by default. */
  provider?: string;
}

/** Carries calls to models out, in this process or elsewhere. */
export interface Executor {
  execute(request: ExecutionRequest): Promise<AssistantMessage>;
  /** As `Provider.chatStream`: ends with a `message`, or throws. */
  executeStream(request: ExecutionRequest): AsyncIterable<ProviderEvent>;
}

/** Executes calls in this process, by one provider or by those of `AIProviders`. */
export class LocalExecutor implements Executor {
  readonly #provider: Provider;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  async execute({ messages, options, provider }: ExecutionRequest): Promise<AssistantMessage> {
    return chat(namedProvider(this.#provider, provider), messages, options);
  }

  async *executeStream(request: ExecutionRequest): AsyncGenerator<ProviderEvent, void, undefined> {
    const { messages, options, provider } = request;
    yield* namedProvider(this.#provider, provider).chatStream(messages, options);
  }
}

/** The provider of this name. @throws {ConfigurationError} */
export function namedProvider(provider: Provider, name: string | undefined): Provider {
  if (name === undefined || name === provider.name) return provider;
  if (provider instanceof AIProviders) return provider.lookup(name);
  throw new ConfigurationError(`There is no provider "${name}" here`, {
    hint: `This executor has ${provider.name}; give it AIProviders to choose from several.`,
  });
}
