import type { JsonObject } from "../../messages/message.ts";
import type { PermissionRequest } from "../../session/log/events.ts";

/** Tokens of one model, as AG-UI counts: `inputTokens` includes the cache. */
export interface AgUiUsage {
  provider?: string;
  model?: string;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  reasoningTokens?: number;
  cachedInputTokens: number;
  cacheWriteInputTokens: number;
}

/** A question to a person, which ends a run; the next run's `resume` answers it. */
export interface AgUiInterrupt {
  /** The id of the permission request. */
  id: string;
  reason: "tool_call";
  message: string;
  toolCallId: string;
  responseSchema: JsonObject;
  /** The tool, its arguments, and the facts for the person who decides. */
  metadata: JsonObject;
}

/** The state that a session shares with its clients. */
export interface AgUiState {
  /** Use of the context window. */
  context: { usedTokens: number; maxTokens: number; usedPercentage: number } | null;
  permissionMode: string | null;
  pendingPermissions: PermissionRequest[];
  /** Prompts that wait behind the turn. */
  queue: string[];
}

/** Content that comes with its message. */
export type AgUiSource =
  | { type: "data"; value: string; mimeType: string }
  | { type: "url"; value: string; mimeType: string };

/** A piece of a message that is not only text. */
export type AgUiPart =
  | { type: "text"; text: string }
  | { type: "image"; source: AgUiSource }
  | { type: "document"; source: AgUiSource; metadata?: { filename: string } };

export type AgUiOutcome =
  | { type: "success" }
  | { type: "cancelled" }
  | { type: "interrupt"; interrupts: AgUiInterrupt[] };

interface StatePatch {
  op: "replace";
  path: `/${keyof AgUiState}`;
  value: unknown;
}

/** Present on what a subagent does. */
interface Attributed {
  subagentRunId?: string;
}

/** An event of AG-UI 1.0. */
export type AgUiEvent = { timestamp?: number } & (
  | { type: "RUN_STARTED"; threadId: string; runId: string; protocolVersion: "1.0" }
  | {
      type: "RUN_FINISHED";
      threadId: string;
      runId: string;
      result?: string;
      outcome: AgUiOutcome;
      usage?: AgUiUsage[];
    }
  | { type: "RUN_ERROR"; message: string; code?: string; usage?: AgUiUsage[] }
  | { type: "STEP_STARTED" | "STEP_FINISHED"; stepName: string }
  | ({ type: "TEXT_MESSAGE_START"; messageId: string; role: "assistant" | "user" } & Attributed)
  | ({ type: "TEXT_MESSAGE_CONTENT"; messageId: string; delta: string } & Attributed)
  | ({ type: "TEXT_MESSAGE_END"; messageId: string } & Attributed)
  | { type: "REASONING_START" | "REASONING_END" | "REASONING_MESSAGE_END"; messageId: string }
  | { type: "REASONING_MESSAGE_START"; messageId: string; role: "reasoning" }
  | { type: "REASONING_MESSAGE_CONTENT"; messageId: string; delta: string }
  | ({
      type: "TOOL_CALL_START";
      toolCallId: string;
      toolCallName: string;
      parentMessageId: string;
    } & Attributed)
  | ({ type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string } & Attributed)
  | ({ type: "TOOL_CALL_END"; toolCallId: string } & Attributed)
  | ({
      type: "TOOL_CALL_RESULT";
      messageId: string;
      toolCallId: string;
      content: string | AgUiPart[];
      role: "tool";
      metadata?: JsonObject;
    } & Attributed)
  | { type: "STATE_SNAPSHOT"; snapshot: AgUiState }
  | { type: "STATE_DELTA"; delta: StatePatch[] }
  | {
      type: "SUBAGENT_STARTED";
      subagentRunId: string;
      name: string;
      description?: string;
      parentToolCallId: string;
      parentSubagentRunId?: string;
    }
  | {
      type: "SUBAGENT_FINISHED";
      subagentRunId: string;
      result?: string;
      outcome: { type: "success" } | { type: "suspended"; interruptIds?: string[] };
    }
  | { type: "SUBAGENT_ERROR"; subagentRunId: string; message: string; code?: string }
  /** `name`: the session's own event; `value`: its fields. */
  | { type: "CUSTOM"; name: string; value: JsonObject }
);
