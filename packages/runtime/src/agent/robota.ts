import { getModelContextWindow, type ModelDefinition } from "../context/models.ts";
import { ContextTracker, toolCharacters } from "../context/tracker.ts";
import {
  asError,
  ConfigurationError,
  errorFacts,
  type PluginError,
  SessionError,
} from "../errors.ts";
import {
  DEFAULT_ABSTRACT_EVENT_SERVICE,
  type EventService,
  StructuredEventService,
} from "../events/event-service.ts";
import type { Content, Message, TokenUsage, ToolArgs, ToolCall } from "../messages/message.ts";
import { createRequestView, type RequestView } from "../messages/project.ts";
import type { Platform } from "../ports/platform.ts";
import type { Provider, ToolChoice } from "../providers/provider.ts";
import { wait } from "../providers/wait.ts";
import type { Plugin, PluginRun, PluginToolCall } from "../plugins/plugin.ts";
import { PluginChain } from "../plugins/plugin-chain.ts";
import { assemblePlatform } from "../ports/assemble.ts";
import type { OwnerPathSegment, Tool, ToolContext } from "../tools/tool.ts";
import { type Budget, noUsage, RunMeter, Spending } from "./budget.ts";
import { type Conversation, withoutToolRoundText } from "./conversation.ts";
import { type LoopResult, runLoop } from "./loop.ts";
import { ResponseCheck, type ResponseFormat } from "./structured-output.ts";
import type { Authorization, ToolCompletion } from "./tool-batch.ts";

const DEFAULT_MAX_ROUNDS = 10;

export interface RobotaOptions {
  provider: Provider;
  tools?: readonly Tool[];
  systemMessage?: string;
  /** Provider calls of one run at the most; default 10, 0 for no limit. */
  maxExecutionRounds?: number;
  /** Milliseconds without any progress after which a provider call fails; 0 (default) for no limit. */
  timeout?: number;
  /** Overrides the catalog. Tokens. */
  contextWindow?: number;
  /** Models of one's own, for windows and prices; looked at before the catalog. */
  models?: readonly ModelDefinition[];
  /** For all runs of this agent together. */
  budget?: Budget;
  /** What tools may reach; without it, tools that need files or a shell fail with a clear error. */
  platform?: Platform;
  /** Absolute; `/` when omitted. */
  cwd?: string;
  /** Watch and guard every run, in the order of their priorities. */
  plugins?: readonly Plugin[];
  /** Gets the events of `AGENT_EVENTS`, each with the path of its owners. */
  eventService?: EventService;
  /** Told when a plugin threw; the run goes on. */
  onPluginError?(error: PluginError): void;
  /** Decides before each tool call; everything runs when omitted. */
  authorize?(call: ToolCall, tool: Tool, args: ToolArgs): Promise<Authorization> | Authorization;
}

export interface RunOptions<Output = undefined> {
  signal?: AbortSignal;
  maxExecutionRounds?: number;
  /** For this run alone, its retries included. */
  budget?: Budget;
  /** For the run's first answer only, so that a required call does not keep the run from ending. */
  toolChoice?: ToolChoice;
  /** The final answer is JSON that follows this schema. One that does not goes back to the model once. */
  responseFormat?: ResponseFormat<Output>;
  onTextDelta?(delta: string): void;
}

/**
 * How a run ended. A provider's failure is a result: `error` is there, and the agent stays usable. So is a spent budget
 * (`BUDGET_EXCEEDED`), and an answer that does not follow the response format (`RESPONSE_FORMAT`).
 */
export interface RunResult<Output = undefined> {
  text: string;
  interrupted: boolean;
  error?: unknown;
  /** Provider calls, those of retried attempts included. */
  rounds: number;
  /** Of all those calls. */
  usage: TokenUsage;
  /** US dollars; left out when the model's prices are not known. */
  cost?: number;
  /** What the response format's schema made of the text; there when the run was neither interrupted nor failed. */
  output?: Output;
}

/** One run through all its attempts. */
interface RunWork<Output> {
  run: PluginRun & { input: Content; attempt: number };
  options: RunOptions<Output>;
  execution: StructuredEventService;
  meter: RunMeter;
  check: ResponseCheck<Output> | undefined;
  /** Until an answer came. */
  toolChoice: ToolChoice | undefined;
  rounds: number;
}

type Attempt<Output> = LoopResult & { output?: Output };

