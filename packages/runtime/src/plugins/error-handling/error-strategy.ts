import type { BeforeRunDecision, ErrorDecision, PluginRun, PluginRunResult } from "../plugin.ts";

/** What to do about failed runs: the part of an `ErrorHandlingPlugin` that can be exchanged. */
export interface ErrorStrategy {
  readonly name: string;
  /** May refuse an attempt, as a plugin's `beforeRun`. */
  beforeRun?(run: PluginRun): BeforeRunDecision | void;
  /** An attempt that `beforeRun` let pass was refused by another plugin. */
  onRefused?(run: PluginRun): void;
  /** An attempt ended well, or by an abort. */
  afterRun?(run: PluginRun, result: PluginRunResult): void;
  /** An attempt failed. */
  onError?(run: PluginRun, error: Error): ErrorDecision | void;
}
