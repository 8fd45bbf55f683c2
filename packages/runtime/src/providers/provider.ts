import { loadOnce } from "../load-once.ts";
import type {
  AssistantMessage,
  JsonObject,
  JsonValue,
  Message,
  ToolCall,
} from "../messages/message.ts";
import { findJsonProblem, MAX_JSON_LENGTH } from "../messages/strict-json.ts";
import type { Retry } from "./retry.ts";

/** Dropped from the bundles of providers that have a `generate` of their own. */
const loadReading = /* @__PURE__ */ loadOnce(() => import("./read-stream.ts"));

/** A tool's definition for a provider. */
export interface ToolSchema {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: JsonObject;
}

/** Constraint on the tools of an answer. */
export type ToolChoice = "auto" | "required" | "none" | { name: string };

/** SDK-native payloads, for logs and replay; keys never appear in them. */
export interface ProviderNativeRawPayload {
  provider: string;
  /** API name, such as `messages` or `responses`. */
  apiSurface?: string;
  payloadKind: "request" | "response" | "stream_event";
  /** Sequence number from 0 within one call. */
  sequence: number;
  payload: JsonValue;
}

/** A use of one of the service's own tools, such as its web search. */
export interface ServerToolUse {
  name: string;
  input: JsonObject;
}

/** Levels of effort, the least first. A service without one of them takes the nearest that it has. */
export type ReasoningEffort = "low" | "medium" | "high" | "xhigh" | "max";

/** The form of an answer, as a provider gets it: the name and the JSON Schema of an object. */
export interface AnswerFormat {
  name: string;
  schema: JsonObject;
}

/** Options of one request to a model. */
export interface ChatOptions {
  /** Instead of the provider's own model, for this call. */
  model?: string | undefined;
  tools?: readonly ToolSchema[] | undefined;
  toolChoice?: ToolChoice | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds without any byte from the service after which the call fails. */
  idleTimeoutMs?: number | undefined;
  maxTokens?: number | undefined;
  temperature?: number | undefined;
  /** `true` lets the provider choose; a number is a budget in tokens. */
  thinking?: boolean | { budgetTokens: number } | undefined;
  /** How thoroughly the model works, where it can be told; a model without such a choice is not asked for one. */
  effort?: ReasoningEffort | undefined;
  /** JSON Schema the answer's text must follow. */
  responseFormat?: AnswerFormat | undefined;
  /** Offers the service's own web search, where the provider has one; set by `NativeWebTools.chatOptions`. */
  nativeWebSearch?: boolean | undefined;
  onTextDelta?(delta: string): void;
  onThinkingDelta?(delta: string): void;
  onServerToolUse?(use: ServerToolUse): void;
  /** Called when an attempt has failed and the provider waits to repeat it. */
  onRetry?: ((retry: Retry) => void) | undefined;
  onProviderNativeRawPayload?: ((payload: ProviderNativeRawPayload) => void) | undefined;
}

/** Events of a provider's stream. Exactly one `message`, at the end, is the complete answer. */
export type ProviderEvent =
  | { type: "text_delta"; delta: string }
  | { type: "thinking_delta"; delta: string }
  /**
   * A tool call began or its arguments grew; for display and idle timers. Only the `message` says which calls to run.
   */
  | { type: "tool_call_delta"; index: number; id?: string; name?: string; delta: string }
  | { type: "server_tool_use"; use: ServerToolUse }
  | { type: "message"; message: AssistantMessage };

/** A session's own switch for its provider's built-in web tools; nothing of the provider is changed. */
export interface NativeWebTools {
  readonly webSearch: boolean;
  /** Merged into the options of each call that should offer the tools. */
  readonly chatOptions: Partial<ChatOptions>;
}

/**
 * A model behind one interface.
 *
 * `chatStream` ends with a `message` event or throws a `ProviderError`. When `signal` aborts it ends promptly; if text
 * had arrived, the last event is a `message` with that text and state `interrupted`, otherwise it throws an
 * `AbortError`. A stream that is cut keeps its text the same way: `message` with state `interrupted` and `error` set.
 * A provider holds no state of a session, so any number of sessions can share one.
 */
export interface Provider {
  readonly name: string;
  readonly model: string;
  chat(messages: readonly Message[], options?: ChatOptions): Promise<AssistantMessage>;
  chatStream(messages: readonly Message[], options?: ChatOptions): AsyncIterable<ProviderEvent>;
  /**
   * The same call with a synchronous listener instead of an iterator, so that a delta costs no promise. Optional: the
   * loop prefers it. Resolves to the message without passing it to `onEvent`, and rejects by itself after `idleTimeoutMs`.
   */
  generate?(
    messages: readonly Message[],
    options: ChatOptions,
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage>;
  configureNativeWebTools?(config: { webSearch: boolean }): NativeWebTools;
}

/** Makes one provider call with a synchronous listener, whichever of the two forms the provider has. */
export async function generate(
  provider: Provider,
  messages: readonly Message[],
  options: ChatOptions,
  onEvent: (event: ProviderEvent) => void,
): Promise<AssistantMessage> {
  if (provider.generate) return provider.generate(messages, options, onEvent);
  const { readStream } = await loadReading();
  return readStream(provider, messages, options, onEvent);
}

/** `Provider.chat`, derived from the stream: the callbacks of `options` get its content. */
export function chat(
  provider: Pick<Provider, "name" | "model" | "chatStream" | "generate">,
  messages: readonly Message[],
  options: ChatOptions = {},
): Promise<AssistantMessage> {
  return generate(provider as Provider, messages, options, (event) => notify(options, event));
}

/** Hands one event to the callbacks of `options`. */
export function notify(options: ChatOptions, event: ProviderEvent): void {
  if (event.type === "text_delta") options.onTextDelta?.(event.delta);
  else if (event.type === "thinking_delta") options.onThinkingDelta?.(event.delta);
  else if (event.type === "server_tool_use") options.onServerToolUse?.(event.use);
}

/** Creates a tool call from a model's arguments: an object, or raw text that is never run. Nothing is repaired. */
export function parseToolCall(id: string, name: string, text: string): ToolCall {
  if (text.trim() === "") return { id, name, args: {} };
  if (!findJsonProblem(text)) {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { id, name, args: value as Record<string, unknown> };
    }
  }
  // The raw text, for the failed result to show the error; the beginning only if it is too long.
  return { id, name, args: {}, rawArgs: text.slice(0, MAX_JSON_LENGTH + 1) };
}
