import { AuthenticationError, ConfigurationError } from "../../errors.ts";
import type { AssistantMessage, Message } from "../../messages/message.ts";
import { type OptionForms, requireOptions } from "../../option-forms.ts";
import { call } from "../call.ts";
import { baseUrl, keyProblem, requireConsent, requiredModel, secretsOf } from "../client.ts";
import type { ErrorContext } from "../errors.ts";
import { type KeyCheck, listModels } from "../models.ts";
import {
  type ChatOptions,
  type NativeWebTools,
  type Provider,
  type ProviderEvent,
  notify,
} from "../provider.ts";
import { ServiceClient } from "../service-client.ts";
import { streamEvents } from "../stream.ts";
import type { Codec } from "./codec.ts";
import type { AnthropicWebSearch } from "./request.ts";

export interface AnthropicProviderOptions {
  apiKey: string;
  model: string;
  /** Base URL of the service or of a compatible one, without `/v1`. */
  baseURL?: string | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Attempts after the first one, for failures that may pass; 3 unless given. */
  maxRetries?: number | undefined;
  /** Milliseconds without any byte after which a call fails; 10 minutes unless given, 0 for no limit. */
  idleTimeoutMs?: number | undefined;
  /** Maximum tokens of an answer; 32,000 by default. */
  maxTokens?: number | undefined;
  /** Marks tools, system prompt and conversation for the service's prompt cache; on unless set to false. */
  promptCaching?: boolean | undefined;
  /** Configuration of the service's web search, for sessions that use it. */
  webSearch?: AnthropicWebSearch | undefined;
  defaultHeaders?: Record<string, string> | undefined;
  /** Needed in web pages, where everything that runs in the page can use the key. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

const OPTIONS: OptionForms<AnthropicProviderOptions> = {
  apiKey: "any",
  model: "string",
  baseURL: "string",
  fetch: "function",
  maxRetries: "number",
  idleTimeoutMs: "number",
  maxTokens: "number",
  promptCaching: "boolean",
  webSearch: "object",
  defaultHeaders: "object",
  dangerouslyAllowBrowser: "boolean",
};

/** Maximum continuations of one answer; each covers about ten uses of the service's own tools. */
const MAX_PAUSES = 8;
const NAME = "anthropic";
const DEFAULT_BASE_URL = "https://api.anthropic.com";
const PATH = "/v1/messages";
const MODELS_PATH = "/v1/models?limit=1000";
/** The version of the API that requests are written for and answers read by; the one of `@anthropic-ai/sdk` 1.12. */
const API_VERSION = "2026-10-21";

/** Claude models by Anthropic's Messages API. */
export class AnthropicProvider implements Provider {
  readonly name = NAME;
  readonly model: string;
  readonly #options: AnthropicProviderOptions;
  /** Set once validated. */
  #baseURL: string | undefined;
  #codec: Promise<Codec> | undefined;
  #client: ServiceClient | undefined;

  /** @throws {ConfigurationError} without a model, or for a misspelt option; a missing key fails the first call */
  constructor(options: AnthropicProviderOptions) {
    this.model = requiredModel(options, "AnthropicProvider", "claude-sonnet-5");
    requireOptions(options, OPTIONS);
    this.#options = options;
  }

  chat(messages: readonly Message[], options: ChatOptions = {}): Promise<AssistantMessage> {
    return this.generate(messages, options, (event) => notify(options, event));
  }

  chatStream(
    messages: readonly Message[],
    options: ChatOptions = {},
  ): AsyncIterable<ProviderEvent> {
    return streamEvents((...all) => this.generate(...all), messages, options);
  }

