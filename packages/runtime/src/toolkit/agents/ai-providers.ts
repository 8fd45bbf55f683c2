import { ConfigurationError } from "../../errors.ts";
import type { AssistantMessage, Message } from "../../messages/message.ts";
import { nameHint } from "../../messages/near-names.ts";
import {
  chat,
  type ChatOptions,
  generate,
  type NativeWebTools,
  type Provider,
  type ProviderEvent,
} from "../../providers/provider.ts";

/**
 * Providers by their names, one of which is the current one. It is a provider itself: an agent or a session that was
 * given it asks whichever is current, from the next call on.
 */
export class AIProviders implements Provider {
  readonly #providers = new Map<string, Provider>();
  #current: string | undefined;
  #model: string | undefined;

  constructor(providers: Iterable<Provider> = []) {
    for (const provider of providers) this.register(provider);
  }

  /**
   * Registers a provider; the first one becomes the current one. @throws {ConfigurationError} when the name is taken
   */
  register(provider: Provider, name = provider.name): this {
    if (this.#providers.has(name)) {
      throw new ConfigurationError(`There is a provider "${name}" already`, {
        hint: "Register it under another name: register(provider, name).",
      });
    }
    this.#providers.set(name, provider);
    this.#current ??= name;
    return this;
  }

  /** Names with their default models. */
  list(): { name: string; model: string; isCurrent: boolean }[] {
    return [...this.#providers].map(([name, { model }]) => ({
      name,
      model: name === this.#current ? (this.#model ?? model) : model,
      isCurrent: name === this.#current,
    }));
  }

  get(name: string): Provider | undefined {
    return this.#providers.get(name);
  }

  /** @throws {ConfigurationError} for an unknown name; the hint has similar ones */
  lookup(name: string): Provider {
    const provider = this.#providers.get(name);
    if (provider) return provider;
    throw new ConfigurationError(`There is no provider "${name}"`, {
      hint: nameHint(name, this.#providers.keys()),
    });
  }

  /** Selects the provider that answers from now on, by default with its own model. @throws {ConfigurationError} */
  select(name: string, model?: string): void {
    this.lookup(name);
    this.#current = name;
    this.#model = model;
  }

  /** The current provider. @throws {ConfigurationError} when none is registered */
  get current(): Provider {
    if (this.#current !== undefined) return this.lookup(this.#current);
    throw new ConfigurationError("There is no provider", {
      hint: "Register one before it is asked.",
    });
  }

  /** The name under which the current provider is registered. */
  get name(): string {
    return this.#current ?? "none";
  }

  get model(): string {
    return this.#model ?? this.current.model;
  }

  chat(messages: readonly Message[], options: ChatOptions = {}): Promise<AssistantMessage> {
    return chat(this, messages, options);
  }

  chatStream(
    messages: readonly Message[],
    options: ChatOptions = {},
  ): AsyncIterable<ProviderEvent> {
    return this.current.chatStream(messages, this.#options(options));
  }

  generate(
    messages: readonly Message[],
    options: ChatOptions,
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage> {
    return generate(this.current, messages, this.#options(options), onEvent);
  }

  /** Configures the current provider. */
  configureNativeWebTools(config: { webSearch: boolean }): NativeWebTools {
    const provider = this.current;
    return provider.configureNativeWebTools?.(config) ?? { webSearch: false, chatOptions: {} };
  }

  #options(options: ChatOptions): ChatOptions {
    const model = options.model ?? this.#model;
    return model === undefined ? options : { ...options, model };
  }
}
