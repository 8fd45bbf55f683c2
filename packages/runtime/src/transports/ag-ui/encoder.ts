import { contentText, type JsonObject } from "../../messages/message.ts";
import type { SessionEvent, SessionEventOf } from "../../session/log/events.ts";
import type { AgUiEvent, AgUiState } from "./events.ts";
import { partsOf } from "./parts.ts";
import {
  closeRun,
  countUsage,
  endOpen,
  enterStep,
  finishRun,
  interruptRun,
  newRunState,
  type RunState,
  startRun,
  takeUsage,
} from "./run-state.ts";
import { agentEnd, agentMessage, agentStart } from "./subagents.ts";

/** Translates one event after the other. */
export type AgUiEncoder = (event: SessionEvent) => AgUiEvent[];

export interface AgUiEncoderOptions {
  /** Id of the conversation; the session's when omitted. */
  threadId?: string | undefined;
  /** Id of the next run; the turn's, with a number from its second run on, when omitted. */
  runId?: string | undefined;
}

/**
 * Encodes a session's events as AG-UI 1.0. A turn is a run; where it asks a person it ends with the interrupt outcome, and
 * a new run continues it. Needs nothing but the events, in order, from the start of a turn on.
 */
export function agUiEncoder({ threadId, runId }: AgUiEncoderOptions = {}): AgUiEncoder {
  const state = newRunState();
  return (event) => {
    const { turnId, time: timestamp } = event;
    state.threadId = threadId ?? event.sessionId;
    if (turnId !== undefined && turnId !== state.turnId) {
      Object.assign(state, { turnId, isTurnOpen: true, runs: 0, rounds: 0, isPrompted: false });
      state.streamed.clear();
    }
    const changes = shareState(state, event);
    if (!state.isTurnOpen) {
      // Between runs, only the state changes; the next run begins with all of it.
      if (event.type === "agent_start") state.agents.set(event.agentId, event);
      if (event.type === "agent_end") state.agents.delete(event.agentId);
      return [];
    }
    // Begins no run by itself: the next one's snapshot has it.
    if (state.runId === undefined && changes.length > 0 && !event.type.startsWith("permission_"))
      return [];
    const nextId = state.runs === 0 ? state.turnId : `${state.turnId}-${state.runs + 1}`;
    const events = state.runId === undefined ? startRun(state, runId ?? nextId ?? "") : changes;
    events.push(...runEvents(state, event));
    return events.map((encoded) => ({ ...encoded, timestamp }));
  };
}

/** Takes over what an event changes of the shared state. */
function shareState(state: RunState, event: SessionEvent): AgUiEvent[] {
  const change = changeOf(state.shared, event);
  if (!change) return [];
  Object.assign(state.shared, change);
  const delta = Object.entries(change).map(([key, value]) => ({
    op: "replace" as const,
    path: `/${key as keyof AgUiState}` as const,
    value: structuredClone(value),
  }));
  return [{ type: "STATE_DELTA", delta }];
}

function changeOf(shared: AgUiState, event: SessionEvent): Partial<AgUiState> | undefined {
  const { pendingPermissions } = shared;
  switch (event.type) {
    case "session_init":
      return { permissionMode: event.permissionMode };
    case "mode_change":
      return { permissionMode: event.mode };
    case "context_update": {
      const { usedTokens, maxTokens, usedPercentage } = event;
      return { context: { usedTokens, maxTokens, usedPercentage } };
    }
    case "queue_update":
      return { queue: event.queue };
    case "permission_request":
      return { pendingPermissions: [...pendingPermissions, event.request] };
    case "permission_decision":
      return { pendingPermissions: pendingPermissions.filter(({ id }) => id !== event.requestId) };
    default:
      return undefined;
  }
}

function runEvents(state: RunState, event: SessionEvent): AgUiEvent[] {
  switch (event.type) {
    case "user_message":
      return steered(state, event);
    case "text_delta":
      return words(state, "text", event.messageId, event.delta);
    case "thinking_delta":
      return words(
        state,
        "reasoning",
        `${event.messageId}-reasoning`,
        event.delta,
        event.messageId,
      );
    case "assistant_message":
      return answered(state, event);
    case "permission_request":
      return interruptRun(state, state.shared.pendingPermissions);
    case "tool_end":
      return result(event);
    case "agent_start":
      return agentStart(state, event);
    case "agent_message":
      return agentMessage(state, event);
    case "agent_end":
      return agentEnd(state, event);
    case "tool_output":
    case "permission_auto":
    case "permission_decision":
    case "compaction":
    case "tool_results_cleared":
    case "hook_run":
    case "note":
      return [custom(event)];
    case "turn_end":
      return turnEnd(state, event);
    default:
      return [];
  }
}

