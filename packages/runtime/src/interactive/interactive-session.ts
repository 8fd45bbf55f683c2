import type { ContextWindowState } from "../context/tracker.ts";
import { abortError, asError, callSafely, errorFacts, SessionError } from "../errors.ts";
import type { Message, ToolArgs } from "../messages/message.ts";
import type { PermissionExplanation } from "../permissions/evaluate.ts";
import type { PermissionAnswer, PermissionMode } from "../permissions/permission.ts";
import type { Platform } from "../ports/platform.ts";
import type { Provider } from "../providers/provider.ts";
import type { Checkpoint, RewindScope } from "../session/checkpoints.ts";
import type { PermissionRequest, SessionEvent } from "../session/events.ts";
import { getMessagesForAPI, type HistoryEntry } from "../messages/history.ts";
import type { RewindResult } from "../session/rewind.ts";
import type { SessionOptions, TurnOutcome } from "../session/options.ts";
import type { Session } from "../session/session.ts";
import type { ToolState } from "../session/state.ts";
import type { SessionStore } from "../session/store.ts";
import type { Tool } from "../tools/tool.ts";
import { createSession } from "./create-session.ts";
import { type CommandResult, executeSystemCommand, listSystemCommands } from "./commands.ts";
import type { ExecutionResult, InteractiveSessionEvents, TransportAdapter } from "./types.ts";

/** What of a session's own options a person's session takes as they are. */
type GivenToSession =
  | "permissionMode"
  | "permissions"
  | "permissionHandler"
  | "roots"
  | "guardUntrustedReads"
  | "hooks"
  | "hookHost"
  | "hookDepth"
  | "plugins"
  | "onPluginError"
  | "eventService"
  | "models"
  | "budget"
  | "turnBudget"
  | "sessionId"
  | "takeOver"
  | "trackFiles"
  | "maxTurns"
  | "providerTimeout"
  | "progressTimeout"
  | "callTimeout"
  | "contextWindow"
  | "autoCompactThreshold"
  | "compactInstructions"
  | "onCompact"
  | "onCompactEvent";

/** Without a `permissionHandler`, requests wait for `resolvePermission`. */
export interface InteractiveSessionOptions extends Pick<SessionOptions, GivenToSession> {
  platform?: Platform;
  provider?: Provider;
  /** Absolute; `/` when omitted. A resumed session keeps its own. */
  cwd?: string;
  /** Added to the built-in tools; one of the same name replaces it. */
  tools?: readonly Tool[];
  /** Opens that stored session. */
  resumeSessionId?: string;
  /** With `resumeSessionId`: goes on in a new session with that one's past, which stays as it is. */
  forkSession?: boolean;
  /** Keeps the session where this store keeps its own, instead of in the platform's storage. */
  sessionStore?: SessionStore;
  /** Prompts that may wait while a turn runs; default 1. */
  queueLimit?: number;
  /** A prepared session instead of everything above. */
  session?: Session;
}

interface Prompt {
  input: string;
  displayInput?: string | undefined;
  rawInput?: string | undefined;
}

interface QueuedPrompt extends Prompt {
  settle: { resolve: (result: ExecutionResult) => void; reject: (error: unknown) => void };
}

type Listeners = { [Name in keyof InteractiveSessionEvents]?: Set<InteractiveSessionEvents[Name]> };

/**
 * A session as a person uses it, for any client: it queues prompts, streams events, keeps what a person sees, and runs
 * commands. The same object works in a tab, in a worker and in Node, given that host's platform.
 */
