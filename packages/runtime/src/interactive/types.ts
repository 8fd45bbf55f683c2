import type { ErrorFacts } from "../errors.ts";
import type { ContextWindowState } from "../context/tracker.ts";
import type { HistoryEntry } from "../messages/history.ts";
import type { TokenUsage } from "../messages/message.ts";
import type { PermissionRequest, SessionEvent } from "../session/log/events.ts";
import type { ToolState, ToolSummary } from "../session/state/tool-state.ts";

/** The outcome of a turn. */
export interface ExecutionResult {
  turnId: string;
  state: "complete" | "interrupted" | "failed";
  /** The final answer, or the text that had arrived. */
  response: string;
  history: readonly HistoryEntry[];
  toolSummaries: ToolSummary[];
  contextState: ContextWindowState;
  /** Usage of all model calls in this turn; absent for a turn that never began. */
  usage?: TokenUsage;
  /** US dollars, when the model's prices are known. */
  cost?: number;
  /** The value of the answer to a prompt with a `responseFormat`. */
  output?: unknown;
  /** Set when `state` is `failed`, and with the code `RESPONSE_FORMAT` when the answer is not in the prompt's format. */
  error?: ErrorFacts;
}

/** The named views of the event stream that `InteractiveSession.on` offers. */
export interface InteractiveSessionEvents {
  text_delta: (delta: string) => void;
  tool_start: (tool: ToolState) => void;
  tool_end: (tool: ToolState) => void;
  /** `true` when a turn begins and `false` before its end is reported, whatever the model does in between. */
  thinking: (isThinking: boolean) => void;
  complete: (result: ExecutionResult) => void;
  error: (error: Error) => void;
  context_update: (state: ContextWindowState) => void;
  interrupted: (result: ExecutionResult) => void;
  permission_request: (request: PermissionRequest) => void;
  /** Every event of the session, in order, as `events()` gives it. */
  event: (event: SessionEvent) => void;
}
