import { getModelContextWindow } from "../context/models.ts";
import { ContextTracker } from "../context/tracker.ts";
import { SessionError } from "../errors.ts";
import type { Content, Message, TokenUsage, ToolArgs, ToolCall } from "../messages/message.ts";
import { createRequestView, type RequestView } from "../messages/project.ts";
import type { Platform } from "../ports/platform.ts";
import type { Provider } from "../providers/provider.ts";
import { assemblePlatform } from "../ports/assemble.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { type Conversation, withoutToolRoundText } from "./conversation.ts";
import { runLoop } from "./loop.ts";
import type { Authorization } from "./tool-batch.ts";

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
  /** What tools may reach; without it, tools that need files or a shell fail with a clear error. */
  platform?: Platform;
  /** Absolute; `/` when omitted. */
  cwd?: string;
  /** Decides before each tool call; everything runs when omitted. */
  authorize?(call: ToolCall, tool: Tool, args: ToolArgs): Promise<Authorization> | Authorization;
}

export interface RunOptions {
  signal?: AbortSignal;
  maxExecutionRounds?: number;
  onTextDelta?(delta: string): void;
}

/** How a run ended. A provider's failure is a result: `error` is there, and the agent stays usable. */
export interface RunResult {
  text: string;
  interrupted: boolean;
  error?: unknown;
  rounds: number;
  usage: TokenUsage;
}

/** An agent in its simplest form: a provider, tools and a conversation in memory. */
export class Robota {
  readonly #options: RobotaOptions;
  readonly #platform: Platform;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #tracker: ContextTracker;
  readonly #toolState = new Map<string, unknown>();
  #view: RequestView;
  #messages: Message[] = [];
  #isRunning = false;

  constructor(options: RobotaOptions) {
    this.#options = options;
    this.#platform = assemblePlatform(options);
    this.#tools = new Map((options.tools ?? []).map((tool) => [tool.name, tool]));
    this.#tracker = new ContextTracker(
      options.contextWindow ?? getModelContextWindow(options.provider.model),
      (options.systemMessage ?? "").length + JSON.stringify(options.tools ?? []).length,
    );
    this.#view = createRequestView(
      this.#options.systemMessage ?? "",
      new Date(this.#platform.now()),
    );
  }

  /**
   * Runs until the model answers without calling a tool. After an abort it returns normally with `interrupted: true`.
   * @throws {SessionError} `SESSION_BUSY` while another run is going on
   */
  async run(input: Content, options: RunOptions = {}): Promise<RunResult> {
    if (this.#isRunning) {
      throw new SessionError("SESSION_BUSY", "This agent is running", {
        hint: "Wait for the run, or use another agent: they share nothing.",
      });
    }
    this.#isRunning = true;
    try {
      return await this.#run(input, options);
    } finally {
      this.#isRunning = false;
    }
  }

  async #run(input: Content, options: RunOptions): Promise<RunResult> {
    const platform = this.#platform;
    const clock = { now: () => platform.now(), randomUUID: () => platform.randomUUID() };
    const signal = options.signal ?? new AbortController().signal;
    const { provider } = this.#options;
    this.#add({
      role: "user",
      id: clock.randomUUID(),
      timestamp: new Date(clock.now()),
      content: input,
    });
    return runLoop({
      provider,
      view: this.#view,
      conversation: this.#conversation(),
      tools: this.#tools,
      signal,
      maxRounds:
        options.maxExecutionRounds ?? this.#options.maxExecutionRounds ?? DEFAULT_MAX_ROUNDS,
      idleTimeoutMs: this.#options.timeout ?? 0,
      tracker: this.#tracker,
      batch: {
        context: (call) => this.#toolContext(call, signal),
        onEnd: ({ message }) => this.#add(message),
        authorize: (call, tool, args) =>
          this.#options.authorize?.(call, tool, args) ?? { allow: true, args },
      },
      onEvent: (event) => {
        if (event.type === "text_delta") options.onTextDelta?.(event.delta);
      },
      ...clock,
    });
  }

  /** What was said, in order. A copy. */
  getHistory(): Message[] {
    return [...this.#messages];
  }

  /** Forgets the conversation. */
  clearHistory(): void {
    this.#messages = [];
    this.#view = createRequestView(
      this.#options.systemMessage ?? "",
      new Date(this.#platform.now()),
    );
    this.#tracker.reset([]);
  }

  #conversation(): Conversation {
    const messages = this.#messages;
    return { messages, addAssistant: (message) => this.#add(withoutToolRoundText(message)) };
  }

  #add(message: Message): void {
    this.#messages.push(message);
    this.#tracker.add(message);
  }

  #toolContext(call: ToolCall, signal: AbortSignal): ToolContext {
    return {
      platform: this.#platform,
      cwd: this.#options.cwd ?? "/",
      signal,
      toolCallId: call.id,
      ownerPath: [{ ownerType: "tool", ownerId: call.id }],
      emit: () => undefined,
      state: this.#toolState,
    };
  }
}
