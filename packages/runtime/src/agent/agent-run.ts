import { defined } from "../defined.ts";
import { addUsage, noUsage } from "../context/usage.ts";
import { errorFacts } from "../errors.ts";
import { asError } from "../messages/reported-error.ts";
import type { ToolErrorCode } from "../messages/tool-error-code.ts";
import type { StructuredEventService } from "../events/event-service.ts";
import type {
  AssistantMessage,
  Content,
  TokenUsage,
  ToolArgs,
  ToolCall,
} from "../messages/message.ts";
import type { PluginRun, PluginRunResult, PluginToolCall } from "../plugins/plugin.ts";
import { PLUGIN_REFUSED, type PluginChain } from "../plugins/plugin-chain.ts";
import type { Provider } from "../providers/provider.ts";
import { wait } from "../abort.ts";
import type { OwnerPathSegment, Tool, ToolResult } from "../tools/tool.ts";
import type { RunMeter } from "./budget.ts";
import type { LoopOptions, LoopResult } from "./loop.ts";
import type { Authorization, Runnable, ToolCompletion, ToolResultsOutcome } from "./tool-batch.ts";

/**
 * The outcome of a run. A provider's failure is a result: `error` is set, and the agent stays usable. So is a spent
 * budget (`BUDGET_EXCEEDED`), and an answer that does not follow the response format (`RESPONSE_FORMAT`).
 */
export interface RunResult<Output = undefined> {
  text: string;
  interrupted: boolean;
  error?: unknown;
  /** Provider calls, including those of retried attempts. */
  rounds: number;
  /** Tokens of all those calls. */
  usage: TokenUsage;
  /** US dollars; left out when the model's prices are not known. */
  cost?: number;
  /** The text as the response format's schema parsed it; present when the run was neither interrupted nor failed. */
  output?: Output;
}

/** The result of one attempt, with its text as the response format parsed it. */
export type RunAttempt<Output = undefined> = LoopResult & { output?: Output };

export interface AgentRunOptions {
  plugins: PluginChain;
  meter: RunMeter;
  /** The emitter of `owner`; events of the run are emitted by its children. */
  events: StructuredEventService;
  /** The agent or session that runs. */
  owner: OwnerPathSegment;
  /** An id such as a session's turn id. */
  runId: string;
  input: Content;
  provider: Pick<Provider, "name" | "model">;
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Called when a plugin changes or refuses the answer, before the run ends. */
  onAnswerChanged?: (() => void) | undefined;
}

/** The steps of a run, implemented by the owner of the conversation. */
export interface RunSteps<Output = undefined> {
  /** Takes the input into the conversation, as the plugins left it. Not called when one of them refused the run. */
  begin(input: Content): Promise<void> | void;
  /** Called again as often as a plugin asks for after a failure. Rejects only when the conversation can't be kept. */
  attempt(): Promise<RunAttempt<Output>>;
}

/**
 * One run with its plugins, events and budget: the part around the loop that an agent and a session share. `run` makes
 * the attempts; the other members are callbacks for the loop of each attempt.
 */
export class AgentRun {
  readonly #options: AgentRunOptions;
  readonly #plugins: PluginChain;
  readonly #meter: RunMeter;
  readonly #run: PluginRun & { input: Content; attempt: number };
  readonly #execution: StructuredEventService;
  #rounds = 0;
  /** Tokens that tools used for their own questions in the present attempt. */
  #asked = noUsage();