/** An event of the session that the protocol has no own for. */
function custom(event: SessionEvent): AgUiEvent {
  const {
    type: name,
    v: _v,
    seq: _seq,
    sessionId: _id,
    time: _time,
    turnId: _turn,
    ...rest
  } = event;
  return { type: "CUSTOM", name, value: JSON.parse(JSON.stringify(rest)) as JsonObject };
}

function words(
  state: RunState,
  kind: "text" | "reasoning",
  messageId: string,
  delta: string,
  step = messageId,
): AgUiEvent[] {
  const isOpen = state.open?.messageId === messageId;
  // Blank lines between the rounds of a turn.
  if (!isOpen && delta.trim() === "") return [];
  const events = [...enterStep(state, step), ...(isOpen ? [] : endOpen(state))];
  if (kind === "text") state.streamed.add(messageId);
  if (!isOpen && kind === "text") {
    events.push({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  } else if (!isOpen) {
    events.push(
      { type: "REASONING_START", messageId },
      { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
    );
  }
  state.open = { kind, messageId };
  const content = kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT";
  return [...events, { type: content, messageId, delta }];
}

/** A message of a person behind the turn's prompt, which its sender has already. */
function steered(
  state: RunState,
  { message: { role, id: messageId, content } }: SessionEventOf<"user_message">,
): AgUiEvent[] {
  if (!state.isPrompted) {
    state.isPrompted = true;
    return [];
  }
  if (role !== "user") return [];
  return [
    ...endOpen(state),
    { type: "TEXT_MESSAGE_START", messageId, role: "user" },
    { type: "TEXT_MESSAGE_CONTENT", messageId, delta: contentText(content) },
    { type: "TEXT_MESSAGE_END", messageId },
  ];
}

function answered(state: RunState, { message }: SessionEventOf<"assistant_message">): AgUiEvent[] {
  const { id, content, toolCalls = [], usage, error } = message;
  if (usage) countUsage(state, usage, message);
  // The session's own words about a failure, which the turn's end reports.
  if (error && !state.streamed.has(id)) return [];
  const events = enterStep(state, id);
  if (!state.streamed.has(id)) events.push(...words(state, "text", id, contentText(content)));
  events.push(...endOpen(state));
  const parts = partsOf(content);
  // The protocol's own messages of an assistant are text.
  if (typeof parts !== "string") {
    const value = { messageId: id, parts: JSON.parse(JSON.stringify(parts)) as JsonObject[] };
    events.push({ type: "CUSTOM", name: "answer_parts", value });
  }
  for (const { id: toolCallId, name: toolCallName, args, rawArgs } of toolCalls) {
    events.push(
      { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: id },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: rawArgs ?? JSON.stringify(args) },
      { type: "TOOL_CALL_END", toolCallId },
    );
  }
  return events;
}

/** `metadata.robota`: the outcome beside the text, such as the exit code and the changes of files. */
function result({ toolCallId, message, outcome }: SessionEventOf<"tool_end">): AgUiEvent[] {
  const { memory: _memory, answers: _answers, ...facts } = outcome;
  return [
    {
      type: "TOOL_CALL_RESULT",
      messageId: message.id,
      toolCallId,
      content: partsOf(message.content),
      role: "tool",
      metadata: { robota: JSON.parse(JSON.stringify(facts)) as JsonObject },
    },
  ];
}

function turnEnd(
  state: RunState,
  { state: outcome, response, error }: SessionEventOf<"turn_end">,
): AgUiEvent[] {
  state.isTurnOpen = false;
  if (outcome === "complete") return finishRun(state, { type: "success" }, response);
  if (outcome === "interrupted") return finishRun(state, { type: "cancelled" });
  const events = closeRun(state);
  const usage = takeUsage(state);
  state.runId = undefined;
  const { message = "The turn failed.", code = "FAILED" } = error ?? {};
  return [...events, { type: "RUN_ERROR", message, code, ...usage }];
}
