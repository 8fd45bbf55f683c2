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
/** What `onError` may decide: to try again after a wait, or to fail with another error. */
export type ErrorDecision = { retryAfterMs: number } | { error: Error };

/**
 * Watches an agent's runs. Every hook is optional. One that throws is reported as a `PluginError` and changes nothing:
 * a plugin that means to stop a run returns so from `beforeRun`. A run waits for its hooks; one that was stopped goes on
 * after a moment and reports the hook that has not settled.
 */
export interface Plugin {
  readonly name: string;
  readonly category: PluginCategory;
  /** `normal` when omitted. */
  readonly priority?: PluginPriority | number;
  /** Before anything is sent. The first refusal ends the run. */
  beforeRun?(run: PluginRun): Promise<BeforeRunDecision | void> | BeforeRunDecision | void;
  /** After the final answer, or an abort. */
  afterRun?(run: PluginRun, result: PluginRunResult): Promise<void> | void;
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
  beforeToolExecution?(run: PluginRun, call: PluginToolCall): Promise<void> | void;
  /** For every call, also for one that was refused. */
  afterToolExecution?(
    run: PluginRun,
    call: PluginToolCall,
    result: ToolResult,
    durationMs: number,
  ): Promise<void> | void;
  /** Stores what is waiting and stops timers. Hooks may be called afterwards, by other agents that share the plugin. */
  dispose?(): Promise<void>;
}
