import type OpenAI from "openai";
import { AuthenticationError, ConfigurationError } from "../../errors.ts";
import type { AssistantMessage, Message } from "../../messages/message.ts";
import type { Answer } from "../answer.ts";
import { call, type Decoder } from "../call.ts";
import { baseUrl, keyProblem, sdkHeaders, secretsOf } from "../client.ts";
import type { ErrorContext } from "../errors.ts";
import { chat, type NativeWebTools, type Provider, type ProviderEvent } from "../provider.ts";
import { streamEvents } from "../stream.ts";
import { ChatDecoder } from "./chat-decode.ts";
import { ChatRequestWriter } from "./chat-request.ts";
import { ResponsesDecoder } from "./responses-decode.ts";
import { type OpenAIChatOptions, ResponsesRequestWriter } from "./responses-request.ts";

export interface OpenAIProviderOptions {
  /** May be left out for servers that want none. */
  apiKey?: string;
  model: string;
  /** Of the service or of a compatible one, with its `/v1`. */
  baseURL?: string;
  /** `responses` for the service itself, `chat` for any other address, unless given. */
  api?: "responses" | "chat";
  fetch?: typeof globalThis.fetch;
  /** Attempts after the first one, for failures that may pass; 3 unless given. */
  maxRetries?: number;
  /** Milliseconds without any byte after which a call fails; 10 minutes unless given, 0 for no limit. */
  idleTimeoutMs?: number;
  /** Tokens of an answer at the most; the service's own limit unless given. */
  maxTokens?: number;
  defaultHeaders?: Record<string, string>;
  /** Needed in web pages, where everything that runs in the page can use the key. */
  dangerouslyAllowBrowser?: boolean;
}

const NAME = "openai";
const DEFAULT_BASE_URL = "https://api.openai.com/v1";
/** The SDK's own time limit is out of the way: silence is judged by `idleTimeoutMs`. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** One of the two APIs: where it is, how its requests are written and its answers read. */
interface Api {
  surface: string;
  path: string;
  write(messages: readonly Message[], options: OpenAIChatOptions): string;
  decoder(answer: Answer, context: ErrorContext): Decoder;
}

/** OpenAI's models, and every server that speaks one of its two APIs, through the official SDK, loaded by the first call. */
export class OpenAIProvider implements Provider {
  readonly name = NAME;
  readonly model: string;
  readonly #options: OpenAIProviderOptions;
  readonly #api: Api;
  #client: Promise<OpenAI> | undefined;

  constructor(options: OpenAIProviderOptions) {
    const { model, maxTokens, baseURL } = options;
    const isService = baseURL === undefined || baseURL.startsWith(new URL(DEFAULT_BASE_URL).origin);
    const defaults = { provider: NAME, model, maxTokens };
    this.model = model;
    this.#options = options;
    this.#api =
      (options.api ?? (isService ? "responses" : "chat")) === "responses"
        ? responsesApi(new ResponsesRequestWriter(defaults))
        : chatApi(
            new ChatRequestWriter({
              ...defaults,
              // The service has renamed it; most other servers have not.
              maxTokensField: isService ? "max_completion_tokens" : "max_tokens",
            }),
          );
  }

  chat(messages: readonly Message[], options: OpenAIChatOptions = {}): Promise<AssistantMessage> {
    return chat(this, messages, options);
  }

  chatStream(
    messages: readonly Message[],
    options: OpenAIChatOptions = {},
  ): AsyncIterable<ProviderEvent> {
    return streamEvents((...all) => this.generate(...all), messages, options);
  }

  async generate(
    messages: readonly Message[],
    options: OpenAIChatOptions,
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage> {
    const { apiKey, defaultHeaders, maxRetries, idleTimeoutMs } = this.#options;
    const baseURL = baseUrl(this.#options.baseURL ?? DEFAULT_BASE_URL);
    const isKeyless = this.#options.baseURL !== undefined && !apiKey?.trim();
    const problem = isKeyless ? undefined : keyProblem(apiKey ?? "");
    if (problem) {
      throw new AuthenticationError(problem, { provider: NAME, hint: "Pass the key as `apiKey`." });
    }
    const context = {
      provider: NAME,
      model: options.model ?? this.model,
      secrets: secretsOf(apiKey, defaultHeaders),
    };
    return call(
      {
        ...context,
        apiSurface: this.#api.surface,
        url: baseURL,
        body: this.#api.write(messages, options),
        send: async (body, signal) =>
          (await this.#connect(baseURL, isKeyless))
            .post(this.#api.path, {
              body,
              headers: { "content-type": "application/json" },
              stream: true,
              signal,
              timeout: NO_TIMEOUT_MS,
            })
            .asResponse(),
        decoder: (answer) => this.#api.decoder(answer, context),
      },
      messages,
      options,
      { maxRetries, idleTimeoutMs },
      onEvent,
    );
  }

  /** A session's switch for the service's own web search, which only the Responses API has. */
  configureNativeWebTools({ webSearch }: { webSearch: boolean }): NativeWebTools {
    const offered = webSearch && this.#api.surface === "responses";
    const chatOptions: OpenAIChatOptions = offered ? { nativeWebSearch: true } : {};
    return { webSearch: offered, chatOptions };
  }

  /** One SDK client for all calls. */
  #connect(baseURL: string, isKeyless: boolean): Promise<OpenAI> {
    this.#client ??= this.#load(baseURL, isKeyless).catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #load(baseURL: string, isKeyless: boolean): Promise<OpenAI> {
    const { apiKey, fetch, defaultHeaders, dangerouslyAllowBrowser = false } = this.#options;
    try {
      const { OpenAI } = await import("openai");
      return new OpenAI({
        // The SDK wants one even where none is sent.
        apiKey: apiKey?.trim() || "none",
        adminAPIKey: null,
        organization: null,
        project: null,
        webhookSecret: null,
        baseURL,
        ...(fetch && { fetch }),
        maxRetries: 0,
        defaultHeaders: {
          ...sdkHeaders(),
          ...(isKeyless && { authorization: null }),
          ...defaultHeaders,
        },
        dangerouslyAllowBrowser,
        logLevel: "off",
      });
    } catch (cause) {
      throw new ConfigurationError("The OpenAI SDK could not be started", {
        cause,
        hint: "In a web page pass `dangerouslyAllowBrowser: true`; elsewhere check that openai is installed.",
      });
    }
  }
}

function responsesApi(writer: ResponsesRequestWriter): Api {
  return {
    surface: "responses",
    path: "/responses",
    write: (messages, options) => writer.write(messages, options),
    decoder: (answer, context) => new ResponsesDecoder(answer, context),
  };
}

function chatApi(writer: ChatRequestWriter): Api {
  return {
    surface: "chat",
    path: "/chat/completions",
    write: (messages, options) => writer.write(messages, options),
    decoder: (answer, context) => new ChatDecoder(answer, context),
  };
}
