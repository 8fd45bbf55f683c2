import { getModelContextWindow, type ModelDefinition } from "../context/models.ts";
import { ContextTracker, toolCharacters } from "../context/tracker.ts";
import { ConfigurationError, type PluginError, SessionError } from "../errors.ts";
import {
  DEFAULT_ABSTRACT_EVENT_SERVICE,
  type EventService,
  StructuredEventService,
} from "../events/event-service.ts";
import type { Content, Message, TokenUsage, ToolArgs, ToolCall } from "../messages/message.ts";
import { createRequestView, type RequestView } from "../messages/project.ts";
import { requireOptions } from "../option-forms.ts";
import type { Platform } from "../ports/platform.ts";
import type { Provider, ToolChoice } from "../providers/provider.ts";
import type { Plugin } from "../plugins/plugin.ts";
import { PluginChain } from "../plugins/plugin-chain.ts";
import { assemblePlatform } from "../ports/assemble.ts";
import { toolsByName } from "../tools/tools-by-name.ts";
import type { OwnerPathSegment, Tool, ToolContext } from "../tools/tool.ts";
import { type Budget, RunMeter, Spending } from "./budget.ts";
import { type Conversation, withoutToolRoundText } from "./conversation.ts";
import { type LoopResult, runLoop } from "./loop.ts";
import { ROBOTA_OPTIONS } from "./known-options.ts";
import { requireLimits, requirePrompt } from "./require-input.ts";
import { requireProvider } from "./require-provider.ts";
import type { ResponseCheck, ResponseFormat } from "./structured-output.ts";
import type { Authorization } from "./tool-batch.ts";
import { type RunAttempt, type RunResult, AgentRun } from "./agent-run.ts";

const DEFAULT_MAX_ROUNDS = 10;

export interface RobotaOptions {
  provider: Provider;
  tools?: readonly Tool[] | undefined;
  systemMessage?: string | undefined;
  /** Tool rounds of a run after which the final answer is requested; default 10, 0 for no limit. */
  maxExecutionRounds?: number | undefined;
  /** Milliseconds without data after which a provider call fails; 0 (default) leaves it to the provider. */
  timeout?: number | undefined;
  /**
   * Milliseconds in which an answer must grow by something, be it thinking or arguments: a service that only pings, or
   * sends empty pieces, fails then. Default 15 minutes, 0 for no limit.
   */
  progressTimeout?: number | undefined;
  /** Milliseconds that one provider call may take as a whole. Default one hour, 0 for no limit. */
  callTimeout?: number | undefined;
  /** Overrides the catalog. Tokens. */
  contextWindow?: number | undefined;
  /** Additional models, for windows and prices; searched before the catalog. */
  models?: readonly ModelDefinition[] | undefined;
  /** Budget of all runs of this agent together. */
  budget?: Budget | undefined;
  /** The platform that tools may use; without it, tools that need files or a shell fail with a clear error. */
  platform?: Platform | undefined;
  /** Absolute; `/` when omitted. */
  cwd?: string | undefined;
  /** Watch and guard every run, in the order of their priorities. */
  plugins?: readonly Plugin[] | undefined;
  /** Gets the events of `AGENT_EVENTS`, each with the path of its owners. */
  eventService?: EventService | undefined;
  /** Called when a plugin threw; the run continues. */
  onPluginError?(error: PluginError): void;
  /** Decides before each tool call; everything runs when omitted. */
  authorize?(call: ToolCall, tool: Tool, args: ToolArgs): Promise<Authorization> | Authorization;
}

export interface RunOptions<Output = undefined> {
  signal?: AbortSignal | undefined;
  maxExecutionRounds?: number | undefined;
  /** Budget of this run alone, including its retries. */
  budget?: Budget | undefined;
  /** Tool choice of the run's first call only, so that a required call does not keep the run from ending. */
  toolChoice?: ToolChoice | undefined;
  /** The final answer is JSON that follows this schema. One that does not goes back to the model once. */
  responseFormat?: ResponseFormat<Output> | undefined;
  onTextDelta?(delta: string): void;
}

