import type { AgentRun } from "../../agent/agent-run.ts";
import type { ToolArgs } from "../../messages/message.ts";
import type { ModelAnswer } from "../../tools/tool.ts";

/** What a turn has beside the session that it belongs to, while it runs. */
export interface RunningTurn {
  running: AbortController;
  /** Plugins, budget and events. */
  agentRun: AgentRun;
  /** What a person says while the turn runs; taken at its next step. */
  steering: string[];
  /** By call that has started: the arguments as they were approved. */
  args: Map<string, ToolArgs>;
  /** By call: what hooks add to its result. */
  contexts: Map<string, string[]>;
  /** By call that runs: what the model answered its own questions. */
  answers: Map<string, ModelAnswer[]>;
  /** How often hooks made the turn go on. */
  continuations: number;
  /** An answer that calls tools, on its way to the record. */
  calling?: { recorded: Promise<void>; failure?: unknown };
}
