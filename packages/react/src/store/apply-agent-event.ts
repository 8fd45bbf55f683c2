import type { PermissionRequest } from "@robota/runtime";
import type { SessionEventOf } from "@robota/runtime/sessions";
import { settleItem } from "./apply-turn-event.ts";
import type { Draft } from "./draft.ts";
import type { SubagentRun, ToolItem } from "./session-view.ts";

type AgentEvent = SessionEventOf<"agent_start" | "agent_message" | "agent_end">;

/** Applies an event of a subagent to the call that started it. */
export function applyAgentEvent(draft: Draft, event: AgentEvent): void {
  switch (event.type) {
    case "agent_start":
      return start(draft, event);
    case "agent_message":
      return changeAgent(draft, event.parentId, event.agentId, (run) => withMessage(run, event));
    case "agent_end":
      draft.set({ agents: draft.get("agents").filter(({ id }) => id !== event.agentId) });
      return changeAgent(draft, event.parentId, event.agentId, (run) => ({
        ...run,
        state: event.state,
        calls: run.calls.map(settledCall),
        endedAt: event.time,
      }));
  }
}

/** Replaces the call that a subagent asks about; its message may not be there yet. */
export function changeAgentCall(
  draft: Draft,
  request: PermissionRequest,
  change: (call: ToolItem) => ToolItem,
): void {
  const { agent, toolCallId, tool, args } = request;
  if (!agent) return;
  changeAgent(draft, agent.toolCallId, agent.id, (run) => {
    const calls = run.calls.some(({ id }) => id === toolCallId)
      ? run.calls
      : [...run.calls, newCall(toolCallId, tool, args)];
    return { ...run, calls: calls.map((call) => (call.id === toolCallId ? change(call) : call)) };
  });
}

function start(draft: Draft, event: SessionEventOf<"agent_start">): void {
  const { agentId: id, agent, description: work = event.prompt, background, parentId } = event;
  const isBackground = background === true;
  if (isBackground) draft.set({ agents: [...draft.get("agents"), { id, agent, work }] });
  const state = "running";
  const run: SubagentRun = {
    id,
    agent,
    work,
    isBackground,
    state,
    calls: [],
    startedAt: event.time,
  };
  draft.changeToolAnywhere(parentId, (tool) => ({
    ...tool,
    agents: [...(tool.agents ?? []), run],
  }));
}

function changeAgent(
  draft: Draft,
  parentId: string,
  agentId: string,
  change: (run: SubagentRun) => SubagentRun,
): void {
  draft.changeToolAnywhere(parentId, (tool) => {
    if (!tool.agents?.some(({ id }) => id === agentId)) return tool;
    return { ...tool, agents: tool.agents.map((run) => (run.id === agentId ? change(run) : run)) };
  });
}

function withMessage(run: SubagentRun, event: SessionEventOf<"agent_message">): SubagentRun {
  const { parentId, entry } = event;
  if (entry.role === "assistant") {
    const known = new Set(run.calls.map(({ id }) => id));
    const calls = (entry.toolCalls ?? [])
      .map(({ id, name, args }) => newCall(callId(parentId, id), name, args))
      .filter(({ id }) => !known.has(id));
    return calls.length === 0 ? run : { ...run, calls: [...run.calls, ...calls] };
  }
  if (entry.role !== "tool" || entry.toolCallId === undefined) return run;
  const id = callId(parentId, entry.toolCallId);
  const ended = (call: ToolItem): ToolItem => {
    const isDenied = call.phase === "denied";
    const phase = isDenied ? "denied" : entry.isError ? "failed" : "done";
    return { ...call, phase, output: entry.text };
  };
  return { ...run, calls: run.calls.map((call) => (call.id === id ? ended(call) : call)) };
}

/** The id of a subagent's call in its session, as requests have it. */
function callId(parentId: string, id: string): string {
  return `${parentId}/${id}`;
}

/** Subagents report results, not starts. */
function newCall(id: string, tool: string, args: ToolItem["args"]): ToolItem {
  return { kind: "tool", id, tool, args, phase: "running", output: "" };
}

function settledCall(call: ToolItem): ToolItem {
  const settled = settleItem(call);
  return settled.kind === "tool" ? settled : call;
}
