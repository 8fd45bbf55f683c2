import type { HistoryEntry } from "../session/history.ts";
import type { PermissionRequest, SessionEvent, TurnFailure } from "../session/events.ts";
import type { FileChange } from "../tools/tool.ts";

export interface ContextWindowState {
  maxTokens: number;
  usedTokens: number;
  /** 0 to 100, two decimals. */
  usedPercentage: number;
  remainingPercentage: number;
}

/** A tool call as a user interface shows it. */
export interface ToolState {
  toolCallId: string;
  toolName: string;
  /** The main argument, shortened to 80 characters. */
  firstArg: string;
  isRunning: boolean;
  result?: "success" | "error" | "denied";
  changes?: FileChange[];
}

export interface ToolSummary {
  toolName: string;
  firstArg: string;
  result: "success" | "error" | "denied";
}

/** How a turn ended. */
export interface ExecutionResult {
  turnId: string;
  state: "complete" | "interrupted" | "failed";
  /** The final answer, or the text that had arrived. */
  response: string;
  history: readonly HistoryEntry[];
  toolSummaries: ToolSummary[];
  contextState: ContextWindowState;
  /** There when `state` is `failed`. */
  error?: TurnFailure;
}

/** The named views of the event stream that `InteractiveSession.on` offers. */
export interface InteractiveSessionEvents {
  text_delta: (delta: string) => void;
  tool_start: (tool: ToolState) => void;
  tool_end: (tool: ToolState) => void;
  thinking: (isThinking: boolean) => void;
  complete: (result: ExecutionResult) => void;
  error: (error: Error) => void;
  context_update: (state: ContextWindowState) => void;
  interrupted: (result: ExecutionResult) => void;
  permission_request: (request: PermissionRequest) => void;
  /** Every event of the session, in order, as `events()` gives it. */
  event: (event: SessionEvent) => void;
}
