import { contentText, type ToolArgs } from "@robota/runtime";
import {
  attachmentsIn,
  isNote,
  type ModelRetry,
  type SessionEventOf,
} from "@robota/runtime/sessions";
import { hasErrorCode } from "@robota/runtime/tools";
import { changeTool, type Draft } from "./draft.ts";
import type { TextItem, ToolItem, ToolPhase, TurnItem, TurnView } from "./session-view.ts";

/** Characters of a running command's output that are kept; beyond twice as many, the head goes. */
const LIVE_OUTPUT_TAIL = 30_000;

/** The events that only change the last turn. */
export type TurnEvent = SessionEventOf<
  | "assistant_message"
  | "note"
  | "permission_auto"
  | "text_delta"
  | "thinking_delta"
  | "tool_end"
  | "tool_output"
  | "tool_start"
  | "user_message"
>;

/** Applies an event that only changes the last turn. */
export function applyTurnEvent(draft: Draft, event: TurnEvent): void {
  switch (event.type) {
    case "user_message":
      return draft.changeTurn((turn) => addSteer(turn, event));
    case "text_delta":
      return draft.changeTurn((turn) => appendText(turn, "text", event.messageId, event.delta));
    case "thinking_delta":
      return draft.changeTurn((turn) =>
        appendText(turn, "thinking", thinkingId(event.messageId), event.delta),
      );
    case "assistant_message":
      return draft.changeTurn((turn) => addAnswer(turn, event.message));
    case "tool_start":
      return draft.changeTurn((turn) => startTool(turn, event));
    case "tool_output":
      return draft.changeTool(event.toolCallId, (tool) => ({
        ...tool,
        output: keepTail(tool.output + event.text),
      }));
    case "tool_end":
      return draft.changeTool(event.toolCallId, (tool) => ({
        ...tool,
        phase: endPhase(event),
        output: contentText(event.message.content),
        outcome: event.outcome,
      }));
    case "permission_auto":
      return draft.changeTool(event.toolCallId, (tool) => decideAlone(tool, event));
    case "note":
      return applyNote(draft, event);
    default:
      // A log of a newer version may have more types.
      event satisfies never;
  }
}

function decideAlone(tool: ToolItem, event: SessionEventOf<"permission_auto">): ToolItem {
  const phase = event.decision === "deny" ? "denied" : tool.phase;
  return { ...tool, phase, automatic: event };
}

function applyNote(draft: Draft, event: SessionEventOf<"note">): void {
  const { data } = event;
  if (isNote(event, "model-retry"))
    draft.changeTurn((turn) => ({ ...turn, retry: data as ModelRetry }));
  else if (isNote(event, "summarising"))
    draft.set({ isSummarising: !(data as { isDone: boolean }).isDone });
}

/** The turn has progressed, so it is no longer interrupted and waits for no other attempt. */
export function withProgress(turn: TurnView): TurnView {
  return turn.cut || turn.retry ? { ...turn, cut: false, retry: undefined } : turn;
}

/** An item of a finished turn: nothing streams, and unfinished work was stopped. */
export function settleItem<Item extends TurnItem>(item: Item): Item {
  if (item.kind === "steer") return item;
  if (item.kind !== "tool") return item.streaming ? { ...item, streaming: false } : item;
  const isOpen = item.phase === "queued" || item.phase === "waiting" || item.phase === "running";
  return isOpen ? { ...item, phase: "stopped" } : item;
}

/** The turn's first message is its prompt; later ones came in while it ran. */
function addSteer(turn: TurnView, { message }: SessionEventOf<"user_message">): TurnView {
  if (turn.items.length === 0) {
    const attachments = attachmentsIn(message.content);
    return attachments.length > 0 ? { ...turn, attachments } : turn;
  }
  const text = contentText(message.content);
  return { ...turn, items: [...turn.items, { kind: "steer", id: message.id, text }] };
}

function appendText(
  turn: TurnView,
  kind: "text" | "thinking",
  id: string,
  delta: string,
): TurnView {
  const last = turn.items.at(-1);
  if (last?.id === id && (last.kind === "text" || last.kind === "thinking"))
    return { ...turn, items: turn.items.with(-1, { ...last, text: last.text + delta }) };
  // Providers separate rounds by an empty line, which is meaningless here.
  const text = delta.replace(/^\n\n/, "");
  return { ...withProgress(turn), items: [...turn.items, { kind, id, text, streaming: true }] };
}

function addAnswer(
  turn: TurnView,
  message: SessionEventOf<"assistant_message">["message"],
): TurnView {
  const thoughtId = thinkingId(message.id);
  const isOfMessage = ({ id }: TurnItem): boolean => id === message.id || id === thoughtId;
  const items = turn.items.map((item) => (isOfMessage(item) ? settleItem(item) : item));
  const thought = thinkingIn(message.content);
  if (thought && !items.some(({ id }) => id === thoughtId))
    items.push({ kind: "thinking", id: thoughtId, text: thought, streaming: false });
  // The turn shows a failure report, not as text of the model. And the text of a message with tool calls may be
  // withheld from the model, while people keep the streamed text.
  const text = message.error ? "" : contentText(message.content);
  if (text) {
    const item: TextItem = { kind: "text", id: message.id, text, streaming: false };
    const at = items.findIndex(({ id }) => id === message.id);
    items.splice(at < 0 ? items.length : at, 1, item);
  }
  const known = new Set(items.map(({ id }) => id));
  for (const call of message.toolCalls ?? [])
    if (!known.has(call.id)) items.push(newTool(call.id, call.name, call.args));
  const isEstimated = message.metadata?.["estimatedUsage"] === true;
  const { provider = turn.provider, model = turn.model } = message;
  const facts = { provider, model, retry: undefined };
  return { ...turn, ...facts, items, isEstimated: isEstimated || turn.isEstimated };
}

function thinkingIn(content: SessionEventOf<"assistant_message">["message"]["content"]): string {
  if (typeof content === "string") return "";
  return content.map((part) => (part.type === "thinking" ? part.text : "")).join("");
}

function startTool(turn: TurnView, event: SessionEventOf<"tool_start">): TurnView {
  const { toolCallId, tool, args, time } = event;
  const isKnown = turn.items.some(({ kind, id }) => kind === "tool" && id === toolCallId);
  const items = isKnown ? turn.items : [...turn.items, newTool(toolCallId, tool, args)];
  return changeTool({ ...withProgress(turn), items }, toolCallId, (item) => ({
    ...item,
    args,
    phase: "running",
    startedAt: time,
  }));
}

/** A call of which nothing but its beginning is known. */
export function newTool(
  id: string,
  tool: string,
  args: ToolArgs,
  phase: ToolPhase = "queued",
): ToolItem {
  return { kind: "tool", id, tool, args, phase, output: "" };
}

function endPhase({ outcome, message }: SessionEventOf<"tool_end">): ToolPhase {
  const failure = { errorCode: message.errorCode ?? outcome.errorCode };
  if (hasErrorCode(failure, "hook_blocked")) return "blocked";
  if (outcome.denied || hasErrorCode(failure, "permission_denied")) return "denied";
  if (hasErrorCode(failure, "aborted", "unknown_outcome", "secret_withheld")) return "stopped";
  return outcome.success ? "done" : "failed";
}

function thinkingId(messageId: string): string {
  return `${messageId}:thinking`;
}

function keepTail(text: string): string {
  return text.length > 2 * LIVE_OUTPUT_TAIL ? text.slice(-LIVE_OUTPUT_TAIL) : text;
}
