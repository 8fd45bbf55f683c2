import type { JsonObject } from "../../messages/message.ts";

/** Data of the session's own, by the name of its part: those without a part in the protocol. */
export interface AiSdkUiData {
  /** Use of the context window; one part of a message, which is replaced as it grows. */
  context: { usedTokens: number; maxTokens: number; usedPercentage: number; exact: boolean };
  compaction: { trigger: "auto" | "manual"; summary: string; before: number; after: number };
  /** A subagent; one part each, which is replaced as it proceeds. `toolCallId`: the call that started it. */
  agent: {
    agentId: string;
    toolCallId: string;
    agent: string;
    prompt: string;
    description?: string;
    state: "running" | "complete" | "interrupted" | "failed";
    response?: string;
  };
  /** A message of a subagent's conversation. */
  "agent-message": { agentId: string; toolCallId: string; role: string; text: string };
  /** Output of a running call. Not part of the message: the call's own output has it in the end. */
  "tool-output": { toolCallId: string; text: string; stream?: "stdout" | "stderr" };
  /** Prompts that wait behind the turn. */
  queue: { queue: string[] };
  mode: { mode: string };
  name: { name: string };
  note: { kind: string; data: unknown };
}

type DataChunk = {
  [Name in keyof AiSdkUiData]: {
    type: `data-${Name}`;
    data: AiSdkUiData[Name];
    /** A later part with the same id replaces it. */
    id?: string;
    /** Reported to `onData` only. */
    transient?: boolean;
  };
}[keyof AiSdkUiData];

/** A call of one of the session's tools. The client runs none of them, which `providerExecuted` says. */
interface CallChunk {
  toolCallId: string;
  toolName: string;
  dynamic: true;
  providerExecuted: true;
}

interface OutputChunk {
  toolCallId: string;
  dynamic: true;
  providerExecuted: true;
  /** Under `robota`: the outcome beside the text, such as the exit code and the changes of files. */
  providerMetadata?: { robota: JsonObject };
}

export type FinishReason =
  | "stop"
  | "length"
  | "content-filter"
  | "tool-calls"
  | "error"
  | "interrupted"
  | "other";

/** Metadata of an assistant message, which is one turn. */
export interface AiSdkUiMetadata {
  sessionId: string;
  turnId: string;
  model?: string;
  /** As the AI SDK counts: `inputTokens` includes the cache. */
  usage?: {
    inputTokens: number;
    outputTokens: number;
    totalTokens: number;
    inputTokenDetails: { noCacheTokens: number; cacheReadTokens: number; cacheWriteTokens: number };
    outputTokenDetails: { textTokens?: number; reasoningTokens?: number };
  };
  /** US dollars, when the model's prices are known. */
  cost?: number;
}

/** A chunk of the UI message stream of the AI SDK 6 and 7, as `useChat` reads it; a turn is one assistant message. */
export type AiSdkUiChunk =
  | { type: "start"; messageId: string; messageMetadata: AiSdkUiMetadata }
  | { type: "start-step" | "finish-step" }
  | { type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string }
  | { type: "text-delta" | "reasoning-delta"; id: string; delta: string }
  /** An image or a file of the model; `url`: its content as a `data:` address, or its place. */
  | { type: "file"; url: string; mediaType: string }
  | { type: "source-url"; sourceId: string; url: string; title?: string }
  | ({ type: "tool-input-start" } & CallChunk)
  | ({ type: "tool-input-available"; input: unknown } & CallChunk)
  | ({ type: "tool-input-error"; input: unknown; errorText: string } & CallChunk)
  | {
      type: "tool-approval-request";
      approvalId: string;
      toolCallId: string;
      reason: string;
      /** Facts for the person who decides: the rule, the paths, the suggested pattern, the preview of the changes. */
      approvalDescriptor?: JsonObject;
      /** True for a decision of the rules, which no person is asked about. */
      isAutomatic?: true;
    }
  | {
      type: "tool-approval-response";
      approvalId: string;
      approved: boolean;
      reason?: string;
      providerExecuted: true;
    }
  | ({ type: "tool-output-available"; output: unknown } & OutputChunk)
  | ({ type: "tool-output-error"; errorText: string } & OutputChunk)
  | { type: "tool-output-denied"; toolCallId: string }
  | {
      type: "steering-message";
      id: string;
      parts: { type: "text"; text: string }[];
    }
  | { type: "message-metadata"; messageMetadata: AiSdkUiMetadata }
  | { type: "error"; errorText: string }
  | { type: "abort"; reason: string }
  | { type: "finish"; finishReason: FinishReason; messageMetadata?: AiSdkUiMetadata }
  | DataChunk;
