import type { ErrorFacts } from "../errors.ts";
import type { ContextWindowState } from "../context/tracker.ts";
import type { HistoryEntry } from "../messages/history.ts";
import type { Attachment, TokenUsage } from "../messages/message.ts";
import type { PermissionRequest, SessionEvent, TurnRequest } from "../session/log/events.ts";
import type { ToolState, ToolSummary } from "../session/state/tool-state.ts";

/** More about a prompt. */
export interface SubmitOptions {
  /** Text for the history instead of the prompt. */
  displayInput?: string | undefined;
  /** Text for hooks instead of the prompt. */
  rawInput?: string | undefined;
  /**
   * Ends this prompt: takes it out of the queue, or stops its turn, which keeps its text so far. Other prompts go on. `submit`
   * resolves as interrupted.
   */
  signal?: AbortSignal | undefined;
  /** The client's request behind it, recorded with the turn. */
  request?: TurnRequest | undefined;
  /** Name of the skill whose instructions it is. */
  skill?: string | undefined;
  /** Images and files behind the text. */
  attachments?: readonly Attachment[] | undefined;
}

/** The arguments of `submit` behind its prompt: its options, or the places that the specification gives to some of them. */
export type SubmitArguments =
  | [options?: SubmitOptions]
  | [displayInput: string | undefined, rawInput?: string | undefined, options?: SubmitOptions];

/** The options among the arguments of `submit`. */
export function submitOptions([first, rawInput, options]: SubmitArguments): SubmitOptions {
  return typeof first === "object" ? first : { displayInput: first, rawInput, ...options };
}

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
  /** Set when `state` is `failed`. */
  error?: ErrorFacts;
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