  /** Merges an answer that the service pauses in the middle of its own tools. */
  async generate(
    messages: readonly Message[],
    options: ChatOptions,
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage> {
    // A copy, in case the caller changes the list meanwhile.
    const asked = [...messages];
    const ask = (all: readonly Message[]): Promise<AssistantMessage> =>
      this.#ask(all, options, onEvent);
    let whole = await ask(asked);
    for (let pauses = 0; isPaused(whole) && pauses < MAX_PAUSES; pauses += 1) {
      const paused = whole;
      const { goOn } = await import("./pause.ts");
      whole = await goOn(paused, () => ask([...asked, paused]));
    }
    return whole;
  }

  /**
   * Lists the models that this key may use, which is free of charge.
   * @throws {AuthenticationError} and the other errors of a call
   */
  async checkKey({ signal }: { signal?: AbortSignal } = {}): Promise<KeyCheck> {
    const { baseURL, context } = this.#address(this.model);
    return listModels({ ...context, url: baseURL, signal }, (stopped) =>
      this.#connect(baseURL).request(MODELS_PATH, { signal: stopped }),
    );
  }

  #address(model: string): { baseURL: string; context: ErrorContext } {
    const { apiKey, defaultHeaders } = this.#options;
    const baseURL = (this.#baseURL ??= baseUrl(this.#options.baseURL ?? DEFAULT_BASE_URL));
    const problem = keyProblem(apiKey);
    if (problem) {
      throw new AuthenticationError(problem, { provider: NAME, hint: "Pass the key as `apiKey`." });
    }
    return {
      baseURL,
      context: { provider: NAME, model, secrets: secretsOf(apiKey, defaultHeaders) },
    };
  }

  async #ask(
    messages: readonly Message[],
    options: ChatOptions,
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage> {
    const { maxRetries, idleTimeoutMs } = this.#options;
    const { baseURL, context } = this.#address(options.model ?? this.model);
    const codec = await this.#loadCodec();
    return call(
      {
        ...context,
        apiSurface: "messages",
        url: baseURL,
        body: codec.write(messages, options),
        send: (body, signal) => this.#connect(baseURL).request(PATH, { body, signal }),
        decoder: (answer) => codec.decoder(answer, context),
      },
      messages,
      options,
      { maxRetries, idleTimeoutMs },
      onEvent,
    );
  }

  /** A session's switch for the service's own web search. */
  configureNativeWebTools({ webSearch }: { webSearch: boolean }): NativeWebTools {
    return { webSearch, chatOptions: webSearch ? { nativeWebSearch: true } : {} };
  }

  /** One codec for all calls, since it caches what it has written. */
  #loadCodec(): Promise<Codec> {
    this.#codec ??= this.#makeCodec().catch((cause: unknown) => {
      this.#codec = undefined;
      throw new ConfigurationError("A part of the Anthropic provider could not be loaded", {
        cause,
        hint: "Reload the page, or check that the package is installed whole.",
      });
    });
    return this.#codec;
  }

  async #makeCodec(): Promise<Codec> {
    const { model, maxTokens = 32_000, promptCaching = true, webSearch } = this.#options;
    const { messagesCodec } = await import("./codec.ts");
    return messagesCodec({ provider: NAME, model, maxTokens, promptCaching, webSearch });
  }

  /** One client for all calls. */
  #connect(baseURL: string): ServiceClient {
    if (this.#client) return this.#client;
    const { apiKey, fetch, defaultHeaders, dangerouslyAllowBrowser = false } = this.#options;
    requireConsent("AnthropicProvider", dangerouslyAllowBrowser);
    const consent = { "anthropic-dangerous-direct-browser-access": "true" };
    const headers = {
      authorization: `Bearer ${apiKey.trim()}`,
      "anthropic-version": API_VERSION,
      ...(dangerouslyAllowBrowser && consent),
      ...defaultHeaders,
    };
    this.#client = new ServiceClient({ provider: NAME, baseURL, headers, fetch });
    return this.#client;
  }
}

/** True in the middle of the service's own tools. */
function isPaused({ stopReason, state }: AssistantMessage): boolean {
  return stopReason === "pause_turn" && state === "complete";
}
