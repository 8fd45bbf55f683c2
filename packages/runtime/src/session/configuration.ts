import type { Tool } from "../tools/tool.ts";
import type {
  CollectedAgent,
  CollectOptions,
  DelegatingCall,
  Delegation,
  StartedAgent,
} from "./agents/delegation.ts";
import type { SessionLog } from "./log/log.ts";
import type { SessionOptions } from "./options.ts";

/**
 * Configuration determined when a session opens, such as from settings files. Replaces the corresponding options;
 * fields left out keep them.
 */
export interface SessionConfiguration extends Pick<
  SessionOptions,
  | "permissions"
  | "readOnlyCommands"
  | "skillRules"
  | "skillModel"
  | "hooks"
  | "hookAgents"
  | "hookOrigins"
  | "maxTurns"
  | "systemMessage"
  | "projectInstructions"
  | "promptReport"
  | "language"
  | "permissionMode"
  | "autoCompactThreshold"
  | "compactInstructions"
  | "prepareRound"
> {
  /** Additional tools; one with the name of an earlier one replaces it. */
  tools?: readonly Tool[];
  /** Returns the prompt in place of a stored session's own; absent when that stays. */
  promptOnResume?: SessionOptions["promptOnResume"];
  /** Returns changes before each turn. */
  refresh?: ConfigurationRefresh;
  /**
   * Called when a turn begins or resumes; the function it resolves to is called when the turn has ended or waits again.
   */
  watchTurn?: TurnWatch;
}

/** Observes something before a turn, and again after it. */
export type TurnWatch = () => Promise<() => Promise<void>>;

/** The part of a configuration that can change while the session is open. */
export interface ConfigurationUpdate extends Pick<
  SessionOptions,
  "permissions" | "readOnlyCommands" | "hooks" | "maxTurns" | "autoCompactThreshold"
> {
  /** All tools of the session from now on; the same ones when omitted. */
  tools?: readonly Tool[];
}

/**
 * Passes changes to `putInForce`, which applies all of them or throws; does nothing without changes. Its exceptions
 * become a note of the session, whose configuration is unchanged.
 */
export type ConfigurationRefresh = (
  signal: AbortSignal,
  putInForce: (update: ConfigurationUpdate) => Promise<void>,
) => Promise<void>;

/** The session that is configured, for parts that change it while it is open. */
export interface ConfigurationHost {
  readonly sessionId: string;
  /** The session's tools: those of the next request to the model. */
  readonly tools: Map<string, Tool>;
  /** State that lasts as long as the session is open; disposable values are then disposed of. */
  readonly toolState: Map<string, unknown>;
  readonly log: Pick<SessionLog, "stream">;
}

/** Access to the session for its configuration, while it opens. */
export interface ConfigureContext {
  signal: AbortSignal;
  host: ConfigurationHost;
  /** For tools that start agents: the part of this session that an agent of the call in `context` gets. */
  delegate: (context: DelegatingCall, agent: StartedAgent) => Promise<Delegation>;
  /** For tools that take reports: that of an agent in the background, by its id; `undefined` for an unknown one. */
  collect: (id: string, options: CollectOptions) => Promise<CollectedAgent | undefined>;
}
