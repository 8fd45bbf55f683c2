import type { HookFields } from "../hooks/events.ts";
import type { HookOutcome } from "../hooks/outcome.ts";
import type { SessionEvent } from "./log/events.ts";
import type { SessionOptions, TurnInput, TurnOutcome } from "./options.ts";

/** An agent that works for a session, as its hooks and people know it. */
export interface StartedAgent {
  id: string;
  /** Such as `Explore`. */
  type: string;
}

/** The session of an agent, for the tool that started it. */
export interface DelegatedSession extends AsyncDisposable {
  runTurn(turn: TurnInput): Promise<TurnOutcome>;
  /** Calls `listener` with every event from now on. Returns the way to stop. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
}

export type BeginSession = (options: SessionOptions) => DelegatedSession;

/** What an agent has of the session that it works for. */
export interface Delegation {
  /**
   * What its own session begins with: model, tools, files, rules and hooks of the session as they are now. What it asks is
   * asked of the session's own people, and what it uses counts with the turn.
   */
  options: SessionOptions;
  /** Begins its session. */
  open: BeginSession;
  /** Tells the session's hooks that it begins or ends. */
  notifyHooks: <Event extends "SubagentStart" | "SubagentStop">(
    event: Event,
    fields: Omit<HookFields<Event>, "agent_id" | "agent_type">,
  ) => Promise<HookOutcome | undefined>;
}
