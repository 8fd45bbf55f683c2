import { runningAgents } from "./running-agents.ts";
import { type AgentTranscript, readTranscripts, type TranscriptParts } from "./transcripts.ts";

export interface AgentParts extends TranscriptParts {
  readonly toolState: Map<string, unknown>;
}

/** The subagents of one session. */
export class SessionAgents {
  readonly #parts: AgentParts;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  /**
   * All of them in the order of their starts, each with its conversation, also those of earlier pages and processes.
   * Long texts are cut: 20,000 characters a message, a million an agent.
   * @throws {ConfigurationError} for a session without storage
   */
  list(): Promise<AgentTranscript[]> {
    return readTranscripts(this.#parts, runningAgents(this.#parts.toolState));
  }

  /** The conversation of one; `undefined` for an unknown id. @throws {ConfigurationError} as `list` */
  async transcript(agentId: string): Promise<AgentTranscript | undefined> {
    return (await this.list()).find(({ id }) => id === agentId);
  }

  /** Ends one, and not the turn. Resolves to false when it does not run. */
  stop(agentId: string): Promise<boolean> {
    return runningAgents(this.#parts.toolState).stop(agentId);
  }
}
