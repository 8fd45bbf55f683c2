import type { RobotaError } from "../errors.ts";
import type { Content, TokenUsage, ToolArgs } from "../messages/message.ts";
import type { OwnerPathSegment, ToolResult } from "../tools/tool.ts";

/** What a plugin is for. */
export type PluginCategory =
  | "event_processing"
  | "logging"
  | "storage"
  | "monitoring"
  | "analytics"
  | "performance"
  | "error_handling"
  | "limits"
  | "notification"
  | "custom";

/** Plugins of a higher priority run first; those of the same one in the order they were given. */
export const PLUGIN_PRIORITY = {
  critical: 1000,
  high: 800,
  normal: 500,
  low: 200,
  minimal: 100,
} as const;
export type PluginPriority = keyof typeof PLUGIN_PRIORITY;

/** One run of an agent, as its plugins see it. The same object from `beforeRun` to the end. */
export interface PluginRun {
  readonly runId: string;
  /** The agent and its ancestors, outermost first. */
  readonly ownerPath: readonly OwnerPathSegment[];
  /** After `beforeRun` of plugins in front may have changed it. */
  readonly input: Content;
  readonly provider: string;
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** 1 for the first attempt; more when `onError` asked to try again. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** What came of an attempt. */
export interface PluginRunResult {
  text: string;
  interrupted: boolean;
  rounds: number;
  usage: TokenUsage;
  /** US dollars, when the model's prices are known. */
  cost?: number;
  durationMs: number;
}

export interface PluginToolCall {
  toolCallId: string;
  name: string;
  args: ToolArgs;
}

/** What `beforeRun` may decide: another input, or that the run does not begin. */
export type BeforeRunDecision = { input: Content } | { refuse: RobotaError };
/** What `afterRun` may decide: another text as the answer, or that the run has failed. */
export type AfterRunDecision = { text: string } | { refuse: RobotaError };
/** What `beforeToolExecution` may decide: another input, or that the call is not run, with the reason for the model. */
export type ToolInputDecision = { args: ToolArgs } | { refuse: string };
/** What `afterToolExecution` may decide: another output, or that the model is told of a failure instead. */
export type ToolOutputDecision = { output: Content } | { refuse: string };
/** What `onError` may decide: to try again after a wait, or to fail with another error. */
export type ErrorDecision = { retryAfterMs: number } | { error: Error };

/**
 * Watches and guards an agent's runs. Every hook is optional. One that throws is reported as a `PluginError` and changes
 * nothing: a plugin that means to stop or change something returns so. A run waits for its hooks; one that was stopped goes
 * on after a moment and reports the hook that has not settled.
 */
export interface Plugin {
  readonly name: string;
  readonly category: PluginCategory;
  /** `normal` when omitted. */
  readonly priority?: PluginPriority | number;
  /** Before anything is sent. The first refusal ends the run. */
  beforeRun?(run: PluginRun): Promise<BeforeRunDecision | void> | BeforeRunDecision | void;
  /**
   * After the final answer, or an abort. The text that a plugin puts in its place is what the run resolves to; the
   * conversation keeps what the model said. The first refusal fails the run.
   */
  afterRun?(
    run: PluginRun,
    result: PluginRunResult,
  ): Promise<AfterRunDecision | void> | AfterRunDecision | void;
  /** When a plugin refused the attempt, for every plugin: no other hook follows for it. */
  onRefused?(run: PluginRun, error: Error): Promise<void> | void;
  /** When an attempt failed, with what it had used until then. Every plugin hears of it; the first decision counts. */
  onError?(
    run: PluginRun,
    error: Error,
    result: PluginRunResult,
  ): Promise<ErrorDecision | void> | ErrorDecision | void;
  /** Synchronous, because it stands in the way of every piece of text. */
  onStreamChunk?(run: PluginRun, delta: string): void;
  /**
   * Before hooks, rules and people judge a call whose arguments are valid: they judge what plugins have made of its input.
   * The first refusal counts. For a call that waits for an answer beyond a restart it is called again.
   */
  beforeToolExecution?(
    run: PluginRun,
    call: PluginToolCall,
  ): Promise<ToolInputDecision | void> | ToolInputDecision | void;
  /** When a call that may run begins, with the arguments that it runs with. */
  onToolStart?(run: PluginRun, call: PluginToolCall): Promise<void> | void;
  /** For every call, also for one that was refused, before its result is recorded. */
  afterToolExecution?(
    run: PluginRun,
    call: PluginToolCall,
    result: ToolResult,
    durationMs: number,
  ): Promise<ToolOutputDecision | void> | ToolOutputDecision | void;
  /** Calls a hook in the agent's place, with `work`: for bases that switch hooks off or count them. */
  callHook?<Answer>(hook: string, work: () => Answer): Answer | undefined;
  /** Stores what is waiting and stops timers. Hooks may be called afterwards, by other agents that share the plugin. */
  dispose?(): Promise<void>;
}
