import type { AnswerFormat, ChatOptions } from "../../providers/provider.ts";
import type { AgentEvent, PermissionDecisionRecord, PermissionRequest } from "../log/events.ts";
import type { ToolState, ToolSummary } from "./tool-state.ts";

/** The calls of the open turn, by tool call id; requests have ids of their own. */
export class OpenCalls {
  readonly active = new Map<string, ToolState>();
  readonly pending = new Map<string, PermissionRequest>();
  readonly decisions = new Map<string, PermissionDecisionRecord>();
  /** Protected files that the request of an allowed call showed. */
  readonly shownFiles = new Map<string, readonly string[]>();

  decide(requestId: string, toolCallId: string, decision: PermissionDecisionRecord): void {
    const { protectedFiles } = this.pending.get(requestId)?.preview ?? {};
    if (decision.allow && protectedFiles) this.shownFiles.set(toolCallId, protectedFiles);
    this.pending.delete(requestId);
    this.decisions.set(toolCallId, decision);
  }

  /** The requests of agents that go on when a turn has ended; `undefined` without agents. */
  of(agents: readonly AgentEvent[]): OpenCalls | undefined {
    if (agents.length === 0) return undefined;
    const rest = new OpenCalls();
    for (const [id, request] of this.pending)
      if (agents.some(({ agentId }) => agentId === request.agent?.id))
        rest.pending.set(id, request);
    return rest;
  }

  /** Forgets a call: a later answer of the model may reuse the id for another one. */
  end(toolCallId: string): void {
    this.active.delete(toolCallId);
    this.decisions.delete(toolCallId);
    this.shownFiles.delete(toolCallId);
  }
}

/** An empty, read-only instance for turns without calls. */
export const NO_CALLS: OpenCalls = new OpenCalls();

/** A turn that has begun and not ended. */
export interface OpenTurn {
  turnId: string;
  /** Ids of the person's messages in it. */
  messageIds: string[];
  toolSummaries: ToolSummary[];
  /** Names of the skills that it uses: their permission rules are in force until it ends. */
  skills: string[];
  /** The model and the effort that they chose, for its further calls. */
  skillModel?: Pick<ChatOptions, "model" | "effort"> | undefined;
  /** The form of its final answer; the session's own when absent. */
  responseFormat?: AnswerFormat | undefined;
}
