import {
  type AssistantMessage,
  chat,
  type ChatOptions,
  type Message,
  type Provider,
  type ProviderEvent,
} from "@robota/runtime";
import { redactValue } from "@robota/runtime/log";
import {
  type JsonValue,
  parseToolCall,
  type ProviderNativeRawPayload,
  streamEvents,
  type ToolSchema,
} from "@robota/runtime/providers";
import { constraintOf, conversationOf } from "./conversation.ts";
import { abortError, failureOf, notReady, tooLong, unreadable } from "./failure.ts";
import {
  type Availability,
  browserLanguageModel,
  type CoreOptions,
  type CreateOptions,
  type LanguageModel,
  type LanguageModelSession,
  type PromptOptions,
} from "./language-model.ts";
import { SayReader } from "./say-reader.ts";
import { type Stop, stopOf } from "./stop.ts";

export interface PromptApiProviderOptions {
  /** Languages of the conversation as BCP 47 tags; `en` by default. Browsers support few. */
  languages?: readonly string[] | undefined;
  /**
   * Names of the tools offered to the model; by default the first four of a call. A small model gets confused by many.
   */
  tools?: readonly string[] | undefined;
  /** Replaces the browser's own, for tests. */
  languageModel?: LanguageModel | undefined;
}

export interface PrepareOptions {
  /** Called with the download's progress, from 0 to 1. */
  onDownloadProgress?: ((fraction: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

const NAME = "prompt-api";
const MAX_TOOLS = 4;

/**
 * The browser's own model by Chrome's Prompt API: no key, and nothing leaves the machine. It is small: it calls one tool
 * at a time, its window is short, and agents work badly with it. Each call has a session of its own, which is destroyed.
 */
export class PromptApiProvider implements Provider {
  readonly name = NAME;
  readonly model = "browser";
  readonly #languages: string[];
  readonly #tools: readonly string[] | undefined;
  readonly #languageModel: LanguageModel | undefined;
  #contextWindow: number | undefined;

  constructor(options: PromptApiProviderOptions = {}) {
    this.#languages = [...(options.languages ?? ["en"])];
    this.#tools = options.tools;
    this.#languageModel = options.languageModel ?? browserLanguageModel();
  }

  /**
   * Size of the context window in tokens, as last reported by the browser; undefined before the first call and
   * `prepare`.
   */
  get contextWindow(): number | undefined {
    return this.#contextWindow;
  }

  /** Reports whether the model is available now, or after a download. Downloads nothing. */
  async availability(): Promise<Availability> {
    return (await this.#languageModel?.availability(this.#core(false))) ?? "unavailable";
  }

  /**
   * Makes the model ready, with a download if need be. Call it when the person clicks: browsers begin a download for no
   * other reason.
   * @throws {ModelNotAvailableError} and an `AbortError`
   */
  async prepare({ onDownloadProgress, signal }: PrepareOptions = {}): Promise<void> {
    if (!this.#languageModel) throw notReady(NAME, "unavailable");
    try {
      const session = await this.#languageModel.create({
        ...this.#core(false),
        signal,
        monitor(monitor) {
          monitor.addEventListener("downloadprogress", (event) => {
            onDownloadProgress?.((event as ProgressEvent).loaded);
          });
        },
      });
      this.#contextWindow = session.contextWindow;
      session.destroy();
    } catch (error) {
      throw failureOf(error, NAME, signal);
    }
  }

  chat(messages: readonly Message[], options: ChatOptions = {}): Promise<AssistantMessage> {
    return chat(this, messages, options);
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
    const { signal, responseFormat } = options;
    if (signal?.aborted) throw abortError();
    const tools = this.#offered(options);
    const { initialPrompts, prompt, hasImages } = conversationOf(messages, tools);
    const core = this.#core(hasImages);
    const state = (await this.#languageModel?.availability(core)) ?? "unavailable";
    if (!this.#languageModel || state !== "available") throw notReady(NAME, state);

    const responseConstraint =
      tools.length > 0 ? constraintOf(tools, options.toolChoice) : responseFormat?.schema;
    using stop = stopOf(signal, options.idleTimeoutMs, NAME);
    const log = nativeLog(options);
    const reading = new Reading(tools.length > 0, onEvent);
    let session: LanguageModelSession | undefined;
    try {
      session = await this.#open({ ...core, initialPrompts, signal: stop.signal }, stop);
      const asked: PromptOptions = { signal: stop.signal };
      if (responseConstraint) asked.responseConstraint = responseConstraint;
      const measured = await stop.race(session.measureContextUsage(prompt, asked));
      const inputTokens = session.contextUsage + measured;
      if (inputTokens > session.contextWindow)
        throw tooLong(NAME, undefined, inputTokens, session.contextWindow);
      log("request", { initialPrompts, prompt, responseConstraint });
      await readAll(session.promptStreaming(prompt, asked), stop, (piece) => {
        log("stream_event", piece);
        reading.push(piece);
      });
      const outputTokens = Math.max(0, session.contextUsage - inputTokens);
      const usage = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
      return { ...this.#message(), ...reading.whole(), usage };
    } catch (error) {
      // A listener's error is its owner's.
      if (reading.thrown) throw reading.thrown.error;
      const failure = failureOf(error, NAME, signal);
      if (reading.text === "") throw failure;
      return { ...this.#message(), ...reading.interrupted(failure, signal?.aborted ?? false) };
    } finally {
      session?.destroy();
    }
  }

  /** A session of one call; one that comes after the call has ended is destroyed at once. */
  async #open(options: CreateOptions, stop: Stop): Promise<LanguageModelSession> {
    if (!this.#languageModel) throw notReady(NAME, "unavailable");
    const created = this.#languageModel.create(options);
    try {
      const session = await stop.race(created);
      this.#contextWindow = session.contextWindow;
      return session;
    } catch (error) {
      created.then(
        (late) => late.destroy(),
        () => {},
      );
      throw error;
    }
  }

  #offered({ tools = [], toolChoice }: ChatOptions): readonly ToolSchema[] {
    if (toolChoice === "none") return [];
    const wanted = this.#tools;
    return wanted ? tools.filter(({ name }) => wanted.includes(name)) : tools.slice(0, MAX_TOOLS);
  }

  #core(hasImages: boolean): CoreOptions {
    const text = { type: "text" as const, languages: this.#languages };
    return {
      expectedInputs: hasImages ? [text, { type: "image" }] : [text],
      expectedOutputs: [text],
    };
  }

  #message(): Pick<AssistantMessage, "role" | "id" | "timestamp" | "provider" | "model"> {
    const id = crypto.randomUUID();
    return { role: "assistant", id, timestamp: new Date(), provider: NAME, model: this.model };
  }
}

type Ending = Pick<AssistantMessage, "content" | "state" | "stopReason" | "toolCalls" | "error">;

/** An answer while it is read: words, or JSON that says words or calls a tool. */
class Reading {
  text = "";
  /** An error thrown by the listener. */
  thrown: { error: unknown } | undefined;
  readonly #json: SayReader | undefined;
  readonly #onEvent: (event: ProviderEvent) => void;

  constructor(hasTools: boolean, onEvent: (event: ProviderEvent) => void) {
    this.#json = hasTools ? new SayReader() : undefined;
    this.#onEvent = (event) => {
      try {
        onEvent(event);
      } catch (error) {
        this.thrown = { error };
        throw error;
      }
    };
  }

  push(piece: string): void {
    const delta = this.#json ? this.#json.push(piece) : piece;
    if (delta === "") return;
    this.text += delta;
    this.#onEvent({ type: "text_delta", delta });
  }

  whole(): Ending {
    const said: Ending = { content: this.text, state: "complete", stopReason: "end_turn" };
    if (!this.#json) return said;
    const { tool, args, say } = objectOf(this.#json.json);
    if (typeof say === "string") return { ...said, content: say };
    if (typeof tool !== "string") throw unreadable(NAME, this.#json.json);
    const call = parseToolCall(`call_${crypto.randomUUID()}`, tool, JSON.stringify(args ?? {}));
    this.#onEvent({
      type: "tool_call_delta",
      index: 0,
      id: call.id,
      name: tool,
      delta: JSON.stringify(args ?? {}),
    });
    return { content: "", state: "complete", stopReason: "tool_use", toolCalls: [call] };
  }

  interrupted(failure: Error, isAborted: boolean): Ending {
    const { text: content } = this;
    if (isAborted) return { content, state: "interrupted", stopReason: "aborted" };
    const code = "code" in failure ? String(failure.code) : "PROVIDER_ERROR";
    const error = { code, message: failure.message };
    return { content, state: "interrupted", stopReason: "error", error };
  }
}

/** Reads to the end, or until the call is stopped. */
async function readAll(
  stream: ReadableStream<string>,
  stop: Stop,
  onPiece: (piece: string) => void,
): Promise<void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await stop.race(reader.read());
      if (done) return;
      stop.signal.throwIfAborted();
      stop.touch();
      onPiece(value);
    }
  } catch (error) {
    void reader.cancel(error).catch(() => {});
    throw error;
  }
}

type NativeLog = (kind: ProviderNativeRawPayload["payloadKind"], payload: unknown) => void;

function nativeLog(options: ChatOptions): NativeLog {
  let sequence = 0;
  return (payloadKind, payload) => {
    options.onProviderNativeRawPayload?.({
      provider: NAME,
      apiSurface: "prompt",
      payloadKind,
      sequence,
      payload: redactValue(payload) as JsonValue,
    });
    sequence += 1;
  };
}

function objectOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
