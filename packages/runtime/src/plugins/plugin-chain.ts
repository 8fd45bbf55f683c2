import { ABORT_GRACE_MS, abortError, callSafely, errorMessage, PluginError } from "../errors.ts";
import type { Content, ToolArgs } from "../messages/message.ts";
import type { ToolErrorCode } from "../messages/tool-error-code.ts";
import { settledAfterAbort } from "../abort.ts";
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
/** Prefix of the reason for the model. */
export const REFUSED_BY_PLUGIN = "Refused by a plugin: ";

/** An agent's plugins in their order. A plugin's exception is reported and goes no further. */
export class PluginChain {
  readonly plugins: readonly Plugin[];
  readonly #report: (error: PluginError) => void;
  readonly #chunkListeners: readonly Plugin[];

  constructor(plugins: readonly Plugin[], report: (error: PluginError) => void) {
    this.plugins = plugins.toSorted((a, b) => rank(b) - rank(a));
    this.#report = (error) => callSafely(() => report(error));
    this.#chunkListeners = this.plugins.filter((plugin) => plugin.onStreamChunk !== undefined);
  }

  /** Passes the run's input through each plugin. Resolves to the error of a refusal, if any. */
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

  /** Passes the result's text through each plugin. Resolves to the error of a refusal, if any. */
  async afterRun(run: PluginRun, result: PluginRunResult): Promise<Error | undefined> {
    let refusal: Error | undefined;
    for (const plugin of this.plugins) {
      const decision = await this.#call(plugin, "afterRun", run, () =>
        plugin.afterRun?.(run, result),
      );
      // Every plugin gets the result, whatever another one decides.
      if (decision && "refuse" in decision) refusal ??= decision.refuse;
      else if (decision && "text" in decision) result.text = decision.text;
    }
    return refusal;
  }

  /** Notifies every plugin of the error; the first decision counts. */
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

  /** True when a plugin wants calls before they are judged. */
  get looksAtCalls(): boolean {
    return this.plugins.some((plugin) => plugin.beforeToolExecution !== undefined);
  }

  /** Passes a call's input through each plugin. Resolves to the reason of a refusal, if any. */
  async beforeToolExecution(
    run: PluginRun,
    call: PluginToolCall,
  ): Promise<{ args: ToolArgs } | { refuse: string }> {
    let { args } = call;
    for (const plugin of this.plugins) {
      // A copy: plugins return changed arguments, so that they are validated.
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

  /** Passes a result through each plugin in turn. */
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

/** Calls a hook through the plugin's own base, if it tracks calls. */
function called<Answer>(plugin: Plugin, hook: string, work: () => Answer): Answer | undefined {
  return plugin.callHook ? plugin.callHook(hook, work) : work();
}

/** Hooks that only watch may return any value. */
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
