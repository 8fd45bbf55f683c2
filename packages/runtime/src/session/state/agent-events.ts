import type { Message } from "../../messages/message.ts";
import type { AgentEvent } from "../log/events.ts";

type AgentEvents = readonly AgentEvent[];

/** The events of the agents that are not over for the model, after one more. */
export function agentsAfter(agents: AgentEvents, event: AgentEvent): AgentEvents {
  const { type, agentId } = event;
  const isInBackground = agents.some((one) => one.agentId === agentId && "background" in one);
  const isOver = type === "agent_collected" || (type === "agent_end" && !isInBackground);
  return isOver ? without(agents, [agentId]) : [...agents, event];
}

/** The same, after a message that may report the ends of some. */
export function agentsNotIn(agents: AgentEvents, { metadata }: Message): AgentEvents {
  const reported = metadata?.["agents"];
  return Array.isArray(reported) ? without(agents, reported) : agents;
}

/** The same, in a conversation that ends before an event: it knows nothing of the agents that began behind that. */
export function agentsBefore(agents: AgentEvents, seq: number): AgentEvents {
  const later = agents.filter((one) => one.type === "agent_start" && one.seq >= seq);
  return without(
    agents,
    later.map(({ agentId }) => agentId),
  );
}

function without(agents: AgentEvents, ids: readonly unknown[]): AgentEvents {
  return agents.filter(({ agentId }) => !ids.includes(agentId));
}
