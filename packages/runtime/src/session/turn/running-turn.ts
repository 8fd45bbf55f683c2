import type { AgentRun } from "../../agent/agent-run.ts";
import type { ToolArgs } from "../../messages/message.ts";
import type { ModelAnswer } from "../../tools/tool.ts";
import type { ResumedTurn } from "./pick-up-turn.ts";

/** Messages of a person to the running turn; taken at its next step. */
export interface Steering {
  readonly texts: string[];
  /** False once it is too late for another one. */
  isOpen: boolean;
}

/** The state of a running turn besides its session's. */
export interface RunningTurn {
  running: AbortController;
  /** Plugins, budget and events. */
  agentRun: AgentRun;
  /** The texts of its `Steering`. */
  steering: string[];
  /** The arguments as approved, by started call. */
  args: Map<string, ToolArgs>;
  /** Additions of hooks to a call's result, by call. */
  contexts: Map<string, string[]>;
  /** The model's answers to a running call's own questions, by call. */
  answers: Map<string, ModelAnswer[]>;
  /** Number of times that hooks made the turn go on. */
  continuations: number;
  /** The turn up to where it was cut, when it goes on. */
  resumed: ResumedTurn | undefined;
  /** An answer that is recorded together with the step behind it. `isFinal`: with the turn's end. */
  calling?: { recorded: Promise<void>; isFinal: boolean; isRecorded?: true; failure?: unknown };
}
