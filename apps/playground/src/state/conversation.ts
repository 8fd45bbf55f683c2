import {
  contentText,
  type PermissionMode,
  type PermissionRequest,
  type SessionEvent,
  type TokenUsage,
  type ToolArgs,
} from "@robota/runtime";
import { type PermissionDecisionRecord } from "@robota/runtime/permissions";
import { type ErrorFacts } from "@robota/runtime/ports";
import { type SessionEventOf, type ToolOutcome } from "@robota/runtime/sessions";
import { hasErrorCode } from "@robota/runtime/tools";

export interface TextItem {
  kind: "text";
  id: string;
  text: string;
  streaming: boolean;
}

export interface ThinkingItem {
  kind: "thinking";
  id: string;
  text: string;
  streaming: boolean;
}

/** A message that a person added while the turn was running. */
export interface SteerItem {
  kind: "steer";
  id: string;
  text: string;
}

/**
 * `waiting` is for a person; `denied` and `blocked` (by a hook) never ran; `stopped` was cut, so its outcome may be
 * unknown.
 */
export type ToolPhase =
  | "queued"
  | "waiting"
  | "running"
  | "done"
  | "failed"
  | "denied"
  | "blocked"
  | "stopped";

export interface ToolItem {
  kind: "tool";
  id: string;
  tool: string;
  args: ToolArgs;
  phase: ToolPhase;
  /** Output so far, and finally the result for the model. */
  output: string;
  startedAt?: number;
  request?: PermissionRequest;
  decision?: PermissionDecisionRecord;
  outcome?: ToolOutcome;
}

export type TurnItem = TextItem | ThinkingItem | SteerItem | ToolItem;

export interface Turn {
  kind: "turn";
  id: string;
  prompt: string;
  /** `running` until the session says that it ended. */
  state: "running" | "complete" | "interrupted" | "failed";
  items: readonly TurnItem[];
  startedAt: number;
  endedAt?: number;
  usage?: TokenUsage;
  /** The provider counted nothing; the numbers of `usage` are its guess. */
  isEstimated?: boolean;
  error?: ErrorFacts;
  /** The page went away in the middle, and nothing has happened in the turn since. */
  cut: boolean;
}

/** A change of the model's context between turns. */
export interface Divider {
  kind: "divider";
  id: string;
  label: string;
  /** Further text, such as the summary that replaced older messages. */
  detail?: string;
}

export interface ContextUse {
  usedTokens: number;
  maxTokens: number;
  usedPercentage: number;
  exact: boolean;
}

/** A session as a person sees it: a fold of its events. */
export interface ConversationView {
  timeline: readonly (Turn | Divider)[];
  /** Open requests for permission, oldest first. */
  requests: readonly PermissionRequest[];
  /** Prompts that wait for the running turn. */
  queue: readonly string[];
  mode: PermissionMode;
  name: string;
  provider: string;
  model: string;
  context?: ContextUse;
}

export const emptyConversation: ConversationView = {
  timeline: [],
  requests: [],
  queue: [],
  mode: "default",
  name: "",
  provider: "",
  model: "",
};

/** True when token counts are a provider's estimates. */
export function hasEstimates(conversation: ConversationView): boolean {
  const last = conversation.timeline.findLast((entry) => entry.kind === "turn");
  return last?.kind === "turn" && last.isEstimated === true;
}

/** The turn that has not ended, if there is one. */
export function runningTurn(conversation: ConversationView): Turn | undefined {
  const last = conversation.timeline.at(-1);
  return last?.kind === "turn" && last.state === "running" ? last : undefined;
}

