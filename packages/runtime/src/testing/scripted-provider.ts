import { abortError, errorMessage, NetworkError, ProviderError, RobotaError } from "../errors.ts";
import { reportable } from "../messages/reported-error.ts";
import type {
  AssistantMessage,
  Content,
  Message,
  StopReason,
  TokenUsage,
  ToolArgs,
  ToolCall,
} from "../messages/message.ts";
import {
  chat,
  type ChatOptions,
  parseToolCall,
  type Provider,
  type ProviderEvent,
} from "../providers/provider.ts";

export interface ScriptedToolCall {
  /** A new one unless told. */
  id?: string;
  name: string;
  /** A text is what a model wrote, valid JSON or not. */
  args?: ToolArgs | string;
}

/** One answer. Its deltas come first, then its tool calls; `error` cuts it short after the deltas. */
export interface ScriptedStep {
  /** Comes as one delta. */
  text?: string;
  /** The text in several deltas, instead of `text`. */
  deltas?: readonly string[];
  thinking?: string;
  toolCalls?: readonly ScriptedToolCall[];
  /** Thrown as it is, a text as a `ProviderError`; after some text, the answer ends `interrupted` with it instead. */
  error?: Error | string;
  /** Milliseconds before each delta, or before an answer that has none; `Infinity` waits for the abort. */
  delayMs?: number;
  usage?: Partial<TokenUsage>;
  stopReason?: StopReason;
}

/** One call as it came, copied: what the caller changes later does not show here. */
export interface ScriptedRequest {
  messages: readonly Message[];
  /** Without the callbacks. */
  options: ChatOptions;
}

/** An answer, or a function that makes one from the request it answers. */
export type ScriptedReply =
  | ScriptedStep
  | ((request: ScriptedRequest) => ScriptedStep | Promise<ScriptedStep>);

export interface ScriptedProviderOptions {
  name?: string;
  model?: string;
  now?: () => number;
  randomUUID?: () => string;
}

/**
 * A provider that gives prepared answers, one for each call, and remembers what it was asked. A call beyond the last
 * answer fails with a `ProviderError` of code `SCRIPT_EXHAUSTED`.
 */
export class ScriptedProvider implements Provider {
  readonly name: string;
  readonly model: string;
  /** Every call so far. */
  readonly requests: ScriptedRequest[] = [];
  readonly #script: readonly ScriptedReply[];
  readonly #now: () => number;
  readonly #randomUUID: () => string;

  constructor(script: readonly ScriptedReply[], options: ScriptedProviderOptions = {}) {
    this.name = options.name ?? "scripted";
    this.model = options.model ?? "scripted";
    this.#script = [...script];
    this.#now = options.now ?? Date.now;
    this.#randomUUID = options.randomUUID ?? (() => crypto.randomUUID());
  }

  /** How many answers nobody has asked for yet. */
  get remaining(): number {
    return Math.max(0, this.#script.length - this.requests.length);
  }

  chat(messages: readonly Message[], options: ChatOptions = {}): Promise<AssistantMessage> {
    return chat(this, messages, options);
  }

  async *chatStream(
    messages: readonly Message[],
    options: ChatOptions = {},
  ): AsyncGenerator<ProviderEvent, void, undefined> {
    const { signal } = options;
    if (signal?.aborted) throw abortError();
    const step = await this.#next({ messages: copy(messages), options: copyOptions(options) });

    let text = "";
    const deltas = step.deltas ?? (step.text ? [step.text] : []);
    try {
      if (deltas.length === 0) await this.#wait(step, options);
      if (step.thinking) yield { type: "thinking_delta", delta: step.thinking };
      for (const delta of deltas) {
        await this.#wait(step, options);
        text += delta;
        yield { type: "text_delta", delta };
      }
      if (signal?.aborted) throw abortError();
      if (step.error !== undefined) throw this.#asError(step.error);
    } catch (error) {
      if (text === "") throw error;
      const cut = signal?.aborted ? { stopReason: "aborted" as const } : failure(error);
      yield {
        type: "message",
        message: this.#message(step, text, { state: "interrupted", ...cut }),
      };
      return;
    }

    const toolCalls = step.toolCalls?.map((call) => this.#toolCall(call)) ?? [];
    for (const [index, { id, name, args, rawArgs }] of toolCalls.entries()) {
      yield { type: "tool_call_delta", index, id, name, delta: rawArgs ?? JSON.stringify(args) };
    }
    const message = this.#message(step, text, {
      state: "complete",
      stopReason: step.stopReason ?? (toolCalls.length > 0 ? "tool_use" : "end_turn"),
      ...(toolCalls.length > 0 && { toolCalls }),
    });
    yield { type: "message", message };
  }

