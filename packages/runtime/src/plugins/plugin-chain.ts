import { ABORT_GRACE_MS, abortError, errorMessage, PluginError } from "../errors.ts";
import type { Content, ToolArgs } from "../messages/message.ts";
import type { ToolErrorCode } from "../messages/tool-error-code.ts";
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

/** The error code of calls and results that a plugin refused. */
export const PLUGIN_REFUSED = "plugin_refused" satisfies ToolErrorCode;
/** In front of the reason, for the model. */
export const REFUSED_BY_PLUGIN = "Refused by a plugin: ";

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

  /** Lets each plugin look at what came of a run and change its text. Resolves to what one of them failed it with, if one did. */
  async afterRun(run: PluginRun, result: PluginRunResult): Promise<Error | undefined> {
    let refusal: Error | undefined;
    for (const plugin of this.plugins) {
      const decision = await this.#call(plugin, "afterRun", run, () =>
        plugin.afterRun?.(run, result),
      );
      // Every plugin hears of the end, whatever another one makes of it.
      if (decision && "refuse" in decision) refusal ??= decision.refuse;
      else if (decision && "text" in decision) result.text = decision.text;
    }
    return refusal;
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
        called(plugin, "onStreamChunk", () => plugin.onStreamChunk?.(run, delta));
      } catch (error) {
        this.#report(failure(plugin, "onStreamChunk", error));
      }
    }
  }

  /** Whether a plugin looks at calls before they are judged. */
  get looksAtCalls(): boolean {
    return this.plugins.some((plugin) => plugin.beforeToolExecution !== undefined);
  }

  /** Lets each plugin look at a call and change its input. Resolves to what one of them refused it with, if one did. */
  async beforeToolExecution(
    run: PluginRun,
    call: PluginToolCall,
  ): Promise<{ args: ToolArgs } | { refuse: string }> {
    let { args } = call;
    for (const plugin of this.plugins) {
      // A copy: what a plugin wants changed it returns, so that it is looked at.
      const shown = { ...call, args: structuredClone(args) };
      const decision = await this.#call(plugin, "beforeToolExecution", run, () =>
        plugin.beforeToolExecution?.(run, shown),
      );
      if (decision && "refuse" in decision)
        return { refuse: `${REFUSED_BY_PLUGIN}${decision.refuse}` };
      if (decision && "args" in decision) ({ args } = decision);
    }
    return { args };
  }

  async onToolStart(run: PluginRun, call: PluginToolCall): Promise<void> {
    for (const plugin of this.plugins)
      await this.#call(plugin, "onToolStart", run, () => plugin.onToolStart?.(run, call));
  }

  /** Lets each plugin look at a result, as those in front of it left it. */
  async afterToolExecution(
    run: PluginRun,
    call: PluginToolCall,
    given: ToolResult,
    durationMs: number,
  ): Promise<ToolResult> {
    let result = given;
    for (const plugin of this.plugins) {
      const decision = await this.#call(plugin, "afterToolExecution", run, () =>
        plugin.afterToolExecution?.(run, call, result, durationMs),
      );
      if (decision && "refuse" in decision) {
        const output = `${REFUSED_BY_PLUGIN}${decision.refuse}`;
        result = { ...result, success: false, output, error: output, errorCode: PLUGIN_REFUSED };
      } else if (decision && "output" in decision) {
        result = { ...result, output: decision.output };
      }
    }
    return result;
  }

  async dispose(): Promise<void> {
    for (const plugin of this.plugins)
      await this.#call(plugin, "dispose", undefined, () => plugin.dispose?.());
  }

  /** Waits for the hook, but after an abort of its run not for long. */
  async #call<Answer>(
    plugin: Plugin,
    hook: keyof Plugin,
    run: PluginRun | undefined,
    work: () => Promise<Answer> | Answer,
  ): Promise<Answer | undefined> {
    if (plugin[hook] === undefined) return undefined;
    try {
      const answer = called(plugin, hook, work);
      if (!(answer instanceof Promise)) return decisionIn(answer);
      if (!run) return await answer;
      const settled = await settledAfterAbort(answer, run.signal, ABORT_GRACE_MS);
      if (settled) return decisionIn(settled.value);
      throw abortError();
    } catch (error) {
      this.#report(failure(plugin, hook, error));
      return undefined;
    }
  }
}

/** Through the plugin's own base, where that wants to know. */
function called<Answer>(plugin: Plugin, hook: string, work: () => Answer): Answer | undefined {
  return plugin.callHook ? plugin.callHook(hook, work) : work();
}

/** Hooks that only watch may return whatever their last expression was. */
function decisionIn<Answer>(answer: Answer): Answer | undefined {
  return typeof answer === "object" && answer !== null ? answer : undefined;
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
