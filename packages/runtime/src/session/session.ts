import type { LoopResult } from "../agent/loop.ts";
import type { ContextWindowState } from "../context/tracker.ts";
import { abortError, asError, SessionError } from "../errors.ts";
import type { Message, ToolArgs, UserMessage } from "../messages/message.ts";
import { checkRules, type PermissionExplanation } from "../permissions/evaluate.ts";
import type { PermissionAnswer, PermissionMode } from "../permissions/permission.ts";
import { requirePermissionMode } from "../permissions/permission.ts";
import type { Platform } from "../ports/platform.ts";
import type { Lease } from "../ports/storage.ts";
import type { Tool } from "../tools/tool.ts";
import { assemblePlatform } from "../ports/assemble.ts";
import type { PermissionRequest, SessionEvent, SessionEventBody } from "./events.ts";
import { PermissionGate } from "./gate.ts";
import { summarise } from "./compact.ts";
import { HeaderWriter } from "./header-writer.ts";
import type { HistoryEntry } from "./history.ts";
import { acquireSession } from "./lease.ts";
import { SessionLog } from "./log.ts";
import { closeCutTurn, resumption } from "./recover.ts";
import { SessionMemory } from "./memory.ts";
import { ModelView } from "./model-view.ts";
import type { SessionOptions, TurnInput, TurnOutcome } from "./options.ts";
import { busy, closed } from "./refusals.ts";
import { requireSessionId } from "./session-id.ts";
import { SessionState, type ToolState } from "./state.ts";
import { turnEndOf } from "./turn-events.ts";
import { runTurnLoop } from "./turn-loop.ts";

/**
 * One conversation with permissions, context tracking and a durable log. Everything it is can be rebuilt from the log,
 * so the same id opened later, also on a new page or process, goes on where it was.
 */
