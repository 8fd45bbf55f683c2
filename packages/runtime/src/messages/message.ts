import type { ErrorFacts } from "../errors.ts";

/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };
/** An object of JSON values. */
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

/** The source of a part of an answer, such as a page that a search found. */
export interface Citation {
  url?: string;
  title?: string;
  /** The words there. */
  citedText?: string;
  /** The provider's own data, returned to it unchanged and sent to no other provider. */
  data?: JsonObject;
}

/** Text, with the citations of a web search. */
export interface TextPart {
  type: "text";
  text: string;
  citations?: Citation[];
}

/** An image, as Base64 or by address. */
export interface ImagePart {
  type: "image";
  /** MIME type, such as `image/png`. */
  mediaType: string;
  /** Base64 without a prefix. Give this or `url`. */
  data?: string;
  url?: string;
  /** For people; models see the picture only. */
  name?: string;
}

/** A file, such as a PDF, as Base64. */
export interface FilePart {
  type: "file";
  /** MIME type, such as `application/pdf`. */
  mediaType: string;
  /** Base64 without a prefix. */
  data: string;
  name?: string;
}

/** An image or a file that goes with a prompt. */
export type Attachment = ImagePart | FilePart;

/** Reasoning before the answer. `signature` is the provider's proof that it is unchanged. */
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

/** A piece of a message beside plain text: text with citations, an image, a file, thinking, or data of a provider. */
export type Part = TextPart | ImagePart | FilePart | ThinkingPart | ProviderPart;
/** A message's content: plain text, or parts in order. */
export type Content = string | Part[];

/** A model's request to run a tool; the message with the role `tool` and this id answers it. */
export interface ToolCall {
  id: string;
  name: string;
  /** `{}` when `rawArgs` is there. */
  args: ToolArgs;
  /** The model's text when it is not a valid JSON object; such a call is answered as failed, never run. */
  rawArgs?: string;
}

/** Tokens of one API call. `inputTokens` excludes cache reads and writes. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** Part of `outputTokens`, when the provider says. */
  reasoningTokens?: number;
}

/** The reason why a model's answer ended. */
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

/** Instructions to the model. */
export interface SystemMessage extends MessageBase {
  role: "system";
  content: Content;
}

/** A message of a person or of the program. */
export interface UserMessage extends MessageBase {
  role: "user";
  content: Content;
}

/** A model's answer, complete or interrupted, with the tool calls it requests. */
export interface AssistantMessage extends MessageBase {
  role: "assistant";
  content: Content;
  toolCalls?: ToolCall[];
  /** `interrupted` after an abort, an error or a crash; the text is the part that arrived. */
  state: "complete" | "interrupted";
  usage?: TokenUsage;
  stopReason?: StopReason;
  /** The provider that wrote it. */
  provider?: string;
  model?: string;
  /** Present when the text is our report of a failure, not the model's words. */
  error?: ErrorFacts;
}

/** The result of one tool call. */
export interface ToolMessage extends MessageBase {
  role: "tool";
  toolCallId: string;
  name: string;
  content: Content;
  isError?: boolean;
  /** A `ToolErrorCode`, or the own code of a program's tool. */
  errorCode?: string;
}

/** A message of a conversation, independent of any provider. Providers translate it to their wire formats. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** The text of a message's content; other parts are left out. */
export function contentText(content: Content): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const part of content) if (part.type === "text") text += part.text;
  return text;
}