/** An agent in its simplest form: a provider, tools and a conversation in memory. */
export class Robota {
  readonly #options: RobotaOptions;
  readonly #platform: Platform;
  readonly #clock = {
    now: () => this.#platform.now(),
    randomUUID: () => this.#platform.randomUUID(),
  };
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #tracker: ContextTracker;
  readonly #toolState = new Map<string, unknown>();
  readonly #memory = new Map<string, string>();
  #view: RequestView;
  #messages: Message[] = [];
  readonly #plugins: PluginChain;
  readonly #owner: OwnerPathSegment;
  readonly #events: StructuredEventService;
  readonly #spending = new Spending();
  #isRunning = false;

  constructor(options: RobotaOptions) {
    this.#options = options;
    this.#platform = assemblePlatform(options);
    this.#owner = { ownerType: "agent", ownerId: this.#platform.randomUUID() };
    this.#events = new StructuredEventService(
      options.eventService ?? DEFAULT_ABSTRACT_EVENT_SERVICE,
      [this.#owner],
      this.#clock.now,
    );
    this.#plugins = new PluginChain(options.plugins ?? [], (error) =>
      options.onPluginError?.(error),
    );
    this.#tools = new Map((options.tools ?? []).map((tool) => [tool.name, tool]));
    this.#tracker = new ContextTracker(
      options.contextWindow ?? getModelContextWindow(options.provider.model, options.models),
      (options.systemMessage ?? "").length + toolCharacters(options.tools),
    );
    this.#view = createRequestView(
      this.#options.systemMessage ?? "",
      new Date(this.#platform.now()),
    );
    this.#events.emit("created", {
      provider: options.provider.name,
      model: options.provider.model,
    });
  }

  /**
   * Runs until the model answers without calling a tool. After an abort it returns normally with `interrupted: true`.
   * @throws {SessionError} `SESSION_BUSY` while another run is going on
   * @throws {ConfigurationError} before anything is sent, when an option can't be used
   */
  async run<Output = undefined>(
    input: Content,
    options: RunOptions<Output> = {},
  ): Promise<RunResult<Output>> {
    this.#requireIdle();
    this.#isRunning = true;
    try {
      return await this.#run(input, options);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Tokens of all runs so far. */
  get usage(): TokenUsage {
    return this.#spending.usage;
  }

  /** US dollars of all runs so far, or `undefined` when a model was used whose prices are not known. */
  get cost(): number | undefined {
    return this.#spending.cost;
  }

  async #run<Output>(input: Content, options: RunOptions<Output>): Promise<RunResult<Output>> {
    const { provider, models } = this.#options;
    const { responseFormat, toolChoice } = options;
    requireTool(toolChoice, this.#tools);
    const check = responseFormat && new ResponseCheck(responseFormat);
    const meter = new RunMeter({
      model: provider.model,
      models,
      agentSpending: this.#spending,
      agentBudget: this.#options.budget,
      runBudget: options.budget,
    });
    const run = {
      runId: this.#clock.randomUUID(),
      ownerPath: [this.#owner],
      input,
      provider: provider.name,
      model: provider.model,
      startedAt: this.#clock.now(),
      attempt: 1,
      signal: options.signal ?? new AbortController().signal,
    };
    const execution = this.#events.child({ ownerType: "execution", ownerId: run.runId });
    this.#events.child({ ownerType: "user", ownerId: run.runId }).emit("input", { input });
    execution.emit("start", { provider: run.provider, model: run.model });
    const work = { run, options, execution, meter, check, toolChoice, rounds: 0 };
    const last = await this.#attempts(work);
    const { usage } = meter.spending;
    const cost = meter.costOf(usage);
    const result = { ...last, rounds: work.rounds, usage, ...(cost !== undefined && { cost }) };
    if (result.error === undefined) {
      execution.emit("complete", { rounds: result.rounds, usage: result.usage });
      this.#events.emit("completion", { text: result.text, interrupted: result.interrupted });
    } else {
      execution.emit("error", { ...errorFacts(result.error) });
    }
    return result;
  }

  /** Runs once, and again as often as a plugin asks for. */
  async #attempts<Output>(work: RunWork<Output>): Promise<Attempt<Output>> {
    const { run, meter } = work;
    for (; ; run.attempt += 1) {
      const begun = performance.now();
      const refused = await this.#plugins.beforeRun(run);
      if (refused)
        return { text: "", interrupted: false, error: refused, rounds: 0, usage: noUsage() };
      if (run.attempt === 1) this.#addInput(run.input);
      const ended = await this.#loop(work);
      const result: Attempt<Output> = work.check ? await work.check.finish(ended) : ended;
      const { error, output: _, ...facts } = result;
      work.rounds += facts.rounds;
      const cost = meter.costOf(facts.usage);
      const durationMs = performance.now() - begun;
      const report = { ...facts, durationMs, ...(cost !== undefined && { cost }) };
      if (error === undefined) {
        await this.#plugins.afterRun(run, report);
        return result;
      }
      const decision = await this.#plugins.onError(run, asError(error), report);
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

  #loop<Output>(work: RunWork<Output>): Promise<LoopResult> {
    const { run, options, execution, meter, check, toolChoice } = work;
    const { signal } = run;
    const { provider, maxExecutionRounds = DEFAULT_MAX_ROUNDS, timeout = 0 } = this.#options;
    const demand = check?.demand;
    return runLoop({
      provider,
      view: this.#view,
      conversation: this.#conversation(),
      tools: this.#tools,
      signal,
      maxRounds: options.maxExecutionRounds ?? maxExecutionRounds,
      idleTimeoutMs: timeout,
      tracker: this.#tracker,
      ...(check && {
        chatOptions: { responseFormat: check.format },
        repair: (text: string) => check.repair(text),
      }),
      ...(demand !== undefined && { demand }),
      ...(toolChoice !== undefined && { toolChoice }),
      refuseCall: () => meter.refusal(),
      onAnswer: ({ usage, error }) => {
        if (usage) meter.add(usage);
        if (!error) work.toolChoice = undefined;
      },
      batch: {
        context: (call) => this.#toolContext(call, run),
        authorize: (call, tool, args) =>
          this.#options.authorize?.(call, tool, args) ?? { allow: true, args },
        onStart: async (calls) => {
          for (const { call, args } of calls) {
            toolEvents(execution, call).emit("execute_start", { tool: call.name, args });
            await this.#plugins.beforeToolExecution(run, pluginCall(call, args));
          }
        },
        onEnd: (completion) => this.#endTool(run, completion, execution),
      },
      onEvent: (event) => {
        if (event.type !== "text_delta") return;
        options.onTextDelta?.(event.delta);
        this.#plugins.onStreamChunk(run, event.delta);
      },
      ...this.#clock,
    });
  }

  async #endTool(
    run: PluginRun,
    completion: ToolCompletion,
    execution: StructuredEventService,
  ): Promise<void> {
    const { call, message, result, durationMs } = completion;
    this.#add(message);
    const { errorCode } = message;
    if (errorCode === undefined)
      toolEvents(execution, call).emit("execute_success", { tool: call.name, durationMs });
    else toolEvents(execution, call).emit("execute_error", { tool: call.name, errorCode });
    await this.#plugins.afterToolExecution(run, pluginCall(call, call.args), result, durationMs);
  }

  /** Lets the plugins store what they hold. */
  dispose(): Promise<void> {
    return this.#plugins.dispose();
  }

  #addInput(content: Content): void {
    const { now, randomUUID } = this.#clock;
    this.#add({ role: "user", id: randomUUID(), timestamp: new Date(now()), content });
  }

  /** What was said, in order. A copy. */
  getHistory(): Message[] {
    return [...this.#messages];
  }

  /** Forgets the conversation. @throws {SessionError} `SESSION_BUSY` during a run */
  clearHistory(): void {
    this.#requireIdle();
    this.#messages = [];
    this.#view = createRequestView(
      this.#options.systemMessage ?? "",
      new Date(this.#platform.now()),
    );
    this.#tracker.reset([]);
  }

  #requireIdle(): void {
    if (!this.#isRunning) return;
    throw new SessionError("SESSION_BUSY", "This agent is running", {
      hint: "Wait for the run, or use another agent: they share nothing.",
    });
  }

  #conversation(): Conversation {
    return {
      messages: this.#messages,
      addAssistant: (message) => this.#add(withoutToolRoundText(message)),
    };
  }

  #add(message: Message): void {
    this.#messages.push(message);
    this.#tracker.add(message);
  }

  #toolContext(call: ToolCall, { signal, runId }: PluginRun): ToolContext {
    return {
      platform: this.#platform,
      cwd: this.#options.cwd ?? "/",
      signal,
      toolCallId: call.id,
      ownerPath: [
        this.#owner,
        { ownerType: "execution", ownerId: runId },
        { ownerType: "tool", ownerId: call.id },
      ],
      emit: () => undefined,
      state: this.#toolState,
      memory: this.#memory,
    };
  }
}

function pluginCall({ id, name }: ToolCall, args: ToolArgs): PluginToolCall {
  return { toolCallId: id, name, args };
}

function toolEvents(execution: StructuredEventService, { id }: ToolCall): StructuredEventService {
  return execution.child({ ownerType: "tool", ownerId: id });
}

/** @throws {ConfigurationError} for a choice among tools that the agent does not have */
function requireTool(choice: ToolChoice | undefined, tools: ReadonlyMap<string, Tool>): void {
  if (choice === undefined || choice === "auto" || choice === "none") return;
  if (choice === "required" ? tools.size > 0 : tools.has(choice.name)) return;
  const wanted = choice === "required" ? "a tool" : `the tool ${choice.name}`;
  throw new ConfigurationError(`toolChoice asks for ${wanted}, and the agent has none`, {
    hint: "Give the tool in the agent's `tools`, or leave toolChoice out.",
  });
}
