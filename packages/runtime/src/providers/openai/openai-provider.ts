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
import { type Api, chatApi, type Codec, responsesApi } from "./api.ts";
import { type ChatDialect, COMMON_DIALECT, SERVICE_DIALECT } from "./dialect.ts";

export interface OpenAIProviderOptions {
  /** Optional for servers without authentication. */
  apiKey?: string | undefined;
  model: string;
  /** Base URL of the service or of a compatible one, with its `/v1`. */
  baseURL?: string | undefined;
  /** `responses` for the service itself, `chat` for any other address, unless given. */
  api?: "responses" | "chat" | undefined;
  /** Name of the server in messages and errors; `openai` by default. */
  name?: string | undefined;
  /** Differences of the server from common Chat Completions. */
  dialect?: Partial<ChatDialect> | undefined;
  /** False for servers that can't stream: answers come in one piece. */
  stream?: boolean | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Attempts after the first one, for failures that may pass; 3 unless given. */
  maxRetries?: number | undefined;
  /** Milliseconds without any byte after which a call fails; 10 minutes unless given, 0 for no limit. */
  idleTimeoutMs?: number | undefined;
  /** Maximum tokens of an answer; the service's own limit by default. */
  maxTokens?: number | undefined;
  defaultHeaders?: Record<string, string> | undefined;
  /** Needed in web pages, where everything that runs in the page can use the key. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

const OPTIONS: OptionForms<OpenAIProviderOptions> = {
  apiKey: "any",
  model: "string",
  baseURL: "string",
  api: "string",
  name: "string",
  dialect: "object",
  stream: "boolean",
  fetch: "function",
  maxRetries: "number",
  idleTimeoutMs: "number",
  maxTokens: "number",
  defaultHeaders: "object",
  dangerouslyAllowBrowser: "boolean",
};

const NAME = "openai";
const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** OpenAI's models, and every server that speaks one of its two APIs. */
export class OpenAIProvider implements Provider {
  readonly name: string;
  readonly model: string;
  readonly #options: OpenAIProviderOptions;
  /** Set once validated. */
  #baseURL: string | undefined;
  readonly #api: Api;
  #client: ServiceClient | undefined;
  #codec: Promise<Codec> | undefined;

  /** @throws {ConfigurationError} without a model, or for a misspelt option; a missing key fails the first call */
  constructor(options: OpenAIProviderOptions) {
    const model = requiredModel(options, "OpenAIProvider", "gpt-5.4");
    requireOptions(options, OPTIONS);
    const { name = NAME, maxTokens, baseURL, stream = true } = options;
    const isService =
      baseURL === undefined ||
      (URL.canParse(baseURL) && new URL(baseURL).origin === new URL(DEFAULT_BASE_URL).origin);
    const defaults = { provider: name, model, maxTokens, stream };
    this.name = name;
    this.model = model;
    this.#options = options;
    this.#api =
      (options.api ?? (isService ? "responses" : "chat")) === "responses"
        ? responsesApi(defaults)
        : chatApi(defaults, {
            ...(isService ? SERVICE_DIALECT : COMMON_DIALECT),
            ...options.dialect,
          });
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

  async generate(
    messages: readonly Message[],
    options: ChatOptions,
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage> {
    const { maxRetries, idleTimeoutMs } = this.#options;
    const { baseURL, isKeyless, context } = this.#address(options.model ?? this.model);
    // A copy, in case the caller changes the list meanwhile.
    const asked = [...messages];
    const codec = await this.#loadCodec();
    return call(
      {
        ...context,
        apiSurface: this.#api.surface,
        url: baseURL,
        body: codec.write(asked, options),
        send: (body, signal) =>
          this.#connect(baseURL, isKeyless).request(this.#api.path, { body, signal }),
        decoder: (answer) => codec.decoder(answer, context),
      },
      asked,
      options,
      { maxRetries, idleTimeoutMs },
      onEvent,
    );
  }

  /** A session's switch for the server's own web search: the Responses API has one, and few others. */
  configureNativeWebTools({ webSearch }: { webSearch: boolean }): NativeWebTools {
    const offered = webSearch && this.#api.hasWebSearch;
    return { webSearch: offered, chatOptions: offered ? { nativeWebSearch: true } : {} };
  }

  /**
   * Lists the models that this key may use, which is free of charge.
   * @throws {AuthenticationError} and the other errors of a call
   */
  async checkKey({ signal }: { signal?: AbortSignal } = {}): Promise<KeyCheck> {
    const { baseURL, isKeyless, context } = this.#address(this.model);
    return listModels({ ...context, url: baseURL, signal }, (stopped) =>
      this.#connect(baseURL, isKeyless).request("/models", { signal: stopped }),
    );
  }

  #address(model: string): { baseURL: string; isKeyless: boolean; context: ErrorContext } {
    const { apiKey, defaultHeaders } = this.#options;
    const provider = this.name;
    const baseURL = (this.#baseURL ??= baseUrl(this.#options.baseURL ?? DEFAULT_BASE_URL));
    const isKeyless = this.#options.baseURL !== undefined && !apiKey?.trim();
    const problem = isKeyless ? undefined : keyProblem(apiKey);
    if (problem) {
      throw new AuthenticationError(problem, { provider, hint: "Pass the key as `apiKey`." });
    }
    const secrets = secretsOf(apiKey, defaultHeaders);
    return { baseURL, isKeyless, context: { provider, model, secrets } };
  }

  /** One codec for all calls, since it caches what it has written. */
  #loadCodec(): Promise<Codec> {
    this.#codec ??= this.#api.load().catch((cause: unknown) => {
      this.#codec = undefined;
      throw new ConfigurationError("A part of the OpenAI provider could not be loaded", {
        cause,
        hint: "Reload the page, or check that the package is installed whole.",
      });
    });
    return this.#codec;
  }

  /** One client for all calls. */
  #connect(baseURL: string, isKeyless: boolean): ServiceClient {
    if (this.#client) return this.#client;
    const { apiKey, fetch, defaultHeaders, dangerouslyAllowBrowser = false } = this.#options;
    // Without a key, the page has none to leak.
    requireConsent(this.name, dangerouslyAllowBrowser || isKeyless);
    const authorization = !isKeyless && { authorization: `Bearer ${apiKey?.trim()}` };
    const headers = { ...authorization, ...defaultHeaders };
    this.#client = new ServiceClient({ provider: this.name, baseURL, headers, fetch });
    return this.#client;
  }
}
