import { defined } from "../../defined.ts";
import type { SessionEvent } from "../../session/log/events.ts";
import type { AiSdkUiChunk, AiSdkUiData } from "./chunks.ts";

/** The subagents so far, by their ids. */
export type KnownAgents = Map<string, AiSdkUiData["agent"]>;

/**
 * Data parts for what the protocol has no part for. Outside of a message, and for what only matters while it happens, they
 * are transient.
 */
export function dataChunks(
  agents: KnownAgents,
  event: SessionEvent,
  isInMessage: boolean,
): AiSdkUiChunk[] {
  const kept = isInMessage ? {} : { transient: true };
  switch (event.type) {
    case "context_update": {
      const { usedTokens, maxTokens, usedPercentage, exact } = event;
      const data = { usedTokens, maxTokens, usedPercentage, exact };
      return [{ type: "data-context", id: "context", data, ...kept }];
    }
    case "compaction": {
      const { trigger, summary, before, after, seq } = event;
      const data = { trigger, summary, before, after };
      return [{ type: "data-compaction", id: `compaction-${seq}`, data, ...kept }];
    }
    case "agent_start": {
      const { agentId, parentId: toolCallId, agent, prompt, description } = event;
      const named = description === undefined ? {} : { description };
      const data = { agentId, toolCallId, agent, prompt, ...named, state: "running" as const };
      agents.set(agentId, data);
      return [{ type: "data-agent", id: agentId, data, ...kept }];
    }
    case "agent_message": {
      const { agentId, parentId: toolCallId, entry } = event;
      const data = { agentId, toolCallId, role: entry.role, text: entry.text };
      return [{ type: "data-agent-message", data, transient: true }];
    }
    case "agent_end": {
      const { agentId, parentId: toolCallId, state, response } = event;
      const known = agents.get(agentId) ?? { agentId, toolCallId, agent: "", prompt: "" };
      const data = { ...known, state, response };
      agents.set(agentId, data);
      return [{ type: "data-agent", id: agentId, data, ...kept }];
    }
    case "tool_output": {
      const { toolCallId, text, stream } = event;
      const data = defined({ toolCallId, text, stream });
      return [{ type: "data-tool-output", data, transient: true }];
    }
    case "queue_update":
      return [{ type: "data-queue", data: { queue: event.queue }, transient: true }];
    case "mode_change":
      return [{ type: "data-mode", data: { mode: event.mode }, transient: true }];
    case "name_change":
      return [{ type: "data-name", data: { name: event.name }, transient: true }];
    case "note":
      return [{ type: "data-note", data: { kind: event.kind, data: event.data }, transient: true }];
    default:
      return [];
  }
}
