import type { Tool, ToolContext } from "../tools/tool.ts";
import type { Delegation, StartedAgent } from "./delegation.ts";
import type { SessionOptions } from "./options.ts";

/**
 * What a session learns only when it opens, such as from files of settings. Takes the place of what its options said of the
 * same; what is left out stays.
 */
export interface SessionConfiguration extends Pick<
  SessionOptions,
  | "permissions"
  | "readOnlyCommands"
  | "hooks"
  | "hookAgents"
  | "hookOrigins"
  | "maxTurns"
  | "systemMessage"
  | "projectInstructions"
  | "permissionMode"
  | "autoCompactThreshold"
  | "compactInstructions"
> {
  /** All of them; one that has the name of an earlier one replaces it. */
  tools?: readonly Tool[];
  /** Asked before each turn what has changed since. */
  refresh?: ConfigurationRefresh;
  /** Called when a turn begins or goes on; what it resolves to is called when the turn has ended or waits again. */
  watchTurn?: TurnWatch;
}

/** Looks at something before a turn, and again after it. */
export type TurnWatch = () => Promise<() => Promise<void>>;

/** What of a configuration can change while the session is open. */
export type ConfigurationUpdate = Pick<
  SessionOptions,
  "permissions" | "readOnlyCommands" | "hooks" | "maxTurns" | "autoCompactThreshold"
>;

/**
 * Hands what has changed to `putInForce`, which takes all of it or throws; does nothing when nothing has. What it throws goes
 * into a note of the session, whose configuration stays as it is.
 */
export type ConfigurationRefresh = (
  signal: AbortSignal,
  putInForce: (update: ConfigurationUpdate) => Promise<void>,
) => Promise<void>;

export interface ConfigureContext {
  signal: AbortSignal;
  /** For tools that start agents: what of this session an agent has that runs for the call of `context`. */
  delegate: (context: ToolContext, agent: StartedAgent) => Promise<Delegation>;
}
