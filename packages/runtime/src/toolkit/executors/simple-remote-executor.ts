import type { AssistantMessage, Message } from "../../messages/message.ts";
import { call } from "../../providers/call.ts";
import { baseUrl } from "../../providers/client.ts";
import {
  chat,
  type ChatOptions,
  type Provider,
  type ProviderEvent,
} from "../../providers/provider.ts";
import { RemoteDecoder } from "../../providers/remote/decode.ts";
import { encodeRequest } from "../../providers/remote/wire.ts";
import { ServiceClient } from "../../providers/service-client.ts";
import { streamEvents } from "../../providers/stream.ts";
import { type ExecutionRequest, type Executor, namedProvider } from "./executor.ts";

export interface SimpleRemoteExecutorOptions {
  /** Address of an `executorHandler` of `@robota/runtime/transports`. */
  url: string;
  /** The model to ask for; the server decides which ones may be. */
  model: string;
  /** Local name of the provider; `remote` by default. */
  name?: string | undefined;
  /** Sent as a bearer token. A function gives the token of the moment. */
  token?: string | (() => Promise<string> | string) | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Attempts after the first one when the server can't be reached or is busy; 3 unless given. */
  maxRetries?: number | undefined;
  /** Milliseconds without any byte after which a call fails; 10 minutes unless given, 0 for no limit. */
  idleTimeoutMs?: number | undefined;
}

/**
 * A provider that runs elsewhere, such as in a worker that holds the key. Its failures are those of the remote
 * provider, and an abort here ends the call there.
 */
export class SimpleRemoteExecutor implements Executor, Provider {
  readonly name: string;
  readonly model: string;
  readonly #options: SimpleRemoteExecutorOptions;
  readonly #url: string;

  constructor(options: SimpleRemoteExecutorOptions) {
    this.name = options.name ?? "remote";
    this.model = options.model;
    this.#options = options;
    this.#url = baseUrl(options.url);
  }

  async execute(request: ExecutionRequest): Promise<AssistantMessage> {
    return chat(namedProvider(this, request.provider), request.messages, request.options);
  }

  async *executeStream(request: ExecutionRequest): AsyncGenerator<ProviderEvent, void, undefined> {
    yield* namedProvider(this, request.provider).chatStream(request.messages, request.options);
  }

  chat(messages: readonly Message[], options?: ChatOptions): Promise<AssistantMessage> {
    return chat(this, messages, options);
  }

  chatStream(messages: readonly Message[], options?: ChatOptions): AsyncIterable<ProviderEvent> {
    return streamEvents((...all) => this.generate(...all), messages, options);
  }

  async generate(
    messages: readonly Message[],
    options: ChatOptions,
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage> {
    const { token, headers, maxRetries, idleTimeoutMs } = this.#options;
    const bearer = typeof token === "function" ? await token() : token;
    const secrets = [...Object.values(headers ?? {}), ...(bearer === undefined ? [] : [bearer])];
    const model = options.model ?? this.model;
    const context = { provider: this.name, model, secrets };
    const client = new ServiceClient({
      provider: this.name,
      baseURL: this.#url,
      headers: {
        accept: "text/event-stream",
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      fetch: this.#options.fetch,
    });
    let decoder: RemoteDecoder | undefined;
    const answer = await call(
      {
        ...context,
        apiSurface: "remote",
        url: this.#url,
        body: encodeRequest(messages, { ...options, model }),
        send: (body, signal) => client.request("", { body, signal }),
        decoder: (grown) => (decoder = new RemoteDecoder(grown, context)),
      },
      messages,
      options,
      { maxRetries, idleTimeoutMs },
      onEvent,
    );
    if (decoder?.failure) throw decoder.failure;
    return decoder?.message ?? answer;
  }
}
