import { defined } from "../../defined.ts";
import { addUsage, noUsage } from "../../context/usage.ts";
import type { TokenUsage, UserMessage } from "../../messages/message.ts";
import type { Clock } from "../../ports/assemble.ts";
import type {
  AgentEvent,
  ModelUsage,
  SessionEvent,
  SessionEventBody,
  SessionEventOf,
} from "../log/events.ts";
import type { SessionState } from "../state/state.ts";

type AgentStart = SessionEventOf<"agent_start">;

/** Longest name of an agent that is repeated to the model. */
const MAX_NAME = 80;
const OUTCOMES = { complete: "has finished", failed: "has failed", interrupted: "was interrupted" };

/** A message to the model about subagents in the background that have ended since the last one, if there are any. */
export function agentReports({ agents }: SessionState, clock: Clock): SessionEventBody[] {
  const ended = agents.filter((event) => event.type === "agent_end");
  if (ended.length === 0) return [];
  const message: UserMessage = {
    role: "user",
    id: clock.randomUUID(),
    timestamp: new Date(clock.now()),
    content: ended.map((end) => notice(end, startOf(agents, end.agentId))).join("\n"),
    metadata: { agents: ended.map(({ agentId }) => agentId) },
  };
  return [{ type: "user_message", message }];
}

/** Only facts of the session itself: an agent's own words may be anybody's, and come as the result of a call. */
function notice({ agentId, state }: SessionEventOf<"agent_end">, start?: AgentStart): string {
  const name = (start?.agent ?? "").replace(/[^\w:-]/g, "").slice(0, MAX_NAME);
  return `[The background agent "${name}" ${OUTCOMES[state]}: collect its report by its id, ${agentId}.]`;
}

/** True for a message that `agentReports` wrote. */
export function isAgentReport(event: SessionEvent): boolean {
  return event.type === "user_message" && event.message.metadata?.["agents"] !== undefined;
}

/** The event with which an agent began that is not over for the model. */
export function startOf(agents: readonly AgentEvent[], agentId: string): AgentStart | undefined {
  return agents.find(
    (event): event is AgentStart => event.type === "agent_start" && event.agentId === agentId,
  );
}

/** The events that end the agents of an earlier page or process, which do not run here. */
export function interruptedAgents({ agents, pendingRequests }: SessionState): SessionEventBody[] {
  const hasEnded = (id: string): boolean =>
    agents.some(({ type, agentId }) => type === "agent_end" && agentId === id);
  return agents.flatMap((start): SessionEventBody[] => {
    if (start.type !== "agent_start" || hasEnded(start.agentId)) return [];
    const { parentId, agentId, background, isolation } = start;
    const used = background ? usedFor(agents, agentId) : [];
    const asked = [...pendingRequests.values()].filter(({ agent }) => agent?.id === agentId);
    const lost = isolation ? " Its changes in its copy of the files are lost." : "";
    return [
      ...asked.map(({ id, toolCallId }): SessionEventBody => ({
        type: "permission_decision",
        parentId,
        requestId: id,
        toolCallId,
        decision: { allow: false, by: "abort", reason: "The agent was interrupted." },
      })),
      defined({
        type: "agent_end",
        parentId,
        agentId,
        state: "interrupted",
        response: "",
        used: used.length > 0 ? used : undefined,
        error: {
          code: "AGENT_INTERRUPTED",
          message: `The agent was interrupted: the page or process that it ran in has ended.${lost}`,
        },
      }),
    ];
  });
}

/** The usage of an agent and of its descendants, by model. */
function usedFor(agents: readonly AgentEvent[], id: string): ModelUsage[] {
  const used = agents.flatMap((event): [string, TokenUsage][] =>
    event.type === "agent_message" && event.used && outermost(agents, event.agentId) === id
      ? [[event.used.model, event.used.usage]]
      : [],
  );
  return byModel(used);
}

/** The agent of the session itself that an agent works for. */
function outermost(agents: readonly AgentEvent[], id: string): string {
  const { startedBy } = startOf(agents, id) ?? {};
  return startedBy === undefined || startedBy === id ? id : outermost(agents, startedBy);
}

/** Sums tokens up by model. */
export function byModel(used: readonly (readonly [string, TokenUsage])[]): ModelUsage[] {
  const sums = new Map<string, TokenUsage>();
  for (const [model, usage] of used) {
    const sum = sums.get(model) ?? noUsage();
    addUsage(sum, usage);
    sums.set(model, sum);
  }
  return [...sums].map(([model, usage]) => ({ model, usage }));
}
