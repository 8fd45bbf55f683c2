import type { BeforeRunDecision, ErrorDecision, PluginRun, PluginRunResult } from "../plugin.ts";

/** The exchangeable part of an `ErrorHandlingPlugin`: the decision about failed runs. */
export interface ErrorStrategy {
  readonly name: string;
  /** Optionally refuses an attempt, as a plugin's `beforeRun`. */
  beforeRun?(run: PluginRun): BeforeRunDecision | void;
  /** Called when another plugin refused an attempt that `beforeRun` let pass. */
  onRefused?(run: PluginRun): void;
  /** An attempt ended well, or by an abort. */
  afterRun?(run: PluginRun, result: PluginRunResult): void;
  /** An attempt failed. */
  onError?(run: PluginRun, error: Error): ErrorDecision | void;
}