export class Session implements AsyncDisposable {
  readonly sessionId: string;
  readonly #options: SessionOptions;
  readonly #platform: Platform;
  /** The platform's clock and ids, free to be passed on. */
  readonly #clock = {
    now: () => this.#platform.now(),
    randomUUID: () => this.#platform.randomUUID(),
  };
  readonly #hasStorage: boolean;
  readonly #log: SessionLog;
  readonly #state = new SessionState();
  readonly #gate: PermissionGate;
  readonly #header: HeaderWriter;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #view: ModelView;
  readonly #toolState = new Map<string, unknown>();
  readonly #memory = new SessionMemory(this.#state.memory);
  readonly #steering: string[] = [];
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** Opened after it had ended well, which is not told yet. */
  #resumes = false;
  #canSteer = false;
  #lease: Lease | undefined;
  #running: AbortController | undefined;
  #settled: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    const storage = options.storage ?? options.sessionStore?.storage;
    this.#platform = assemblePlatform(storage ? { ...options, storage } : options);
    this.#hasStorage = (storage ?? options.platform?.storage) !== undefined;
    this.sessionId = options.sessionId ?? this.#platform.randomUUID();
    requireSessionId(this.sessionId);
    const mode = options.permissionMode ?? "default";
    requirePermissionMode(mode);
    this.#state.mode = mode;
    this.#state.cwd = options.cwd ?? "/";
    this.#state.systemMessage = options.systemMessage ?? "";
    this.#tools = new Map((options.tools ?? []).map((tool) => [tool.name, tool]));
    this.#view = new ModelView(this.#state, options, this.#clock.now);
    this.#log = new SessionLog({
      sessionId: this.sessionId,
      storage: this.#hasStorage ? this.#platform.storage : undefined,
      now: this.#clock.now,
    });
    this.#log.subscribe((event) => {
      this.#view.apply(event);
      // Whether it waits for a person is what a list of sessions shows first.
      if (event.type === "permission_request" || event.type === "permission_decision")
        this.#saveHeader();
    });
    const { name: provider, model } = options.provider;
    this.#header = new HeaderWriter(this.#platform.storage, this.sessionId, { provider, model });
    checkRules(options.permissions ?? {});
    this.#gate = new PermissionGate({
      log: this.#log,
      state: this.#state,
      lists: options.permissions ?? {},
      handler: options.permissionHandler ?? options.promptForApproval,
      unanswered: options.unanswered ?? "deny",
      randomUUID: this.#clock.randomUUID,
    });
  }

  /**
   * Loads what is stored under the id and takes the session's lease. A turn that a crash cut is closed as interrupted,
   * unless it waits for an approval: then it stays open and goes on with `resolvePermission`. Called by everything else.
   *
   * @throws {SessionError} `SESSION_BUSY` when another tab or process holds it, `LOG_VERSION`, `CLOSED`
   */
  open(): Promise<void> {
    if (this.#isClosed) return Promise.reject(closed());
    this.#opening ??= this.#open().catch((error: unknown) => {
      // The holder may leave: the next call tries again.
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    if (!this.#hasStorage) return;
    const lease = await acquireSession(
      this.#platform.storage,
      this.sessionId,
      this.#options.takeOver ?? false,
    );
    this.#lease = lease;
    this.#log.fence(lease.lost);
    lease.lost.addEventListener("abort", () => this.#loseLease(), { once: true });
    try {
      await this.#load();
    } catch (error) {
      // What was read halfway is no ground to go on from: another session object can open it.
      this.#isClosed = true;
      await lease.release();
      throw error;
    }
  }

  async #load(): Promise<void> {
    const { events, damagedRecords } = await this.#log.load();
    for (const event of events) this.#view.apply(event);
    if (events.length === 0) return;
    const { isCut, bodies } = resumption(this.#state, damagedRecords, this.#options.permissionMode);
    // Looking at a session that ended well writes nothing; that it was opened is told with what comes first.
    this.#resumes = !isCut && bodies.length === 0;
    if (this.#resumes) return;
    if (isCut) this.#log.skipAfterCrash();
    this.#log.turnId = this.#state.turn?.turnId;
    const isWaiting = this.#state.pendingRequests.size > 0;
    const closing = isCut && !isWaiting ? this.#closingEvents() : [];
    await this.#log.commit({ type: "session_resume", cut: isCut }, ...bodies, ...closing);
    if (!this.#state.turn) this.#log.turnId = undefined;
    this.#saveHeader();
  }

  /** Somebody took the session over: what runs here stops, and nothing is written any more. */
  #loseLease(): void {
    this.#running?.abort(abortError());
    if (this.#isClosed) return;
    this.#log.stream({ type: "note", kind: "taken-over", data: {} }, { transient: true });
  }

  #closingEvents(): SessionEventBody[] {
    const { name, model } = this.#options.provider;
    return closeCutTurn(this.#state, { ...this.#clock, provider: name, model });
  }

  /**
   * Runs one turn and resolves to the final answer.
   * @throws {DOMException} `AbortError` after `abort()`; the text so far is in history, marked `interrupted`
   * @throws {Error} what the provider or the storage failed with; the session stays usable
   */
  async run(message: string): Promise<string> {
    const outcome = await this.runTurn({ input: message });
    if (outcome.state === "interrupted") throw abortError();
    if (outcome.state === "failed") throw outcome.error;
    // What was said too late for the turn to take is answered as well.
    return outcome.unread.length > 0 ? this.run(outcome.unread.join("\n\n")) : outcome.response;
  }

  /** Runs one turn and resolves to how it ended. @throws {SessionError} `SESSION_BUSY` while a turn is open, `CLOSED` */
  async runTurn({ input, displayInput, queue, signal }: TurnInput): Promise<TurnOutcome> {
    await this.open();
    this.#requireIdle();
    const { now, randomUUID } = this.#clock;
    return this.#turn(async () => {
      // A turn whose end could not be stored is closed before the next one begins.
      const stranded = this.#state.turn ? this.#closingEvents() : [];
      if (stranded.length > 0) {
        this.#log.turnId = this.#state.turn?.turnId;
        await this.#log.commit(...stranded);
      }
      this.#log.turnId = randomUUID();
      const message: UserMessage = {
        role: "user",
        id: randomUUID(),
        timestamp: new Date(now()),
        content: input,
      };
      await this.#commit(
        { type: "turn_start", input, ...(displayInput === undefined ? {} : { displayInput }) },
        { type: "user_message", message },
        ...(queue ? [{ type: "queue_update" as const, queue: [...queue] }] : []),
      );
      this.#saveHeader();
      this.#reportContext();
    }, signal);
  }

  /**
   * Goes on with a turn that was cut while it waited for an approval.
   * @throws {SessionError} `NOT_FOUND` when no turn is open, `SESSION_BUSY` when it runs
   */
  async resumeTurn(options: { signal?: AbortSignal } = {}): Promise<TurnOutcome> {
    await this.open();
    if (this.#running) throw busy();
    if (!this.#state.turn) throw new SessionError("NOT_FOUND", "No turn is open");
    this.#log.turnId = this.#state.turn.turnId;
    return this.#turn(() => Promise.resolve(), options.signal);
  }

  /** A stranded turn (open, neither running nor waiting for anybody) counts as over. */
  #requireIdle(): void {
    if (this.#isClosed) throw closed();
    const isWaiting = this.#state.turn !== undefined && this.#state.pendingRequests.size > 0;
    if (this.#running || isWaiting) throw busy();
  }

  async #turn(begin: () => Promise<void>, signal?: AbortSignal): Promise<TurnOutcome> {
    const running = new AbortController();
    const abort = (): void => running.abort(abortError());
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    this.#running = running;
    this.#canSteer = true;
    const turn = this.#runToEnd(begin, running);
    this.#settled = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#canSteer = false;
      this.#running = undefined;
      this.#log.turnId = undefined;
    }
  }

  async #runToEnd(begin: () => Promise<void>, running: AbortController): Promise<TurnOutcome> {
    const { signal } = running;
    await begin();
    const turn = this.#state.turn;
    let result: LoopResult | undefined;
    let error: unknown;
    try {
      result = await this.#loop(signal);
      error = result.error;
    } catch (failure) {
      error = failure;
    }
    // From here on it is too late to steer.
    this.#canSteer = false;
    const unread = this.#steering.splice(0);
    const end = turnEndOf(result, error, signal.aborted);
    // A turn that could not record a step leaves calls without a result, which the next request would lack.
    const left = result ? [] : this.#closingEvents().filter(({ type }) => type !== "turn_end");
    await this.#log.commit(...left, end);
    this.#saveHeader();
    const { state, response } = end;
    const outcome = {
      turnId: turn?.turnId ?? "",
      state,
      response,
      toolSummaries: turn?.toolSummaries ?? [],
      // What an abort stops is not steered any more.
      unread: state === "interrupted" ? [] : unread,
    };
    return error === undefined ? outcome : { ...outcome, error: asError(error) };
  }

  #loop(signal: AbortSignal): Promise<LoopResult> {
    return runTurnLoop({
      options: this.#options,
      platform: this.#platform,
      clock: this.#clock,
      sessionId: this.sessionId,
      log: this.#log,
      state: this.#state,
      gate: this.#gate,
      tools: this.#tools,
      toolState: this.#toolState,
      memory: this.#memory,
      tracker: this.#view.tracker,
      view: this.#view.requests,
      steering: this.#steering,
      reportContext: () => this.#reportContext(),
      abort: () => this.#running?.abort(abortError()),
      signal,
    });
  }

  /** Gives the running turn another message at its next step. @throws {SessionError} `NOT_FOUND` when no turn runs */
  async steer(text: string): Promise<void> {
    await this.open();
    if (!this.#canSteer)
      throw new SessionError("NOT_FOUND", "No turn is running", {
        hint: "Send a message instead.",
      });
    this.#steering.push(text);
  }

  /** Stops the running turn. No-op otherwise; a turn that waits since before a reload runs again after `resumeTurn`. */
  abort(): void {
    this.#running?.abort(abortError());
  }

  isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Whether a turn is open: running, or waiting for an approval since before a reload. */
  hasOpenTurn(): boolean {
    return this.isRunning() || this.#state.turn !== undefined;
  }

  /** Whether anything of it is stored or has happened. */
  exists(): boolean {
    return this.#state.isInitialised;
  }

  pendingPermissions(): readonly PermissionRequest[] {
    return [...this.#state.pendingRequests.values()];
  }

  /**
   * Answers a request. A turn that was cut while it waited does not go on by itself: `resumeTurn` does that.
   * @throws {SessionError} `ALREADY_ANSWERED`, `NOT_FOUND`
   */
  async resolvePermission(requestId: string, answer: PermissionAnswer): Promise<void> {
    await this.open();
    this.#log.turnId ??= this.#state.turn?.turnId;
    await this.#gate.resolve(requestId, answer);
  }

  /** What would happen to a call now, and why. */
  explain(tool: string, args: ToolArgs): PermissionExplanation {
    return this.#gate.explain(this.#tools.get(tool) ?? { name: tool }, args);
  }

  getSessionId(): string {
    return this.sessionId;
  }

  getPermissionMode(): PermissionMode {
    return this.#state.mode;
  }

  /** Takes effect for future tool calls. */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    requirePermissionMode(mode);
    await this.open();
    await this.#commit({ type: "mode_change", mode });
  }

  /** Patterns that answers of this session allowed. */
  getSessionAllowedTools(): string[] {
    return this.#state.grants.map(({ pattern }) => pattern);
  }

  getName(): string | undefined {
    return this.#state.name;
  }

  async setName(name: string): Promise<void> {
    await this.open();
    await this.#commit({ type: "name_change", name });
    this.#saveHeader();
  }

  /** Turns that were completed. */
  getMessageCount(): number {
    return this.#state.completedTurns;
  }

  /** Messages as the model knows them. The array is live: copy it to keep it. */
  getHistory(): readonly Message[] {
    return this.#state.messages;
  }

  /** Messages and events as a person saw them. The array is live: copy it to keep it. */
  getFullHistory(): readonly HistoryEntry[] {
    return this.#state.history;
  }

  /** Empties the conversation; the log keeps what was said. @throws {SessionError} `SESSION_BUSY` while a turn is open */
  async clearHistory(): Promise<void> {
    await this.open();
    this.#requireIdle();
    await this.#commit({ type: "history_cleared" });
  }

  /** Adds a message without asking the model. @throws {SessionError} `SESSION_BUSY` while a turn is open */
  async injectMessage(role: "user" | "assistant", content: string): Promise<void> {
    await this.open();
    this.#requireIdle();
    const base = {
      id: this.#platform.randomUUID(),
      timestamp: new Date(this.#platform.now()),
      content,
    };
    await this.#commit(
      role === "user"
        ? { type: "user_message", message: { role, ...base } }
        : { type: "assistant_message", message: { role, ...base, state: "complete" } },
    );
  }

  /**
   * Puts a summary by the model in the place of the conversation; the log keeps what was said. Until the summary is
   * durable, and when it fails, the conversation stays as it is.
   * @throws {SessionError} `SESSION_BUSY` while a turn is open
   * @throws {RobotaError} `COMPACTION_FAILED`
   */
  async compact(instructions = ""): Promise<{ before: number; after: number }> {
    await this.open();
    this.#requireIdle();
    const running = new AbortController();
    this.#running = running;
    try {
      const before = this.#view.tracker.usedTokens();
      const summary = await summarise({
        provider: this.#options.provider,
        messages: this.#view.messages(),
        instructions: instructions || (this.#options.compactInstructions ?? ""),
        idleTimeoutMs: this.#options.providerTimeout ?? 0,
        signal: running.signal,
        ...this.#clock,
      });
      const after = this.#view.tracker.estimate(summary.length);
      await this.#commit({ type: "compaction", trigger: "manual", summary, before, after });
      this.#reportContext();
      return { before, after };
    } finally {
      this.#running = undefined;
    }
  }

  getContextState(): ContextWindowState {
    return this.#view.tracker.state;
  }

  getStreamingText(): string {
    return this.#state.streaming.text;
  }

  getActiveTools(): ToolState[] {
    return [...this.#state.activeTools.values()];
  }

  /** Prompts that wait, as they were last recorded. */
  getQueue(): readonly string[] {
    return this.#state.queue;
  }

  async setQueue(queue: readonly string[]): Promise<void> {
    await this.#commit({ type: "queue_update", queue: [...queue] });
  }

  /** Calls `listener` with every event from now on. Returns the way to stop. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.#log.subscribe(listener);
  }

  /** The events after `after` (default: all), then those that follow, until `signal` aborts. */
  async *events(
    options: { after?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionEvent, void> {
    await this.open();
    yield* this.#log.events(options);
  }

  /** Stops a running turn, makes everything durable, and lets go of the session. Later calls do nothing. */
  shutdown(options: { reason?: string } = {}): Promise<void> {
    this.#closing ??= this.#close(options.reason ?? "other");
    return this.#closing;
  }

  async #close(reason: string): Promise<void> {
    this.#isClosed = true;
    this.#running?.abort(abortError());
    // Opening may have failed; then there is nothing to close.
    await this.#opening?.catch(() => undefined);
    await this.#settled;
    try {
      const isLost = this.#lease?.lost.aborted ?? false;
      const isTold = this.#resumes || !this.#state.isInitialised;
      if (!isLost && !isTold) await this.#log.commit({ type: "session_shutdown", reason });
      await this.#header.settled();
    } finally {
      this.#log.close();
      await this.#lease?.release();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  /** The session comes into being with its first event, and comes back with the first one after it was opened. */
  async #commit(...bodies: SessionEventBody[]): Promise<void> {
    if (this.#isClosed) throw closed();
    if (!this.#state.isInitialised) bodies.unshift(this.#initialEvent());
    if (this.#resumes) bodies.unshift({ type: "session_resume", cut: false });
    await this.#log.commit(...bodies);
    this.#resumes = false;
  }

  #initialEvent(): SessionEventBody {
    const { provider } = this.#options;
    return {
      type: "session_init",
      cwd: this.#state.cwd,
      systemMessage: this.#state.systemMessage,
      provider: provider.name,
      model: provider.model,
      permissionMode: this.#state.mode,
      tools: [...this.#tools.keys()],
    };
  }

  #reportContext(): void {
    const state = this.#view.tracker.state;
    this.#options.onContextUpdate?.(state);
    const { usedTokens, maxTokens, usedPercentage } = state;
    const { isExact: exact } = this.#view.tracker;
    this.#log.stream({ type: "context_update", usedTokens, maxTokens, usedPercentage, exact });
  }

  #saveHeader(): void {
    if (this.#hasStorage && this.#state.isInitialised) this.#header.save(this.#state);
  }
}
