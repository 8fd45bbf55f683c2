import type { ErrorFacts } from "../errors.ts";

/** Anything JSON can say. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Arguments of a tool call: always an object. */
export type ToolArgs = Record<string, unknown>;

export type MetadataValue =
  | string
  | number
  | boolean
  | Date
  | string[]
  | number[]
  | Record<string, number>;
/** Survives JSON in the session log, dates included. */
export type MessageMetadata = Record<string, MetadataValue>;

/** What a part of an answer rests on, such as a page that a search found. */
export interface Citation {
  url?: string;
  title?: string;
  /** The words there. */
  citedText?: string;
  /** As its provider gave it and wants it back; no other provider gets it. */
  data?: JsonObject;
}

export interface TextPart {
  type: "text";
  text: string;
  citations?: Citation[];
}

export interface ImagePart {
  type: "image";
  /** Such as `image/png`. */
  mediaType: string;
  /** Base64 without a prefix. Give this or `url`. */
  data?: string;
  url?: string;
}

export interface FilePart {
  type: "file";
  /** Such as `application/pdf`. */
  mediaType: string;
  /** Base64 without a prefix. */
  data: string;
  name?: string;
}

/** What a model thought before it answered. `signature` is the provider's proof that it is unchanged. */
export interface ThinkingPart {
  type: "thinking";
  text: string;
  signature?: string;
  /** Opaque text instead of `text`, when the provider hides the thought. */
  redacted?: string;
}

/** Something only one provider understands and needs back unchanged (a reasoning item, a server tool's block). */
export interface ProviderPart {
  type: "provider";
  provider: string;
  data: JsonValue;
}

export type Part = TextPart | ImagePart | FilePart | ThinkingPart | ProviderPart;
export type Content = string | Part[];

export interface ToolCall {
  id: string;
  name: string;
  /** `{}` when `rawArgs` is there. */
  args: ToolArgs;
  /** What the model wrote, when it is no valid JSON object; such a call is answered as failed, never run. */
  rawArgs?: string;
}

/** Tokens of one API call. `inputTokens` leaves out what was read from or written to the provider's cache. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** Part of `outputTokens`, when the provider says. */
  reasoningTokens?: number;
}

export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "refusal"
  | "pause_turn"
  | "error"
  | "aborted";

interface MessageBase {
  id: string;
  timestamp: Date;
  metadata?: MessageMetadata;
}

export interface SystemMessage extends MessageBase {
  role: "system";
  content: Content;
}

export interface UserMessage extends MessageBase {
  role: "user";
  content: Content;
}

export interface AssistantMessage extends MessageBase {
  role: "assistant";
  content: Content;
  toolCalls?: ToolCall[];
  /** `interrupted` when it was cut by an abort, an error or a crash; its text is what had arrived. */
  state: "complete" | "interrupted";
  usage?: TokenUsage;
  stopReason?: StopReason;
  /** Who wrote it. */
  provider?: string;
  model?: string;
  /** There when the text is our report of a failure, not the model's words. */
  error?: ErrorFacts;
}

export interface ToolMessage extends MessageBase {
  role: "tool";
  toolCallId: string;
  name: string;
  content: Content;
  isError?: boolean;
  /** A `ToolErrorCode`, or the own code of a program's tool. */
  errorCode?: string;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** The text of a message's content; other parts are left out. */
export function contentText(content: Content): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const part of content) if (part.type === "text") text += part.text;
  return text;
}