/** The conversation after one more event. Parts that the event does not touch stay the same objects. */
export function applyEvent(before: ConversationView, event: SessionEvent): ConversationView {
  // A subagent's events belong to the call that started it; only its permission requests concern the person directly.
  if (event.parentId !== undefined && !event.type.startsWith("permission_")) return before;

  switch (event.type) {
    case "session_init":
      return {
        ...before,
        mode: event.permissionMode,
        provider: event.provider,
        model: event.model,
      };
    case "session_resume":
      return event.cut ? markCut(before) : before;
    case "turn_start":
      return { ...before, timeline: [...before.timeline, newTurn(event)] };
    case "turn_end":
      return changeTurn(before, (turn) => ({
        ...turn,
        state: event.state,
        endedAt: event.time,
        items: turn.items.map(settleItem),
        ...(event.usage && { usage: event.usage }),
        ...(event.error && { error: event.error }),
      }));
    case "permission_request": {
      const asked = changeTool(before, event.request.toolCallId, (tool) => ({
        ...tool,
        phase: "waiting",
        request: event.request,
      }));
      return { ...asked, requests: [...asked.requests, event.request] };
    }
    case "permission_decision": {
      const decided = changeTool(before, event.toolCallId, (tool) => ({
        ...tool,
        phase: event.decision.allow ? "queued" : "denied",
        args: event.decision.updatedArgs ?? tool.args,
        decision: event.decision,
      }));
      return {
        ...changeTurn(decided, goesOn),
        requests: decided.requests.filter((request) => request.id !== event.requestId),
      };
    }
    case "queue_update":
      return { ...before, queue: event.queue };
    case "mode_change":
      return { ...before, mode: event.mode };
    case "name_change":
      return { ...before, name: event.name };
    case "context_update": {
      const { usedTokens, maxTokens, usedPercentage, exact } = event;
      return { ...before, context: { usedTokens, maxTokens, usedPercentage, exact } };
    }
    case "history_cleared":
      return {
        ...before,
        timeline: [{ kind: "divider", id: `cleared-${event.seq}`, label: "Conversation cleared" }],
      };
    case "compaction":
      return withDivider(before, {
        kind: "divider",
        id: `compaction-${event.seq}`,
        label: `Earlier messages summarised: ${tokens(event.before)} to ${tokens(event.after)} tokens`,
        detail: event.summary,
      });
    default:
      return applyTurnEvent(before, event);
  }
}

function newTurn(event: Extract<SessionEvent, { type: "turn_start" }>): Turn {
  return {
    kind: "turn",
    id: event.turnId ?? `turn-${event.seq}`,
    prompt: event.displayInput ?? event.input,
    state: "running",
    items: [],
    startedAt: event.time,
    cut: false,
  };
}

/** Events that only change the display of a turn. */
function applyTurnEvent(before: ConversationView, event: SessionEvent): ConversationView {
  switch (event.type) {
    case "user_message":
      return changeTurn(before, (turn) => {
        // The turn's first message is its prompt, which the heading shows.
        if (turn.items.length === 0) return turn;
        const text = contentText(event.message.content);
        return { ...turn, items: [...turn.items, { kind: "steer", id: event.message.id, text }] };
      });
    case "text_delta":
      return changeTurn(before, (turn) => appendText(turn, "text", event.messageId, event.delta));
    case "thinking_delta":
      return changeTurn(before, (turn) =>
        appendText(turn, "thinking", `${event.messageId}:thinking`, event.delta),
      );
    case "assistant_message":
      return changeTurn(before, (turn) => addAnswer(turn, event.message));
    case "tool_start":
      return changeTurn(before, (turn) => {
        const known = turn.items.some(
          (item) => item.kind === "tool" && item.id === event.toolCallId,
        );
        const items = known
          ? turn.items
          : [...turn.items, newTool(event.toolCallId, event.tool, event.args)];
        return updateTool({ ...goesOn(turn), items }, event.toolCallId, (tool) => ({
          ...tool,
          args: event.args,
          phase: "running",
          startedAt: event.time,
        }));
      });
    case "tool_output":
      return changeTool(before, event.toolCallId, (tool) => ({
        ...tool,
        output: keepTail(tool.output + event.text),
      }));
    case "tool_end":
      return changeTool(before, event.toolCallId, (tool) => ({
        ...tool,
        phase: endPhase(event),
        output: contentText(event.message.content),
        outcome: event.outcome,
      }));
    default:
      return before;
  }
}

function addAnswer(
  turn: Turn,
  message: Extract<SessionEvent, { type: "assistant_message" }>["message"],
): Turn {
  const items = turn.items.map((item) =>
    item.id === message.id || item.id === `${message.id}:thinking` ? settleItem(item) : item,
  );
  const thinkingId = `${message.id}:thinking`;
  if (typeof message.content !== "string" && !items.some((item) => item.id === thinkingId)) {
    const thought = message.content
      .map((part) => (part.type === "thinking" ? part.text : ""))
      .join("");
    if (thought) items.push({ kind: "thinking", id: thinkingId, text: thought, streaming: false });
  }
  // The turn shows a failure report, not as text of the model. And the text of a message with tool calls may be
  // withheld from the model, while people keep the streamed text.
  const text = message.error ? "" : contentText(message.content);
  const at = items.findIndex((item) => item.id === message.id);
  if (text) {
    const item: TextItem = { kind: "text", id: message.id, text, streaming: false };
    if (at < 0) items.push(item);
    else items[at] = item;
  }
  const known = new Set(items.map((item) => item.id));
  for (const call of message.toolCalls ?? []) {
    if (!known.has(call.id)) items.push(newTool(call.id, call.name, call.args));
  }
  const isEstimated = message.metadata?.["estimatedUsage"] === true;
  return { ...turn, items, ...(isEstimated && { isEstimated }) };
}

