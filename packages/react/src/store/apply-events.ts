import type { SessionEvent } from "@robota/runtime";
import { queuedPrompts, type SessionEventOf } from "@robota/runtime/sessions";
import { applyAgentEvent, changeAskedCall } from "./apply-agent-event.ts";
import { applyTurnEvent, settleItem, withProgress } from "./apply-turn-event.ts";
import { Draft } from "./draft.ts";
import { mergeDeltas } from "./merge-deltas.ts";
import type { SessionView, ToolItem } from "./session-view.ts";

/** The view after more events, in their order. Costs one copy of the timeline, however many events there are. */
export function applyEvents(before: SessionView, events: readonly SessionEvent[]): SessionView {
  const draft = new Draft(before);
  for (const event of mergeDeltas(events)) applyEvent(draft, event);
  return draft.finish();
}

function applyEvent(draft: Draft, event: SessionEvent): void {
  switch (event.type) {
    case "agent_start":
    case "agent_message":
    case "agent_end":
      return applyAgentEvent(draft, event);
    case "permission_request":
      return ask(draft, event);
    case "permission_decision":
      return decide(draft, event);
    default:
      // Whatever else a subagent does is told by its messages.
      if (event.parentId === undefined) applyOwnEvent(draft, event);
  }
}

/** Events of the session itself. Every known type has its case or is an `UnshownEvent`, so that a new one can't be overlooked. */
function applyOwnEvent(draft: Draft, event: OwnEvent): void {
  switch (event.type) {
    case "session_init":
      draft.set({ mode: event.permissionMode, provider: event.provider, model: event.model });
      return;
    case "session_resume":
      if (event.cut) markCut(draft);
      return;
    case "turn_start":
      draft.add({
        kind: "turn",
        id: event.turnId ?? `turn-${event.seq}`,
        prompt: event.displayInput ?? event.input,
        state: "running",
        items: [],
        startedAt: event.time,
        provider: draft.get("provider"),
        model: draft.get("model"),
        cut: false,
      });
      return;
    case "turn_resume":
      return goOn(draft);
    case "turn_end":
      return endTurn(draft, event);
    case "permission_revoked":
      return draft.set({
        grants: draft.get("grants").filter(({ pattern }) => pattern !== event.pattern),
      });
    case "queue_update":
      draft.set({ queue: queuedPrompts(event), isQueuePaused: event.paused ?? false });
      return;
    case "model_change":
      draft.set({ provider: event.provider, model: event.model });
      return;
    case "mode_change":
      draft.set({ mode: event.mode });
      return;
    case "name_change":
      draft.set({ name: event.name });
      return;
    case "context_update":
      return draft.set({ context: event });
    case "history_cleared": {
      const label = "Conversation cleared";
      draft.setTimeline([{ kind: "divider", id: `cleared-${event.seq}`, label }]);
      return;
    }
    case "rewind":
      return rewind(draft, event);
    case "compaction":
      // The replaced messages came before the turn that runs.
      draft.addBeforeRunning({
        kind: "divider",
        id: `compaction-${event.seq}`,
        label: `Earlier messages summarised: ${tokens(event.before)} to ${tokens(event.after)} tokens`,
        detail: event.summary,
      });
      return;
    default:
      applyTurnEvent(draft, event as Exclude<typeof event, UnshownEvent>);
  }
}

/** Known, and of no concern for this view. A type costs a page nothing, as cases would. */
type UnshownEvent = SessionEventOf<
  | "agent_collected"
  | "files_before"
  | "hook_run"
  | "language_change"
  | "session_shutdown"
  | "tool_results_cleared"
>;

type OwnEvent = Exclude<
  SessionEvent,
  SessionEventOf<
    "agent_start" | "agent_message" | "agent_end" | "permission_request" | "permission_decision"
  >
>;

function endTurn(draft: Draft, event: SessionEventOf<"turn_end">): void {
  const { state, usage, cost, error } = event;
  draft.changeTurn((turn) => ({
    ...turn,
    state,
    endedAt: event.time,
    items: turn.items.map(settleItem),
    retry: undefined,
    usage,
    cost,
    error,
  }));
  draft.set({ grants: draft.get("grants").filter(({ scope }) => scope !== "turn") });
}

function ask(draft: Draft, { request, time }: SessionEventOf<"permission_request">): void {
  changeAskedCall(draft, request, (tool) => ({
    ...tool,
    phase: "waiting",
    request,
    askedAt: time,
  }));
  draft.set({ requests: [...draft.get("requests"), request] });
}

function decide(draft: Draft, event: SessionEventOf<"permission_decision">): void {
  const { decision, requestId, toolCallId } = event;
  const request = draft.get("requests").find(({ id }) => id === requestId);
  const settle = (tool: ToolItem): ToolItem => ({
    ...tool,
    phase: !decision.allow ? "denied" : request?.agent ? "running" : "queued",
    args: decision.updatedArgs ?? tool.args,
    decision,
    answeredAt: event.time,
  });
  if (request) changeAskedCall(draft, request, settle);
  else draft.changeTool(toolCallId, settle);
  draft.changeTurn(withProgress);
  const { allow, scope = "once", pattern } = decision;
  if (allow && scope !== "once" && pattern !== undefined)
    draft.set({ grants: [...draft.get("grants"), { pattern, scope, toolCallId }] });
  draft.set({ requests: draft.get("requests").filter(({ id }) => id !== requestId) });
}

/** A turn that was cut waits for an answer, goes on, or is over: the next events tell. */
function markCut(draft: Draft): void {
  draft.changeTurn((turn) => (turn.state === "running" ? { ...turn, cut: true } : turn));
}

/** Takes the words away of an answer that did not come as a whole. */
function goOn(draft: Draft): void {
  draft.changeTurn((turn) => ({
    ...turn,
    cut: false,
    items: turn.items.filter((item) => !("streaming" in item && item.streaming)),
  }));
}

/** Going back removes turns; the rewind itself can be undone, which brings them back. */
function rewind(draft: Draft, { seq, checkpointId, what, paths }: SessionEventOf<"rewind">): void {
  const undone = draft.get("undone");
  draft.set({ undone: new Map(undone).set(`rewind-${seq}`, draft.timeline) });
  const at = draft.timeline.findIndex(({ id }) => id === checkpointId);
  const earlier = undone.get(checkpointId) ?? (at < 0 ? undefined : draft.timeline.slice(0, at));
  if (what !== "files" && earlier) draft.setTimeline(earlier);
  // Single files that went back are no break in the conversation.
  if (!paths)
    draft.addBeforeRunning({ kind: "divider", id: `rewind-${seq}`, label: REWOUND[what] });
}

type RewindScope = SessionEventOf<"rewind">["what"];

const REWOUND: Readonly<Record<RewindScope, string>> = {
  files: "Files rewound",
  conversation: "Conversation rewound",
  both: "Conversation and files rewound",
};

function tokens(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}
