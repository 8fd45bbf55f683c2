import type { SessionEventOf } from "../session/log/events.ts";
import { INTERRUPTED } from "./attributes.ts";
import { type TimedSpan, recordChat, startAgent, startTool } from "./spans.ts";
import type { Telemetry, TelemetrySpan } from "./telemetry.ts";

interface Subagent {
  turn: TimedSpan;
  model: string;
  tools: Map<string, TimedSpan>;
  /** Time of the last message, after which the next request to the model began. */
  requestTime: number;
}

/** Spans of a session's subagents, below the calls that started them. */
export class SubagentSpans {
  readonly #telemetry: Telemetry;
  readonly #running = new Map<string, Subagent>();

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  spanOf(agentId: string | undefined): TelemetrySpan | undefined {
    return agentId === undefined ? undefined : this.#running.get(agentId)?.turn.span;
  }

  /** `parent` is the span of the call or turn that started it. */
  start(event: SessionEventOf<"agent_start">, parent: TelemetrySpan | undefined): void {
    const { agentId, agent, model, sessionId, time, startedBy } = event;
    const turn = startAgent(
      this.#telemetry,
      { conversationId: sessionId, name: agent, id: agentId, model, time },
      this.spanOf(startedBy) ?? parent,
    );
    this.#running.set(agentId, { turn, model, tools: new Map(), requestTime: time });
  }

  applyMessage({ agentId, entry, used, time, sessionId }: SessionEventOf<"agent_message">): void {
    const agent = this.#running.get(agentId);
    if (!agent) return;
    const { turn, tools, requestTime } = agent;
    agent.requestTime = time;
    if (entry.role === "assistant") {
      const { model = agent.model, usage } = used ?? {};
      const facts = { conversationId: sessionId, model, usage };
      recordChat(this.#telemetry, turn.span, { ...facts, startTime: requestTime, endTime: time });
      for (const { id, name } of entry.toolCalls ?? [])
        tools.set(id, startTool(this.#telemetry, turn.span, { tool: name, toolCallId: id, time }));
    } else if (entry.role === "tool" && entry.toolCallId !== undefined) {
      tools.get(entry.toolCallId)?.end({ time, errorType: entry.isError ? "_OTHER" : undefined });
      tools.delete(entry.toolCallId);
    }
  }

  end({ agentId, state, error, time }: SessionEventOf<"agent_end">): void {
    this.#end(agentId, time, state === "complete" ? undefined : (error?.code ?? state));
  }

  close(time: number): void {
    for (const agentId of this.#running.keys()) this.#end(agentId, time, INTERRUPTED);
  }

  #end(agentId: string, time: number, errorType: string | undefined): void {
    const agent = this.#running.get(agentId);
    this.#running.delete(agentId);
    for (const tool of agent?.tools.values() ?? []) tool.end({ time, errorType: INTERRUPTED });
    agent?.turn.end({ time, errorType });
  }
}
