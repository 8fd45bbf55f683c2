import { defined } from "../../defined.ts";
import { costOf } from "../../context/models.ts";
import { addUsage, noUsage } from "../../context/usage.ts";
import { ConfigurationError, type ErrorFacts } from "../../errors.ts";
import type { TokenUsage } from "../../messages/message.ts";
import type { ReasoningEffort } from "../../providers/provider.ts";
import type { AgentMessage, ModelUsage, SessionEvent } from "../log/events.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionOptions } from "../options.ts";
import type { RunningAgents } from "./running-agents.ts";

/** One agent that worked for a session, or still does. */
export interface AgentSummary {
  id: string;
  /** Name of its definition. */
  agent: string;
  /** The work in a few words. */
  description?: string;
  prompt: string;
  model: string;
  /** How thoroughly it works, where the skill that it carries out sets that. */
  effort?: ReasoningEffort;
  /** The tool call of this session that it works for. */
  parentId: string;
  /** The agent that started it; absent when the session itself did. */
  startedBy?: string;
  isBackground: boolean;
  isolation?: "overlay";
  state: "running" | "complete" | "interrupted" | "failed";
  /** Its report; empty while it runs. */
  response: string;
  error?: ErrorFacts;
  /** Tokens of its answers. */
  usage: TokenUsage;
  /** US dollars, when the prices of its models are known. */
  cost?: number;
}

/** An agent with its conversation. */
export interface AgentTranscript extends AgentSummary {
  messages: readonly AgentMessage[];
}

export interface TranscriptParts {
  readonly hasStorage: boolean;
  readonly log: SessionLog;
  readonly options: Pick<SessionOptions, "models">;
}

/**
 * The agents of a session in the order of their starts, from its log.
 * @throws {ConfigurationError} for a session without storage
 */
export async function readTranscripts(
  { hasStorage, log, options }: TranscriptParts,
  running: RunningAgents,
): Promise<AgentTranscript[]> {
  const found = new Map<string, Reading>();
  for await (const events of await eventsOf(log, hasStorage))
    for (const event of events) read(found, event);
  return [...found.values()].map(({ used, messages, summary }) => {
    const usage = noUsage();
    for (const each of used) addUsage(usage, each.usage);
    const costs = used.map((each) => costOf(each.usage, each.model, options.models));
    const isPriced = costs.every((cost) => cost !== undefined);
    // One that neither ended nor runs was cut with its page or process.
    const isLost = summary.state === "running" && !running.has(summary.id) && !summary.startedBy;
    return {
      ...summary,
      ...defined({ state: isLost ? "interrupted" : undefined }),
      usage,
      ...defined({
        cost: isPriced ? costs.reduce((sum, cost) => sum + (cost ?? 0), 0) : undefined,
      }),
      messages,
    };
  });
}

async function eventsOf(
  log: SessionLog,
  hasStorage: boolean,
): Promise<AsyncIterable<readonly SessionEvent[]>> {
  await log.flush();
  const events = hasStorage ? log.storedEvents() : undefined;
  if (events) return events;
  throw new ConfigurationError("A session without storage keeps no transcripts of its agents", {
    hint: "Give it a platform with storage.",
  });
}

interface Reading {
  summary: Omit<AgentSummary, "usage" | "cost">;
  used: ModelUsage[];
  messages: AgentMessage[];
}

function read(found: Map<string, Reading>, event: SessionEvent): void {
  switch (event.type) {
    case "agent_start": {
      const { agentId: id, agent, prompt, model, parentId, background } = event;
      const { description, startedBy, isolation, effort } = event;
      const summary: Reading["summary"] = defined({
        id,
        agent,
        description,
        prompt,
        model,
        effort,
        parentId,
        startedBy,
        isBackground: background === true,
        isolation,
        state: "running",
        response: "",
      });
      found.set(id, { summary, used: [], messages: [] });
      return;
    }
    case "agent_message": {
      const reading = found.get(event.agentId);
      reading?.messages.push(event.entry);
      if (event.used) reading?.used.push(event.used);
      return;
    }
    case "agent_end": {
      const { state, response, error } = event;
      const summary = found.get(event.agentId)?.summary;
      if (summary) Object.assign(summary, defined({ state, response, error }));
      return;
    }
    default:
      return;
  }
}
