import type { HookFields } from "../../hooks/events.ts";
import type { HookOutcome } from "../../hooks/outcome.ts";
import type { Platform } from "../../ports/platform.ts";
import type { PermissionExplanation } from "../../permissions/evaluate.ts";
import type { Tool, ToolContext, ToolResult } from "../../tools/tool.ts";
import type { ToolArgs } from "../../messages/message.ts";
import type { TurnWatch } from "../configuration.ts";
import type {
  ModelUsage,
  PermissionDecisionRecord,
  PermissionRequest,
  SessionEvent,
  SessionEventBody,
} from "../log/events.ts";
import type { SessionOptions, TurnInput, TurnOutcome } from "../options.ts";
import type { RunningAgents } from "./running-agents.ts";

/** An agent working for a session, as hooks and people know it. */
export interface StartedAgent {
  id: string;
  /** Type such as `Explore`. */
  type: string;
}

/** The session of an agent, for the tool that started it. */
export interface DelegatedSession extends AsyncDisposable {
  runTurn(turn: TurnInput): Promise<TurnOutcome>;
  /** Calls `listener` with every event from now on. Returns the way to stop. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
}

export type BeginSession = (options: SessionOptions) => DelegatedSession;

/** The call that starts an agent; for one that the turn does not wait for, with a signal of its own. */
export type DelegatingCall = Pick<ToolContext, "platform" | "toolCallId" | "signal" | "spending">;

/** A question of an agent's own, which no tool call asks. */
export type AgentQuestion = Pick<
  PermissionRequest,
  "tool" | "args" | "reason" | "paths" | "preview"
>;

/** A copy-on-write view of the parent's files, for one agent. */
export interface Isolation {
  /** The parent's platform over the copy; its shell is a virtual one. */
  platform: Platform;
  /** Has a person decide on the changes; the result reports the outcome. */
  settle: (result: ToolResult) => Promise<ToolResult>;
}

/** The part of the parent session that an agent gets. */
export interface Delegation {
  /**
   * Options of its own session: model, tools, files, rules and hooks of the parent as they are now. Its requests go to
   * the parent's people, and its usage counts with the turn.
   */
  options: SessionOptions;
  /** Begins its session. */
  open: BeginSession;
  /** Notifies the parent's hooks of its start or end. */
  notifyHooks: <Event extends "SubagentStart" | "SubagentStop">(
    event: Event,
    fields: Omit<HookFields<Event>, "agent_id" | "agent_type">,
  ) => Promise<HookOutcome | undefined>;
  /** Records a step in the parent's log; resolves when it is durable. */
  record: (step: SessionEventBody) => Promise<void>;
  /** Records the conversation of its session, with `model`, in the parent's log. Returns what it has used so far. */
  follow: (session: DelegatedSession, model: string) => () => ModelUsage[];
  /** A copy of the parent's files to work on; `undefined` where the parent's shell can't run over other files. */
  isolate: () => Promise<Isolation | undefined>;
  /** The decision of the parent's rules on a call that it would make. */
  explain: (
    tool: Pick<Tool, "name" | "access" | "patternArgument" | "patternKind">,
    args: ToolArgs,
  ) => Promise<PermissionExplanation>;
  /** Asks the parent's people. */
  ask: (question: AgentQuestion) => Promise<PermissionDecisionRecord>;
  /** The session's agents that run now. */
  running: RunningAgents;
  /** Observes the person's own files while it works outside of turns. */
  watch: TurnWatch | undefined;
}

export interface CollectOptions {
  /** Waits until the agent has ended. */
  waits: boolean;
  /** Ends the wait, and not the agent. */
  signal: AbortSignal;
}

/** `undefined` as the result: it still runs. */
export interface CollectedAgent {
  result: ToolResult | undefined;
}