function appendText(turn: Turn, kind: "text" | "thinking", id: string, delta: string): Turn {
  const last = turn.items.at(-1);
  if (last?.id === id && (last.kind === "text" || last.kind === "thinking")) {
    return { ...turn, items: [...turn.items.slice(0, -1), { ...last, text: last.text + delta }] };
  }
  // Providers separate rounds by an empty line, which is meaningless here.
  const text = delta.replace(/^\n\n/, "");
  return { ...goesOn(turn), items: [...turn.items, { kind, id, text, streaming: true }] };
}

/** The turn has progressed, so it is no longer interrupted. */
function goesOn(turn: Turn): Turn {
  return turn.cut ? { ...turn, cut: false } : turn;
}

function newTool(id: string, tool: string, args: ToolArgs): ToolItem {
  return { kind: "tool", id, tool, args, phase: "queued", output: "" };
}

/** An item of a finished turn: nothing streams, and unfinished work was stopped. */
function settleItem(item: TurnItem): TurnItem {
  if (item.kind === "steer") return item;
  if (item.kind !== "tool") return item.streaming ? { ...item, streaming: false } : item;
  const open = item.phase === "queued" || item.phase === "waiting" || item.phase === "running";
  return open ? { ...item, phase: "stopped" } : item;
}

function endPhase({ outcome, message }: SessionEventOf<"tool_end">): ToolPhase {
  const failure = { errorCode: message.errorCode ?? outcome.errorCode };
  if (hasErrorCode(failure, "hook_blocked")) return "blocked";
  if (outcome.denied || hasErrorCode(failure, "permission_denied")) return "denied";
  if (hasErrorCode(failure, "aborted", "unknown_outcome")) return "stopped";
  return outcome.success ? "done" : "failed";
}

const LIVE_OUTPUT_LIMIT = 60_000;

/** A running command may print without end; the live view shows the tail. */
function keepTail(text: string): string {
  return text.length > LIVE_OUTPUT_LIMIT ? text.slice(-LIVE_OUTPUT_LIMIT / 2) : text;
}

function changeTurn(before: ConversationView, change: (turn: Turn) => Turn): ConversationView {
  const at = before.timeline.findLastIndex((entry) => entry.kind === "turn");
  const turn = before.timeline[at];
  if (turn?.kind !== "turn") return before;
  const changed = change(turn);
  return changed === turn ? before : { ...before, timeline: before.timeline.with(at, changed) };
}

function changeTool(
  before: ConversationView,
  toolCallId: string,
  change: (tool: ToolItem) => ToolItem,
): ConversationView {
  return changeTurn(before, (turn) => updateTool(turn, toolCallId, change));
}

function updateTool(turn: Turn, toolCallId: string, change: (tool: ToolItem) => ToolItem): Turn {
  const at = turn.items.findIndex((item) => item.kind === "tool" && item.id === toolCallId);
  const tool = turn.items[at];
  if (tool?.kind !== "tool") return turn;
  return { ...turn, items: turn.items.with(at, change(tool)) };
}

/** An interrupted turn continues only when an answer is pending; otherwise it is over. */
function markCut(before: ConversationView): ConversationView {
  const waits = before.requests.length > 0;
  return changeTurn(before, (turn) => {
    if (turn.state !== "running") return turn;
    if (waits) return { ...turn, cut: true };
    return { ...turn, cut: true, state: "interrupted", items: turn.items.map(settleItem) };
  });
}

/** During a turn, the divider precedes it: the replaced messages came earlier. */
function withDivider(before: ConversationView, divider: Divider): ConversationView {
  const open = runningTurn(before);
  const timeline = open
    ? [...before.timeline.slice(0, -1), divider, open]
    : [...before.timeline, divider];
  return { ...before, timeline };
}

function tokens(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}
