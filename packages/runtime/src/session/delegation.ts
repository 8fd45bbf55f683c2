import type { HookFields } from "../hooks/events.ts";
import type { HookOutcome } from "../hooks/outcome.ts";
import type { SessionEvent } from "./log/events.ts";
import type { SessionOptions, TurnInput, TurnOutcome } from "./options.ts";

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
}
