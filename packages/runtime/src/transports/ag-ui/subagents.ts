import { defined } from "../../defined.ts";
import type { SessionEventOf } from "../../session/log/events.ts";
import type { AgUiEvent } from "./events.ts";
import { countUsage, type RunState } from "./run-state.ts";

/** Announces a subagent to the run, which may have begun after it. */
function announce(state: RunState, agentId: string): AgUiEvent[] {
  const agent = state.agents.get(agentId);
  if (!agent || state.announced.has(agentId)) return [];
  const { agent: name, description, parentId: parentToolCallId, startedBy } = agent;
  const parents = startedBy === undefined ? [] : announce(state, startedBy);
  state.announced.add(agentId);
  const isKnown = startedBy !== undefined && state.announced.has(startedBy);
  return [
    ...parents,
    {
      type: "SUBAGENT_STARTED",
      subagentRunId: agentId,
      name,
      parentToolCallId,
      ...defined({ description, parentSubagentRunId: isKnown ? startedBy : undefined }),
    },
  ];
}

export function agentStart(state: RunState, event: SessionEventOf<"agent_start">): AgUiEvent[] {
  state.agents.set(event.agentId, event);
  return announce(state, event.agentId);
}

/** A message of a subagent's conversation, whole. Its prompt is in the call that started it. */
export function agentMessage(state: RunState, event: SessionEventOf<"agent_message">): AgUiEvent[] {
  const { agentId: subagentRunId, parentId, entry, seq, used } = event;
  if (used) countUsage(state, used.usage, used);
  const messageId = `${subagentRunId}-${seq}`;
  const { role, text, toolCalls = [], toolCallId } = entry;
  const events = announce(state, subagentRunId);
  if (role === "tool") {
    if (toolCallId === undefined) return events;
    const call = { messageId, toolCallId: `${parentId}/${toolCallId}`, subagentRunId };
    return [...events, { type: "TOOL_CALL_RESULT", ...call, content: text, role: "tool" }];
  }
  if (role === "user") return events;
  if (text !== "") {
    const message = { messageId, subagentRunId };
    events.push(
      { type: "TEXT_MESSAGE_START", ...message, role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", ...message, delta: text },
      { type: "TEXT_MESSAGE_END", ...message },
    );
  }
  for (const { id, name, args } of toolCalls) {
    const call = { toolCallId: `${parentId}/${id}`, subagentRunId };
    events.push(
      { type: "TOOL_CALL_START", ...call, toolCallName: name, parentMessageId: messageId },
      { type: "TOOL_CALL_ARGS", ...call, delta: JSON.stringify(args) },
      { type: "TOOL_CALL_END", ...call },
    );
  }
  return events;
}

export function agentEnd(
  state: RunState,
  { agentId: subagentRunId, state: outcome, response, error }: SessionEventOf<"agent_end">,
): AgUiEvent[] {
  const events = announce(state, subagentRunId);
  const isAnnounced = state.announced.delete(subagentRunId);
  state.agents.delete(subagentRunId);
  if (!isAnnounced) return events;
  if (outcome === "complete") {
    const success = { type: "success" as const };
    return [
      ...events,
      { type: "SUBAGENT_FINISHED", subagentRunId, result: response, outcome: success },
    ];
  }
  const message = error?.message ?? "The subagent was stopped.";
  const code = error?.code ?? outcome.toUpperCase();
  return [...events, { type: "SUBAGENT_ERROR", subagentRunId, message, code }];
}
