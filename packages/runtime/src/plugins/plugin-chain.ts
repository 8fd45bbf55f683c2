import { ABORT_GRACE_MS, abortError, errorMessage, PluginError } from "../errors.ts";
import type { Content } from "../messages/message.ts";
import { settledAfterAbort } from "../providers/wait.ts";
import type { ToolResult } from "../tools/tool.ts";
import {
  type ErrorDecision,
  type Plugin,
  PLUGIN_PRIORITY,
  type PluginRun,
  type PluginRunResult,
  type PluginToolCall,
} from "./plugin.ts";

/** An agent's plugins in their order. What one throws is reported and stays its own. */
export class PluginChain {
  readonly plugins: readonly Plugin[];
  readonly #report: (error: PluginError) => void;
  readonly #chunkListeners: readonly Plugin[];

  constructor(plugins: readonly Plugin[], report: (error: PluginError) => void) {
    this.plugins = plugins.toSorted((a, b) => rank(b) - rank(a));
    this.#report = report;
    this.#chunkListeners = this.plugins.filter((plugin) => plugin.onStreamChunk !== undefined);
  }

  /** Lets each plugin look at the run and change its input. Resolves to what one of them refused it with, if one did. */
  async beforeRun(run: { input: Content } & PluginRun): Promise<Error | undefined> {
    for (const plugin of this.plugins) {
      const decision = await this.#call(plugin, "beforeRun", run, () => plugin.beforeRun?.(run));
      if (!decision) continue;
      if ("refuse" in decision) {
        await this.#onRefused(run, decision.refuse);
        return decision.refuse;
      }
      run.input = decision.input;
    }
    return undefined;
  }

  async #onRefused(run: PluginRun, error: Error): Promise<void> {
    for (const plugin of this.plugins)
      await this.#call(plugin, "onRefused", run, () => plugin.onRefused?.(run, error));
  }

  async afterRun(run: PluginRun, result: PluginRunResult): Promise<void> {
    for (const plugin of this.plugins)
      await this.#call(plugin, "afterRun", run, () => plugin.afterRun?.(run, result));
  }

  /** Every plugin hears of the error; the first decision counts. */
  async onError(
    run: PluginRun,
    error: Error,
    result: PluginRunResult,
  ): Promise<ErrorDecision | undefined> {
    let decision: ErrorDecision | undefined;
    for (const plugin of this.plugins) {
      const answer = await this.#call(plugin, "onError", run, () =>
        plugin.onError?.(run, error, result),
      );
      if (answer) decision ??= answer;
    }
    return decision;
  }

  onStreamChunk(run: PluginRun, delta: string): void {
    for (const plugin of this.#chunkListeners) {
      try {
        plugin.onStreamChunk?.(run, delta);
      } catch (error) {
        this.#report(failure(plugin, "onStreamChunk", error));
      }
    }
  }

  async beforeToolExecution(run: PluginRun, call: PluginToolCall): Promise<void> {
    for (const plugin of this.plugins) {
      await this.#call(plugin, "beforeToolExecution", run, () =>
        plugin.beforeToolExecution?.(run, call),
      );
    }
  }

  async afterToolExecution(
    run: PluginRun,
    call: PluginToolCall,
    result: ToolResult,
    durationMs: number,
  ): Promise<void> {
    for (const plugin of this.plugins) {
      await this.#call(plugin, "afterToolExecution", run, () =>
        plugin.afterToolExecution?.(run, call, result, durationMs),
      );
    }
  }

  async dispose(): Promise<void> {
    for (const plugin of this.plugins)
      await this.#call(plugin, "dispose", undefined, () => plugin.dispose?.());
  }

  /** Waits for the hook, but after an abort of its run not for long. */
  async #call<Answer>(
    plugin: Plugin,
    hook: string,
    run: PluginRun | undefined,
    work: () => Promise<Answer> | Answer,
  ): Promise<Answer | undefined> {
    try {
      const answer = work();
      if (!(answer instanceof Promise)) return answer;
      if (!run) return await answer;
      const settled = await settledAfterAbort(answer, run.signal, ABORT_GRACE_MS);
      if (settled) return settled.value;
      throw abortError();
    } catch (error) {
      this.#report(failure(plugin, hook, error));
      return undefined;
    }
  }
}

function rank({ priority = "normal" }: Plugin): number {
  return typeof priority === "number" ? priority : PLUGIN_PRIORITY[priority];
}

function failure(plugin: Plugin, hook: string, cause: unknown): PluginError {
  return new PluginError(
    plugin.name,
    `The plugin ${plugin.name} failed in ${hook}: ${errorMessage(cause)}`,
    {
      cause,
      hint: "The run went on without it.",
    },
  );
}