  async #next(request: ScriptedRequest): Promise<ScriptedStep> {
    const reply = this.#script[this.requests.length];
    this.requests.push(request);
    if (reply) return typeof reply === "function" ? reply(request) : reply;
    const { length } = this.#script;
    throw new ProviderError(
      `The script of ${this.name} has ${length} ${length === 1 ? "step" : "steps"}, and this is call ${this.requests.length}`,
      {
        provider: this.name,
        code: "SCRIPT_EXHAUSTED",
        category: "user",
        recoverable: false,
        hint: `Add a step for the call whose last message is from the ${request.messages.at(-1)?.role ?? "nobody"}.`,
      },
    );
  }

  /** Rejects with what a real provider would: an abort at once, silence after `idleTimeoutMs`. */
  async #wait({ delayMs = 0 }: ScriptedStep, options: ChatOptions): Promise<void> {
    const { signal, idleTimeoutMs = Infinity } = options;
    await sleep(Math.min(delayMs, idleTimeoutMs), signal);
    if (delayMs <= idleTimeoutMs) return;
    throw new NetworkError(`${this.name} was silent for ${idleTimeoutMs} ms`, {
      provider: this.name,
    });
  }

  #asError(error: Error | string): Error {
    return typeof error === "string" ? new ProviderError(error, { provider: this.name }) : error;
  }

  #toolCall({ id, name, args = {} }: ScriptedToolCall): ToolCall {
    const callId = id ?? `call_${this.#randomUUID()}`;
    if (typeof args === "string") return parseToolCall(callId, name, args);
    return { id: callId, name, args: copy(args) };
  }

  #message(
    { thinking, usage }: ScriptedStep,
    text: string,
    facts: Pick<AssistantMessage, "state" | "stopReason" | "toolCalls" | "error">,
  ): AssistantMessage {
    const content: Content = thinking
      ? [
          { type: "thinking", text: thinking },
          { type: "text", text },
        ]
      : text;
    return {
      id: this.#randomUUID(),
      timestamp: new Date(this.#now()),
      role: "assistant",
      content,
      provider: this.name,
      model: this.model,
      ...(usage && { usage: { ...NO_TOKENS, ...usage } }),
      ...facts,
    };
  }
}

const NO_TOKENS: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

function failure(error: unknown): Pick<AssistantMessage, "stopReason" | "error"> {
  if (error instanceof RobotaError) return { stopReason: "error", error: reportable(error) };
  return { stopReason: "error", error: { code: "PROVIDER_ERROR", message: errorMessage(error) } };
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError());
    if (milliseconds <= 0) return resolve();
    const giveUp = (): void => {
      clearTimeout(timer);
      reject(abortError());
    };
    const finish = (): void => {
      signal?.removeEventListener("abort", giveUp);
      resolve();
    };
    // A timer of infinite length would fire at once.
    const timer = Number.isFinite(milliseconds) ? setTimeout(finish, milliseconds) : undefined;
    signal?.addEventListener("abort", giveUp, { once: true });
  });
}

function copyOptions(options: ChatOptions): ChatOptions {
  const data = Object.entries(options).filter(([, value]) => typeof value !== "function");
  return Object.fromEntries(data.map(([name, value]) => [name, copy(value)]));
}

/** Plain data and dates deeply; whatever else there is, such as a signal, stays the same object. */
function copy<Value>(value: Value): Value;
function copy(value: unknown): unknown {
  if (value instanceof Date) return new Date(value);
  if (Array.isArray(value)) return value.map((item: unknown) => copy(item));
  if (typeof value !== "object" || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copy(item)]));
}
