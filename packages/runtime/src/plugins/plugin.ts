import type { RobotaError } from "../errors.ts";
import type { Content, TokenUsage, ToolArgs } from "../messages/message.ts";
import type { OwnerPathSegment, ToolResult } from "../tools/tool.ts";

/** The purpose of a plugin. */
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

/** Plugins of a higher priority run first; equal ones in the order given. */
export const PLUGIN_PRIORITY = {
  critical: 1000,
  high: 800,
  normal: 500,
  low: 200,
  minimal: 100,
} as const;
/** A plugin's place in the chain; `critical` runs first. */
export type PluginPriority = keyof typeof PLUGIN_PRIORITY;

/** One run of an agent, as plugins see it. The same object from `beforeRun` to the end. */
export interface PluginRun {
  readonly runId: string;
  /** The agent and its ancestors, outermost first. */
  readonly ownerPath: readonly OwnerPathSegment[];
  /** Input as changed by `beforeRun` of earlier plugins. */
  readonly input: Content;
  readonly provider: string;
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** 1 for the first attempt; more when `onError` asked to try again. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** The result of an attempt. */
export interface PluginRunResult {
  text: string;
  interrupted: boolean;
  rounds: number;
  usage: TokenUsage;
  /** US dollars, when the model's prices are known. */
  cost?: number;
  durationMs: number;
}

/** A tool call, as plugins see it. */
export interface PluginToolCall {
  toolCallId: string;
  name: string;
  args: ToolArgs;
}

/** Decision of `beforeRun`: another input, or a refusal of the run. */
export type BeforeRunDecision = { input: Content } | { refuse: RobotaError };
/** Decision of `afterRun`: another text as the answer, or a failure of the run. */
export type AfterRunDecision = { text: string } | { refuse: RobotaError };
/** Decision of `beforeToolExecution`: another input, or a refusal of the call with a reason for the model. */
export type ToolInputDecision = { args: ToolArgs } | { refuse: string };
/** Decision of `afterToolExecution`: another output, or a failure reported to the model. */
export type ToolOutputDecision = { output: Content } | { refuse: string };
/** Decision of `onError`: retry after a wait, or fail with another error. */
export type ErrorDecision = { retryAfterMs: number } | { error: Error };

/**
 * Watches and guards an agent's runs. Every hook is optional. An exception is reported as a `PluginError` and changes
 * nothing: a plugin stops or changes something by returning a decision. A run waits for its hooks; after an abort it
 * continues shortly and reports the hook that has not settled.
 */
export interface Plugin {
  readonly name: string;
  readonly category: PluginCategory;
  /** `normal` when omitted. */
  readonly priority?: PluginPriority | number;
  /** Called before anything is sent. The first refusal ends the run. */
  beforeRun?(run: PluginRun): Promise<BeforeRunDecision | void> | BeforeRunDecision | void;
  /**
   * Called after the final answer, or an abort. A replaced text becomes the run's result; the conversation keeps the
   * model's own. The first refusal fails the run.
   */
  afterRun?(
    run: PluginRun,
    result: PluginRunResult,
  ): Promise<AfterRunDecision | void> | AfterRunDecision | void;
  /** Called for every plugin when one has refused the attempt: no other hook follows for it. */
  onRefused?(run: PluginRun, error: Error): Promise<void> | void;
  /** Called when an attempt failed, with its usage so far. Every plugin is called; the first decision counts. */
  onError?(
    run: PluginRun,
    error: Error,
    result: PluginRunResult,
  ): Promise<ErrorDecision | void> | ErrorDecision | void;
  /** Synchronous, because it delays every chunk. */
  onStreamChunk?(run: PluginRun, delta: string): void;
  /**
   * Called before hooks, rules and people judge a call with valid arguments: they judge the input that plugins return.
   * The first refusal counts. Called again for a call that waits for an answer beyond a restart.
   */
  beforeToolExecution?(
    run: PluginRun,
    call: PluginToolCall,
  ): Promise<ToolInputDecision | void> | ToolInputDecision | void;
  /** Called when an approved call begins, with its final arguments. */
  onToolStart?(run: PluginRun, call: PluginToolCall): Promise<void> | void;
  /** Called for every call, including refused ones, before its result is recorded. */
  afterToolExecution?(
    run: PluginRun,
    call: PluginToolCall,
    result: ToolResult,
    durationMs: number,
  ): Promise<ToolOutputDecision | void> | ToolOutputDecision | void;
  /** Calls a hook in the agent's place, with `work`: for bases that switch hooks off or count them. */
  callHook?<Answer>(hook: string, work: () => Answer): Answer | undefined;
  /** Flushes pending data and stops timers. Hooks may be called afterwards, by other agents that share the plugin. */
  dispose?(): Promise<void>;
}