  constructor(options: AgentRunOptions) {
    const { runId, owner, input, provider, signal, events } = options;
    this.#options = options;
    this.#plugins = options.plugins;
    this.#meter = options.meter;
    this.#run = {
      runId,
      ownerPath: [owner],
      input,
      provider: provider.name,
      model: provider.model,
      startedAt: options.now(),
      attempt: 1,
      signal,
    };
    this.#execution = events.child({ ownerType: "execution", ownerId: runId });
  }

  /** Runs to the end. Rejects with the error of a failed step, after notifying the plugins. */
  async run<Output>(steps: RunSteps<Output>): Promise<RunResult<Output>> {
    const { events } = this.#options;
    const { runId, input, provider, model } = this.#run;
    events.child({ ownerType: "user", ownerId: runId }).emit("input", { input });
    this.#execution.emit("start", { provider, model });
    try {
      const last = await this.#attempts(steps);
      const { usage, cost } = this.#meter.spending;
      const result = { ...last, rounds: this.#rounds, usage, ...defined({ cost }) };
      const { text, interrupted, error, rounds } = result;
      if (error === undefined) {
        this.#execution.emit("complete", { rounds, usage });
        events.emit("completion", { text, interrupted });
      } else {
        this.#execution.emit("error", { ...errorFacts(error) });
      }
      return result;
    } catch (error) {
      this.#execution.emit("error", { ...errorFacts(error) });
      throw error;
    }
  }

  /** Runs once, and again as often as a plugin asks for. */
  async #attempts<Output>(steps: RunSteps<Output>): Promise<RunAttempt<Output>> {
    const run = this.#run;
    for (; ; run.attempt += 1) {
      const begun = performance.now();
      this.#asked = noUsage();
      const refused = await this.#plugins.beforeRun(run);
      if (refused) return { ...nothing(), error: refused };
      const result = await this.#attempt(steps, begun);
      const { error, output: _, ...facts } = result;
      this.#rounds += facts.rounds;
      if (error === undefined) {
        const report = this.#report(facts, begun);
        const failed = await this.#plugins.afterRun(run, report);
        const { text } = report;
        if (failed || text !== result.text) this.#options.onAnswerChanged?.();
        return { ...result, text, error: failed };
      }
      const decision = await this.#plugins.onError(run, asError(error), this.#report(facts, begun));
      if (!decision) return result;
      if ("error" in decision) return { ...result, error: decision.error };
      try {
        await wait(decision.retryAfterMs, run.signal);
      } catch {
        // Only the abort ends a wait early.
        return { ...facts, interrupted: true };
      }
    }
  }

  async #attempt<Output>(steps: RunSteps<Output>, begun: number): Promise<RunAttempt<Output>> {
    const run = this.#run;
    try {
      if (run.attempt === 1) await steps.begin(run.input);
      return await steps.attempt();
    } catch (error) {
      // A run that can't be recorded is not retried, whatever a plugin decides; plugins are still notified of its end.
      await this.#plugins.onError(run, asError(error), this.#report(nothing(), begun));
      throw error;
    }
  }

  #report(result: LoopResult, begun: number): PluginRunResult {
    const facts = { ...result, usage: { ...result.usage } };
    addUsage(facts.usage, this.#asked);
    const cost = this.#meter.costOf(facts.usage);
    const durationMs = performance.now() - begun;
    return { ...facts, durationMs, ...defined({ cost }) };
  }

  /** `LoopOptions.refuseCall`: the reason why nothing more may be spent, if any. */
  readonly refuseCall: NonNullable<LoopOptions["refuseCall"]> = () => this.#meter.refusal();

  /** `LoopOptions.onAnswer`: counts the cost of the answer. `model`: its own, where it is not the run's. */
  onAnswer({ usage }: AssistantMessage, model?: string): void {
    if (usage) this.#meter.add(usage, model);
  }

  /** Counts the tokens of a tool's question to a model. */
  onQuestion(usage: TokenUsage, model?: string): void {
    addUsage(this.#asked, usage);
    this.#meter.add(usage, model);
  }

  /** The budgets of this run, for work of its tools. */
  get meter(): Pick<RunMeter, "refusal" | "addAside" | "costOf"> {
    return this.#meter;
  }

  /** `LoopOptions.onToolResults`: emits `tool_results`. */
  onToolResults({ contextOverflowed, addedCount, skippedCount }: ToolResultsOutcome): void {
    this.#execution.emit("tool_results", { contextOverflowed, addedCount, skippedCount });
  }

  /** Reports each visible text delta. */
  onTextDelta(delta: string): void {
    this.#plugins.onStreamChunk(this.#run, delta);
  }

  /** `ToolBatch.authorize`: passes a call through the plugins, then asks `judge` about the resulting call. */
  authorize(
    call: ToolCall,
    tool: Tool,
    args: ToolArgs,
    judge: (args: ToolArgs) => Promise<Authorization> | Authorization,
  ): Promise<Authorization> | Authorization {
    return this.#plugins.looksAtCalls ? this.#lookAt(call, tool, args, judge) : judge(args);
  }

  async #lookAt(
    call: ToolCall,
    tool: Tool,
    given: ToolArgs,
    judge: (args: ToolArgs) => Promise<Authorization> | Authorization,
  ): Promise<Authorization> {
    const seen = await this.#plugins.beforeToolExecution(this.#run, pluginCall(call, given));
    if ("refuse" in seen) return { allow: false, content: seen.refuse, errorCode: PLUGIN_REFUSED };
    if (seen.args === given) return judge(given);
    const { invalidArgumentsText, validateArgs } = await import("../tools/validate-args.ts");
    const valid = await validateArgs(tool, seen.args);
    if (valid.ok) return judge(valid.args);
    const content = invalidArgumentsText(tool, valid.problems);
    return { allow: false, content, errorCode: "invalid_arguments" };
  }

  /** `ToolBatch.onStart`: called once the calls are recorded. */
  async onToolsStart(calls: readonly Runnable[]): Promise<void> {
    for (const { call, args } of calls) {
      this.#toolEvents(call).emit("execute_start", { tool: call.name, args });
      await this.#plugins.onToolStart(this.#run, pluginCall(call, args));
    }
  }

  /** `ToolBatch.onEnd`, before the result is recorded: returns the completion as plugins leave it. */
  async lookAtResult(completion: ToolCompletion, args: ToolArgs): Promise<ToolCompletion> {
    const { call, durationMs } = completion;
    const shown = pluginCall(call, args);
    const result = await this.#plugins.afterToolExecution(
      this.#run,
      shown,
      completion.result,
      durationMs,
    );
    return result === completion.result ? completion : withResult(completion, result);
  }

  /** `ToolBatch.onEnd`, once the result is recorded. */
  onToolEnd({ call, message, durationMs }: ToolCompletion): void {
    const { errorCode } = message;
    const events = this.#toolEvents(call);
    if (errorCode === undefined) events.emit("execute_success", { tool: call.name, durationMs });
    else events.emit("execute_error", { tool: call.name, errorCode });
  }

  #toolEvents({ id }: ToolCall): StructuredEventService {
    return this.#execution.child({ ownerType: "tool", ownerId: id });
  }
}

function nothing(): LoopResult {
  return { text: "", interrupted: false, rounds: 0, usage: noUsage() };
}

/** Replaces the result by the plugins' version; a result left out for lack of room stays left out. */
function withResult(completion: ToolCompletion, result: ToolResult): ToolCompletion {
  const { message } = completion;
  const skipped: ToolErrorCode = "result_skipped";
  if (message.errorCode === skipped) return { ...completion, result };
  const failed = result.success
    ? {}
    : { isError: true, errorCode: result.errorCode ?? ("tool_failed" satisfies ToolErrorCode) };
  return { ...completion, result, message: { ...message, content: result.output, ...failed } };
}

function pluginCall({ id, name }: ToolCall, args: ToolArgs): PluginToolCall {
  return { toolCallId: id, name, args };
}
