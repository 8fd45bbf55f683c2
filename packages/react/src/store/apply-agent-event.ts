import type { PermissionRequest } from "@robota/runtime";
import type { SessionEventOf } from "@robota/runtime/sessions";
import { newTool, settleItem } from "./apply-turn-event.ts";
import type { Draft } from "./draft.ts";
import type { SubagentRun, ToolItem } from "./session-view.ts";

type AgentEvent = SessionEventOf<"agent_start" | "agent_message" | "agent_end">;

/** Applies an event of a subagent to the call that started it. */
export function applyAgentEvent(draft: Draft, event: AgentEvent): void {
  switch (event.type) {
    case "agent_start":
      return start(draft, event);
    case "agent_message":
      return changeAgent(draft, event, (run) => withMessage(run, event));
    case "agent_end":
      draft.set({ agents: draft.get("agents").filter(({ id }) => id !== event.agentId) });
      return changeAgent(draft, event, (run) => ({
        ...run,
        state: event.state,
        calls: run.calls.map(settleItem),
        endedAt: event.time,
      }));
  }
}

/** Replaces the call that a request is about. That of a subagent may not be there yet. */
export function changeAskedCall(
  draft: Draft,
  { agent, toolCallId, tool, args }: PermissionRequest,
  change: (call: ToolItem) => ToolItem,
): void {
  if (!agent) return draft.changeTool(toolCallId, change);
  const of = { parentId: agent.toolCallId, agentId: agent.id };
  changeAgent(draft, of, (run) =>
    changeCall(withCall(run, toolCallId, tool, args), toolCallId, change),
  );
}

function start(draft: Draft, event: SessionEventOf<"agent_start">): void {
  const { agentId: id, agent, description: work = event.prompt, background, parentId } = event;
  const isBackground = background ?? false;
  const run = { id, agent, work };
  if (isBackground) draft.set({ agents: [...draft.get("agents"), run] });
  draft.changeToolAnywhere(parentId, (tool) => ({
    ...tool,
    agents: [
      ...(tool.agents ?? []),
      { ...run, isBackground, state: "running", calls: [], startedAt: event.time },
    ],
  }));
}

function changeAgent(
  draft: Draft,
  { parentId, agentId }: Pick<AgentEvent, "parentId" | "agentId">,
  change: (run: SubagentRun) => SubagentRun,
): void {
  draft.changeToolAnywhere(parentId, (tool) => {
    if (!tool.agents?.some(({ id }) => id === agentId)) return tool;
    return { ...tool, agents: tool.agents.map((run) => (run.id === agentId ? change(run) : run)) };
  });
}

/** Ids of its calls are those of the session, as requests have them. */
function withMessage(run: SubagentRun, event: SessionEventOf<"agent_message">): SubagentRun {
  const { parentId, entry } = event;
  const idOf = (id: string): string => `${parentId}/${id}`;
  if (entry.role === "assistant") {
    const calls = entry.toolCalls ?? [];
    return calls.reduce((all, { id, name, args }) => withCall(all, idOf(id), name, args), run);
  }
  if (entry.role !== "tool" || entry.toolCallId === undefined) return run;
  return changeCall(run, idOf(entry.toolCallId), (call) => {
    const isDenied = call.phase === "denied";
    const phase = isDenied ? "denied" : entry.isError ? "failed" : "done";
    return { ...call, phase, output: entry.text };
  });
}

/** The run with this call, which runs already: subagents report results, not starts. */
function withCall(run: SubagentRun, id: string, tool: string, args: ToolItem["args"]): SubagentRun {
  if (run.calls.some((call) => call.id === id)) return run;
  return { ...run, calls: [...run.calls, newTool(id, tool, args, "running")] };
}

function changeCall(
  run: SubagentRun,
  id: string,
  change: (call: ToolItem) => ToolItem,
): SubagentRun {
  return { ...run, calls: run.calls.map((call) => (call.id === id ? change(call) : call)) };
}