export class InteractiveSession implements AsyncDisposable {
  readonly sessionId: string;
  /**
   * Resolves when the stored session is loaded.
   * @throws {SessionError} `SESSION_BUSY`, `NOT_FOUND`, `LOG_VERSION`
   */
  readonly ready: Promise<void>;
  readonly #session: Session;
  readonly #listeners: Listeners = {};
  readonly #queueLimit: number;
  #queue: QueuedPrompt[] = [];
  /** Prompts that waited when the last page or process ended; they run behind the next turn. */
  #restored: string[] = [];
  /** A turn runs, and this object tells of it. */
  #following = false;
  #abortion = new AbortController();
  #history: {
    source: readonly HistoryEntry[];
    length: number;
    entries: HistoryEntry[];
    messages: Message[];
  } = {
    source: [],
    length: 0,
    entries: [],
    messages: [],
  };

  constructor(options: InteractiveSessionOptions) {
    this.#queueLimit = options.queueLimit ?? 1;
    this.#session = options.session ?? createSession(options);
    this.sessionId = this.#session.sessionId;
    this.#session.subscribe((event) => this.#publish(event));
    this.ready = this.#open(options);
    // Whoever waits for it gets the error; nobody has to.
    this.ready.catch(() => undefined);
  }

  async #open(options: InteractiveSessionOptions): Promise<void> {
    await this.#forkFirst(options);
    await this.#session.open();
    if (options.resumeSessionId !== undefined && !this.#session.exists()) {
      await this.#session.shutdown();
      throw new SessionError("NOT_FOUND", `There is no session ${this.sessionId}`, {
        hint: "List the sessions with listSessions(platform.storage).",
      });
    }
    this.#restored = [...this.#session.getQueue()];
    // A turn that waits for an approval goes on as soon as somebody is there to answer.
    if (this.#isWaiting() && options.permissionHandler) this.#resumeTurn();
  }

  async #forkFirst(options: InteractiveSessionOptions): Promise<void> {
    const { resumeSessionId: from, forkSession, platform, sessionStore } = options;
    const storage = sessionStore?.storage ?? platform?.storage;
    if (!forkSession || from === undefined || !storage) return;
    const { forkStored } = await import("../session/fork.ts");
    await forkStored(storage, { from, to: this.sessionId, fs: platform?.fs });
  }

  /** Whether a turn is open that nobody runs: cut while it waited for an approval. */
  #isWaiting(): boolean {
    return this.#session.hasOpenTurn() && !this.#session.isRunning() && !this.#following;
  }

  /**
   * Sends a prompt and resolves when its turn ended, however it ended. While a turn is open, the prompt waits in the queue.
   *
   * @param displayInput what history shows instead of `input`
   * @param rawInput what hooks are told instead of `input`
   * @throws {SessionError} `QUEUE_FULL`; nothing that waits is replaced
   */
  async submit(input: string, displayInput?: string, rawInput?: string): Promise<ExecutionResult> {
    // From here on an abort concerns this prompt, also while the session is still opening.
    const abortion = this.#abortion;
    await this.ready;
    if (abortion.signal.aborted) return this.#dropped();
    if (!this.isExecuting()) return this.#execute({ input, displayInput, rawInput });
    if (this.#queue.length + this.#restored.length >= this.#queueLimit) {
      throw new SessionError("QUEUE_FULL", `${this.#queueLimit} prompts are waiting already`, {
        hint: "Wait for the running turn, cancel the queue, or steer the running turn.",
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>();
    // It may be rejected by a shutdown before its caller has it.
    promise.catch(() => undefined);
    const prompt: QueuedPrompt = { input, displayInput, rawInput, settle: { resolve, reject } };
    this.#queue.push(prompt);
    try {
      await this.#recordQueue();
    } catch (error) {
      this.#queue = this.#queue.filter((other) => other !== prompt);
      throw error;
    }
    return promise;
  }

  #execute({ input, displayInput, rawInput }: Prompt): Promise<ExecutionResult> {
    const turn = {
      input,
      queue: this.#waiting(),
      ...(displayInput === undefined ? {} : { displayInput }),
      ...(rawInput === undefined ? {} : { rawInput }),
    };
    return this.#follow((signal) => this.#session.runTurn({ ...turn, signal }));
  }

  /** Tells the listeners of a turn's beginning and end, and starts what waits behind it. */
  async #follow(run: (signal: AbortSignal) => Promise<TurnOutcome>): Promise<ExecutionResult> {
    this.#following = true;
    this.#emit("thinking", true);
    try {
      const outcome = await run(this.#abortion.signal);
      this.#restored.unshift(...outcome.unread);
      const result = this.#resultOf(outcome);
      this.#ended();
      if (outcome.state === "complete") this.#emit("complete", result);
      else if (outcome.state === "interrupted") this.#emit("interrupted", result);
      else this.#emit("error", asError(outcome.error));
      return result;
    } catch (error) {
      this.#ended();
      this.#emit("error", asError(error));
      throw error;
    } finally {
      this.#startNext();
    }
  }

  #ended(): void {
    this.#following = false;
    // An abort ends what it found, not what comes after.
    if (this.#abortion.signal.aborted) this.#abortion = new AbortController();
    this.#emit("thinking", false);
  }

  #startNext(): void {
    if (this.isExecuting()) return;
    const restored = this.#restored.shift();
    const next: QueuedPrompt | undefined =
      restored === undefined
        ? this.#queue.shift()
        : {
            input: restored,
            settle: { resolve: () => {}, reject: () => {} },
          };
    if (!next) return;
    this.#execute(next).then(next.settle.resolve, next.settle.reject);
  }

  #recordQueue(): Promise<void> {
    return this.#session.setQueue(this.#waiting());
  }

  #waiting(): string[] {
    return [...this.#restored, ...this.#queue.map(({ input }) => input)];
  }

  #dropped(): ExecutionResult {
    return this.#resultOf({ turnId: "", state: "interrupted", response: "", toolSummaries: [] });
  }

  #resultOf(
    outcome: Pick<TurnOutcome, "turnId" | "state" | "response" | "toolSummaries" | "error">,
  ): ExecutionResult {
    const { turnId, state, response, toolSummaries, error } = outcome;
    const fullHistory = (): readonly HistoryEntry[] => this.getFullHistory();
    return {
      turnId,
      state,
      response,
      toolSummaries,
      contextState: this.#session.getContextState(),
      ...(error === undefined ? {} : { error: errorFacts(error) }),
      // On demand: copying the history at each turn's end would cost more with each turn.
      get history() {
        return fullHistory();
      },
    };
  }

  /** Gives the running turn another message at its next step; when none runs any more, sends it as a prompt. */
  async steer(text: string): Promise<void> {
    await this.ready;
    try {
      await this.#session.steer(text);
    } catch (error) {
      if (!(error instanceof SessionError) || error.code !== "NOT_FOUND") throw error;
      await this.submit(text);
    }
  }

  /** Stops the turn that runs, waits or is about to begin, and drops what waits behind it. Text so far is kept. */
  abort(): void {
    this.cancelQueue();
    const abortion = this.#abortion;
    if (this.#isWaiting()) this.#resumeTurn();
    // With no turn to end, what was submitted a moment ago still finds it.
    else if (!this.#following) this.#abortion = new AbortController();
    abortion.abort();
  }

  /** Drops what waits; the running turn goes on. */
  cancelQueue(): void {
    const dropped = this.#queue;
    if (dropped.length + this.#restored.length === 0) return;
    this.#queue = [];
    this.#restored = [];
    for (const { settle } of dropped) {
      settle.resolve(this.#dropped());
    }
    // A queue that can't be recorded as empty comes back after a reload, where it can be cancelled again.
    this.#recordQueue().catch(() => undefined);
  }

  /** Whether a turn is open: running, or waiting for an answer since before a reload. */
  isExecuting(): boolean {
    return this.#following || this.#session.hasOpenTurn();
  }

  /** The prompt that runs next, or `null`. */
  getPendingPrompt(): string | null {
    return this.#waiting()[0] ?? null;
  }

  /** All prompts that wait, in order. */
  getQueue(): readonly string[] {
    return this.#waiting();
  }

  /** The messages a person sees. Another array after every change, the same one until then. */
  getMessages(): readonly Message[] {
    return this.#snapshot().messages;
  }

  /** Messages and events. Another array after every change, the same one until then. */
  getFullHistory(): readonly HistoryEntry[] {
    return this.#snapshot().entries;
  }

  #snapshot(): { entries: HistoryEntry[]; messages: Message[] } {
    const source = this.#session.getFullHistory();
    if (source !== this.#history.source || source.length !== this.#history.length) {
      const entries = [...source];
      this.#history = {
        source,
        length: source.length,
        entries,
        messages: getMessagesForAPI(entries),
      };
    }
    return this.#history;
  }

  getContextState(): ContextWindowState {
    return this.#session.getContextState();
  }

  /** The words so far of the message that is being written. */
  getStreamingText(): string {
    return this.#session.getStreamingText();
  }

  getActiveTools(): ToolState[] {
    return this.#session.getActiveTools();
  }

  getPermissionMode(): PermissionMode {
    return this.#session.getPermissionMode();
  }

  /** Takes effect for future tool calls. */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    await this.#session.setPermissionMode(mode);
  }

  getSessionAllowedTools(): string[] {
    return this.#session.getSessionAllowedTools();
  }

  /** Takes a rule back that an answer had added, in this session and in its workspace. */
  async revokePermission(pattern: string): Promise<void> {
    await this.ready;
    await this.#session.revokePermission(pattern);
  }

  /** Requests that wait for an answer, oldest first. */
  pendingPermissions(): readonly PermissionRequest[] {
    return this.#session.pendingPermissions();
  }

  /**
   * Answers a request; resolves when the answer is durable. A turn that was cut while it waited goes on.
   * @throws {SessionError} `ALREADY_ANSWERED`, `NOT_FOUND`
   */
  async resolvePermission(requestId: string, answer: PermissionAnswer): Promise<void> {
    await this.ready;
    await this.#session.resolvePermission(requestId, answer);
    if (this.#isWaiting() && this.#session.pendingPermissions().length === 0) this.#resumeTurn();
  }

  /** Its end is told by events: there is no `submit` that waits for it any more. */
  #resumeTurn(): void {
    this.#follow((signal) => this.#session.resumeTurn({ signal })).catch(() => undefined);
  }

  /** What would happen to a call now, and why. */
  explain(tool: string, args: ToolArgs): PermissionExplanation {
    return this.#session.explain(tool, args);
  }

  /** Every event after `after` (default: all of them), then those that follow, until `signal` aborts. */
  events(options: { after?: number; signal?: AbortSignal } = {}): AsyncIterable<SessionEvent> {
    return this.#session.events(options);
  }

  /** Calls `listener` for each of these from now on. Returns the way to stop. */
  on<Name extends keyof InteractiveSessionEvents>(
    name: Name,
    listener: InteractiveSessionEvents[Name],
  ): () => void {
    const listeners: Set<InteractiveSessionEvents[Name]> = (this.#listeners[name] ??=
      new Set<never>() as never);
    listeners.add(listener);
    return () => this.off(name, listener);
  }

  off<Name extends keyof InteractiveSessionEvents>(
    name: Name,
    listener: InteractiveSessionEvents[Name],
  ): void {
    this.#listeners[name]?.delete(listener);
  }

  listCommands(): { name: string; description: string }[] {
    return listSystemCommands();
  }

  /** Resolves to `null` for an unknown command. */
  executeCommand(name: string, args = ""): Promise<CommandResult | null> {
    return executeSystemCommand(this, name, args);
  }

  async clearHistory(): Promise<void> {
    await this.#session.clearHistory();
  }

  /** Puts a summary in the place of the conversation; history and log keep what was said. @throws as `Session.compact` */
  compact(instructions?: string): Promise<{ before: number; after: number }> {
    return this.#session.compact(instructions);
  }

  /** The points that the session can be rewound to, oldest first. */
  checkpoints(): Checkpoint[] {
    return this.#session.checkpoints();
  }

  /** Brings the conversation, the files or both back to how they were when a turn began. @throws as `Session.rewind` */
  async rewind(checkpointId: string, what: RewindScope = "both"): Promise<RewindResult> {
    await this.ready;
    return this.#session.rewind(checkpointId, what);
  }

  /** A new session of this one's past, with files of its own. @throws as `Session.fork` */
  async fork(at?: string): Promise<InteractiveSession> {
    await this.ready;
    const session = await this.#session.fork(at);
    const fork = new InteractiveSession({ session, queueLimit: this.#queueLimit });
    await fork.ready;
    return fork;
  }

  /** Turns that were completed. */
  getMessageCount(): number {
    return this.#session.getMessageCount();
  }

  getName(): string | undefined {
    return this.#session.getName();
  }

  async setName(name: string): Promise<void> {
    await this.#session.setName(name);
  }

  attachTransport(transport: TransportAdapter): void {
    transport.attach(this);
  }

  /** Stops the running turn, makes everything durable and lets go of the session. */
  async shutdown(options: { reason?: string } = {}): Promise<void> {
    for (const { settle } of this.#queue.splice(0)) settle.reject(abortError());
    await this.#session.shutdown(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  #publish(event: SessionEvent): void {
    this.#emit("event", event);
    switch (event.type) {
      case "text_delta":
        this.#emit("text_delta", event.delta);
        return;
      case "tool_start": {
        const { toolCallId, tool: toolName, firstArg } = event;
        this.#emit("tool_start", { toolCallId, toolName, firstArg, isRunning: true });
        return;
      }
      case "tool_end":
        this.#emit("tool_end", this.#endedTool(event.toolCallId));
        return;
      case "permission_request":
        this.#emit("permission_request", event.request);
        return;
      case "context_update":
        this.#emit("context_update", this.#session.getContextState());
        return;
      default:
        return;
    }
  }

  #endedTool(toolCallId: string): ToolState {
    const entry = this.#session
      .getFullHistory()
      .findLast(
        ({ type, data }) => type === "tool-end" && (data as ToolState).toolCallId === toolCallId,
      );
    return entry?.data as ToolState;
  }

  #emit<Name extends keyof InteractiveSessionEvents>(
    name: Name,
    ...args: Parameters<InteractiveSessionEvents[Name]>
  ): void {
    for (const listener of this.#listeners[name] ?? []) {
      callSafely(() => (listener as (...values: unknown[]) => void)(...args));
    }
  }
}