/** State that one run keeps across its attempts. */
interface RunWork<Output> {
  runId: string;
  signal: AbortSignal;
  options: RunOptions<Output>;
  agentRun: AgentRun;
  check: ResponseCheck<Output> | undefined;
  /** Applies until the first answer. */
  toolChoice: ToolChoice | undefined;
}

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
  /** Tool state and memory; created at the first call. */
  #toolState: Map<string, unknown> | undefined;
  #memory: Map<string, string> | undefined;
  #view: RequestView;
  #messages: Message[] = [];
  readonly #plugins: PluginChain;
  readonly #owner: OwnerPathSegment;
  readonly #events: StructuredEventService;
  readonly #spending = new Spending();
  #isRunning = false;

  /** @throws {ConfigurationError} without a provider, or for a tool without one of its parts */
  constructor(options: RobotaOptions) {
    requireProvider(options);
    requireOptions(options, ROBOTA_OPTIONS);
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
    this.#tools = toolsByName(options.tools);
    this.#tracker = new ContextTracker(
      options.contextWindow ?? getModelContextWindow(options.provider.model, options.models),
      { system: (options.systemMessage ?? "").length, tools: toolCharacters(options.tools) },
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
   * @throws {ValidationError} for an input that is neither text nor parts
   */
  async run<Output = undefined>(
    input: Content,
    options?: RunOptions<Output>,
  ): Promise<RunResult<Output>> {
    this.#requireIdle();
    this.#isRunning = true;
    try {
      return await this.#run(input, options ?? {});
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
    const { provider, models, budget, timeout, progressTimeout, callTimeout } = this.#options;
    const { maxExecutionRounds = this.#options.maxExecutionRounds } = options;
    const { contextWindow } = this.#options;
    requirePrompt(input);
    requireLimits({ maxExecutionRounds, timeout, progressTimeout, callTimeout, contextWindow });
    const { responseFormat, toolChoice, signal = new AbortController().signal } = options;
    requireTool(toolChoice, this.#tools);
    const check = responseFormat && (await checkOf(responseFormat));
    const meter = new RunMeter({
      model: provider.model,
      models,
      owner: "agent",
      ownerSpending: this.#spending,
      ownerBudget: budget,
      runBudget: options.budget,
    });
    const runId = this.#clock.randomUUID();
    const agentRun = new AgentRun({
      plugins: this.#plugins,
      meter,
      events: this.#events,
      owner: this.#owner,
      runId,
      input,
      provider,
      signal,
      now: this.#clock.now,
    });
    const work = { runId, signal, options, agentRun, check, toolChoice };
    return agentRun.run({
      begin: (content) => this.#addInput(content),
      attempt: async (): Promise<RunAttempt<Output>> => {
        const ended = await this.#loop(work);
        return check ? check.finish(ended) : ended;
      },
    });
  }

  #loop<Output>(work: RunWork<Output>): Promise<LoopResult> {
    const { signal, options, agentRun, check, toolChoice } = work;
    const { provider, maxExecutionRounds = DEFAULT_MAX_ROUNDS } = this.#options;
    const { timeout = 0, progressTimeout, callTimeout } = this.#options;
    const ranWith = new Map<string, ToolArgs>();
    return runLoop({
      provider,
      view: this.#view,
      conversation: this.#conversation(),
      tools: this.#tools,
      signal,
      maxRounds: options.maxExecutionRounds ?? maxExecutionRounds,
      idleTimeoutMs: timeout,
      progressTimeoutMs: progressTimeout,
      callTimeoutMs: callTimeout,
      tracker: this.#tracker,
      chatOptions: check && (() => ({ responseFormat: check.format })),
      reviseAnswer: check && ((text) => check.reviseAnswer(text)),
      finalRequest: check?.finalRequest,
      toolChoice,
      refuseCall: agentRun.refuseCall,
      onToolResults: (outcome) => agentRun.onToolResults(outcome),
      onAnswer: (message) => {
        agentRun.onAnswer(message);
        if (!message.error) work.toolChoice = undefined;
      },
      batch: {
        context: (call) => this.#toolContext(call, work),
        authorize: (call, tool, args) =>
          agentRun.authorize(
            call,
            tool,
            args,
            (wanted) =>
              this.#options.authorize?.(call, tool, wanted) ?? { allow: true, args: wanted },
          ),
        onStart: (calls) => {
          for (const { call, args } of calls) ranWith.set(call.id, args);
          return agentRun.onToolsStart(calls);
        },
        onEnd: async (completion) => {
          const { call } = completion;
          const seen = await agentRun.lookAtResult(completion, ranWith.get(call.id) ?? call.args);
          this.#add(seen.message);
          agentRun.onToolEnd(seen);
        },
      },
      onEvent: (event) => {
        if (event.type !== "text_delta") return;
        options.onTextDelta?.(event.delta);
        agentRun.onTextDelta(event.delta);
      },
      ...this.#clock,
    });
  }

  /** Flushes and disposes the plugins. */
  dispose(): Promise<void> {
    return this.#plugins.dispose();
  }

  #addInput(content: Content): void {
    const { now, randomUUID } = this.#clock;
    this.#add({ role: "user", id: randomUUID(), timestamp: new Date(now()), content });
  }

  /** A copy of the messages, in order. */
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

  #toolContext(call: ToolCall, { runId, signal, agentRun }: RunWork<unknown>): ToolContext {
    const { provider, timeout = 0, progressTimeout, callTimeout } = this.#options;
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
      state: (this.#toolState ??= new Map()),
      memory: (this.#memory ??= new Map()),
      ask: async (question) => {
        const { askModel } = await import("./ask-model.ts");
        return askModel(question, {
          provider,
          signal,
          idleTimeoutMs: timeout,
          progressTimeoutMs: progressTimeout,
          callTimeoutMs: callTimeout,
          refuseCall: agentRun.refuseCall,
          onAnswer: ({ usage }) => usage && agentRun.onQuestion(usage),
          ...this.#clock,
        });
      },
    };
  }
}

/** Checking code is loaded with the first response format. */
async function checkOf<Output>(format: ResponseFormat<Output>): Promise<ResponseCheck<Output>> {
  const { ResponseCheck: Check } = await import("./structured-output.ts");
  return new Check(format);
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
