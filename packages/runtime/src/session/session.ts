import type { SystemPromptReport } from "../context/prompt-report.ts";
import type { ContextBreakdown, ContextWindowState } from "../context/tracker.ts";
import { abortError, requireArgument } from "../errors.ts";
import type { FileSystem } from "../ports/file-system.ts";
import type { Message, TokenUsage, ToolArgs } from "../messages/message.ts";
import type { PermissionExplanation } from "../permissions/evaluate.ts";
import type { PermissionMode, PermissionResult, RuleInForce } from "../permissions/permission.ts";
import { requirePermissionMode } from "../permissions/permission.ts";
import { disposeSessionState } from "../tools/session-state.ts";
import type { AnswerFormat, Provider } from "../providers/provider.ts";
import type { SessionAgents } from "./agents/session-agents.ts";
import { type Checkpoint, type RewindScope, SESSION_START } from "./files/checkpoints.ts";
import type { CompactionReport } from "./turn/compact.ts";
import type { SessionCore } from "./core.ts";
import { createCore } from "./create-core.ts";
import type { ModelChoice, PermissionRequest, SessionEvent } from "./log/events.ts";
import type { SessionPlace } from "./log/notes.ts";
import type { HistoryEntry } from "../messages/history.ts";
import { SessionLifecycle } from "./lifecycle.ts";
import type { SessionOptions, TurnInput, TurnOutcome } from "./options.ts";
import { queueUpdate, type WaitingPrompt } from "./queue.ts";
import type { ToolState } from "./state/tool-state.ts";
import { unlessTakenOver } from "./log/refusals.ts";
import type { RewindPreview } from "./files/preview-rewind.ts";
import type { ChangedContent, ChangedFile, FileToRestore } from "./files/changes.ts";
import type { RewindResult } from "./files/rewind.ts";
import type { ExportOptions } from "./transfer/export.ts";
import type { HandOverOptions } from "./transfer/hand-over.ts";
import type { ImportIntoOptions } from "./transfer/open-session.ts";
import type { WantedModel } from "./turn/switch-model.ts";
import { TurnRunner } from "./turn/turn-runner.ts";
import { requireThreshold } from "./option-checks.ts";

const END_REASONS = ["clear", "logout", "prompt_input_exit", "other"] as const;

/**
 * One conversation with permissions, context tracking and a durable log. All of its state can be rebuilt from the log,
 * so that the same id opened later, also on a new page or process, continues it.
 */
export class Session implements AsyncDisposable {
  readonly sessionId: string;
  readonly #core: SessionCore;
  readonly #lifecycle: SessionLifecycle;
  readonly #turns: TurnRunner;
  #closing: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#core = createCore(options);
    this.sessionId = this.#core.sessionId;
    this.#turns = new TurnRunner(this.#core);
    this.#lifecycle = new SessionLifecycle(this.#core, {
      onLost: () => this.#loseLease(),
      beginSession,
    });
  }

  /**
   * Loads the stored session and takes its lease. A turn interrupted by a crash is closed, unless it waits for an
   * approval: then it stays open and continues with `resolvePermission`. Methods that run, change or export the session
   * call it themselves, but turns leave the rules that `explain` judges by to their first call of a tool; getters,
   * `explain`, `subscribe` and `setQueue` do not, and know only what is loaded.
   *
   * @throws {SessionError} `SESSION_BUSY` when another tab or process holds it, `LOG_VERSION`, `CLOSED`
   */
  async open(): Promise<void> {
    await this.openForTurns();
    await this.loadRules();
  }

  /** As `open`, without what only `explain` needs. */
  openForTurns(): Promise<void> {
    return this.#lifecycle.open();
  }

  /** Loads what `explain` needs, unless `loadsRulesLater` leaves it to the first call of a tool. */
  loadRules(): Promise<void> {
    return this.#core.approvals.rules.openExplanations();
  }

  /** Handles a take-over: running work stops, and nothing is written any more. */
  #loseLease(): void {
    const { writer, log } = this.#core;
    this.#turns.abort();
    if (writer.isClosed) return;
    log.stream({ type: "note", kind: "taken-over", data: {} }, { transient: true });
  }

  /**
   * Runs one turn and resolves to the final answer.
   * @throws {DOMException} `AbortError` after `abort()`; the text so far is in history, marked `interrupted`
   * @throws {StorageError} `FENCED` when another one took the session over
   * @throws {Error} the failure of the provider or the storage; the session stays usable
   */
  async run(message: string): Promise<string> {
    const outcome = await this.runTurn({ input: message });
    // A take-over may have interrupted the turn.
    if (outcome.state === "interrupted") throw this.#core.log.lost ?? abortError();
    if (outcome.state === "failed") throw outcome.error;
    // Steering messages that came too late for the turn are answered as well.
    return outcome.unread.length > 0 ? this.run(outcome.unread.join("\n\n")) : outcome.response;
  }

  /** Runs one turn and resolves to its outcome. @throws {SessionError} `SESSION_BUSY` while a turn is open, `CLOSED` */
  async runTurn(turn: TurnInput): Promise<TurnOutcome> {
    requireArgument("turn", turn, "object");
    return this.#turns.run(turn, () => this.openForTurns());
  }

  /**
   * Continues a turn that was interrupted while it waited for an approval.
   * @throws {SessionError} `NOT_FOUND` when no turn is open, `SESSION_BUSY` when it runs
   */
  resumeTurn(turn?: Pick<TurnInput, "signal" | "stopHooks">): Promise<TurnOutcome> {
    return this.#turns.resume(turn ?? {}, () => this.openForTurns());
  }

  /** Gives the running turn another message at its next step. @throws {SessionError} `NOT_FOUND` when no turn runs */
  async steer(text: string): Promise<void> {
    requireArgument("text", text);
    await this.open();
    this.#turns.steer(text);
  }

  /**
   * Aborts a running turn, or one that was requested and has not begun. No-op otherwise; a turn waiting since before a
   * reload runs again after `resumeTurn`.
   */
  abort(): void {
    this.#turns.abort();
  }

  /** True while a turn, a compaction, a rewind, a restoration of files or an import runs, from its call on until it settles. */
  isRunning(): boolean {
    return this.#turns.isRunning;
  }

  /** True while a turn waits for an approval since before a reload, or `isRunning`. */
  hasOpenTurn(): boolean {
    return this.isRunning() || (this.#core.state.turn !== undefined && !this.handedOverTo);
  }

  /** Id of the open turn, once it has begun. */
  get openTurnId(): string | undefined {
    return this.#core.state.turn?.turnId;
  }

  /** The form that the open turn's answer has to have, when it is not the session's. */
  get openTurnFormat(): AnswerFormat | undefined {
    return this.#core.state.turn?.responseFormat;
  }

  /** True when the session is stored, or has any event. */
  exists(): boolean {
    return this.#core.state.isInitialised;
  }

  pendingPermissions(): readonly PermissionRequest[] {
    if (this.handedOverTo) return [];
    return [...this.#core.state.pendingRequests.values()];
  }

  /**
   * Answers a request. A turn that was interrupted while it waited does not continue by itself: `resumeTurn` does that.
   * @throws {SessionError} `ALREADY_ANSWERED`, `NOT_FOUND`
   * @throws {ValidationError} for anything but a yes or a no, or for a wrong pattern
   */
  async resolvePermission(requestId: string, answer: PermissionResult): Promise<void> {
    await this.open();
    this.#core.log.turnId ??= this.#core.state.turn?.turnId;
    await this.#core.approvals.resolve(requestId, answer);
  }

  /** Predicts the decision on a call, with its reason. @throws {SessionError} `CLOSED` before `open` has resolved */
  explain(tool: string, args: ToolArgs): PermissionExplanation {
    requireArgument("tool", tool);
    requireArgument("args", args, "object");
    return this.#core.approvals.rules.explain(this.#core.tools.get(tool) ?? { name: tool }, args);
  }

  /** The number of the last event, shown or not. */
  get lastSeq(): number {
    return this.#core.log.lastSeq;
  }

  /** The session's files, whose changes are recorded for rewinds and exports, and its working directory. */
  get workspace(): { readonly fs: FileSystem; readonly cwd: string } {
    return { fs: this.#core.platform.fs, cwd: this.#core.state.cwd };
  }

  getSessionId(): string {
    return this.sessionId;
  }

  getPermissionMode(): PermissionMode {
    return this.#core.state.mode;
  }

  /** Takes effect for future tool calls. */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    requirePermissionMode(mode);
    await this.open();
    // The next request of a running turn offers what needs no approval any more.
    if (mode === "bypassPermissions") await this.#core.approvals.rules.load();
    await this.#core.writer.commit({ type: "mode_change", mode });
  }

  /** Patterns allowed by answers of this session. */
  getSessionAllowedTools(): string[] {
    return this.#core.state.grants.map(({ pattern }) => pattern);
  }

  /** All permission rules in force: those that deny first, then those that ask and those that allow. */
  async getPermissionRules(): Promise<RuleInForce[]> {
    await this.open();
    return this.#core.approvals.rules.listRules();
  }

  /** Revokes everything that answers of this session allowed. */
  async clearSessionAllowedTools(): Promise<void> {
    await this.open();
    for (const pattern of new Set(this.getSessionAllowedTools()))
      await this.#core.approvals.revoke(pattern);
  }

  /** Revokes a rule that an answer added, in this session and in its workspace. */
  async revokePermission(pattern: string): Promise<void> {
    requireArgument("pattern", pattern);
    await this.open();
    await this.#core.approvals.revoke(pattern);
  }

  getName(): string | undefined {
    return this.#core.state.name;
  }

  async setName(name: string): Promise<void> {
    requireArgument("name", name);
    await this.open();
    await this.#core.writer.commit({ type: "name_change", name });
    const { keepHeader } = await import("./store/header-writer.ts");
    this.#core.writer.saveHeader(keepHeader);
  }

  /** The model of the next turn, and the name of its provider. */
  getModel(): ModelChoice {
    const { options, switched } = this.#core;
    const { name: provider, model } = switched?.next ?? options.provider;
    return { provider, model };
  }

  /** The providers that `setModel` knows by their names, with their own models. */
  getProviders(): ModelChoice[] {
    return this.#providers.map(({ name, model }) => ({ provider: name, model }));
  }

  get #providers(): readonly Provider[] {
    const { switched, initialOptions } = this.#core;
    return switched?.known ?? [initialOptions.provider, ...(initialOptions.providers ?? [])];
  }

  /**
   * Switches to another model: of the present provider, or with its name of another one that the session knows. `opus`,
   * `sonnet` and `haiku` stand for the newest of their family. Takes effect with the next turn, while a running one ends
   * with its own. Recorded: a resumed session, a fork and an import that is trusted continue with it. Window and prices
   * follow; the conversation stays, without the parts that only its former model can read.
   * @throws {ValidationError} for an unknown provider, a malformed name, or a model without known prices when the
   * session's budget is in dollars
   * @throws {ModelNotAvailableError} for a model that the catalog knows as another service's
   */
  async setModel(model: WantedModel): Promise<void> {
    const { switchModel } = await import("./turn/switch-model.ts");
    await this.open();
    await switchModel(this.#core, model, () => this.#turns.isRunning);
  }

  /** Switches to another provider and its model, and makes it known by its name. Otherwise as `setModel`. */
  async setProvider(provider: Provider): Promise<void> {
    const { switchProvider } = await import("./turn/switch-model.ts");
    await this.open();
    await switchProvider(this.#core, provider, () => this.#turns.isRunning);
  }

  /** Language of the answers; absent when none is asked for. */
  getLanguage(): string | undefined {
    return this.#core.state.language;
  }

  /**
   * Asks for answers in a language, such as `German` or `pt-BR`, from the next turn on; `undefined` for no preference.
   * Recorded as `setModel`.
   * @throws {ValidationError} for anything but a language's name
   */
  async setLanguage(language: string | undefined): Promise<void> {
    const { switchLanguage } = await import("./turn/switch-model.ts");
    await this.open();
    await switchLanguage(this.#core, language);
  }

  /** Number of completed turns. */
  getMessageCount(): number {
    return this.#core.state.completedTurns;
  }

  /** The conversation, as the model knows it. The array is live: copy it to keep it. */
  getHistory(): readonly Message[] {
    return this.#core.state.messages;
  }

  /** Messages and events as a person saw them. The array is live: copy it to keep it. */
  getFullHistory(): readonly HistoryEntry[] {
    return this.#core.state.history;
  }

  /** True while `getFullHistory` is empty. Costs nothing, while a long history is folded when it is first asked for. */
  get isEmpty(): boolean {
    return this.#core.state.lastEntryType === undefined;
  }

  /** Clears the conversation; the log keeps it. @throws {SessionError} `SESSION_BUSY` while a turn is open */
  async clearHistory(): Promise<void> {
    await this.open();
    this.#turns.requireIdle();
    await this.#core.writer.commit({ type: "history_cleared" });
  }

  /** Adds a message without asking the model. @throws {SessionError} `SESSION_BUSY` while a turn is open */
  async injectMessage(role: "user" | "assistant" | "system", content: string): Promise<void> {
    const { eventOfText, requireMessage } = await import("./log/given-entry.ts");
    requireMessage({ role, content });
    await this.open();
    this.#turns.requireIdle();
    await this.#core.writer.commit(eventOfText(role, content, this.#core.clock));
  }

  /**
   * Adds an entry to the history: a message of the conversation, or an event that the model never sees. It gets its
   * number and time from the session's log.
   * @throws {SessionError} `SESSION_BUSY` while a turn is open
   */
  async addHistoryEntry(entry: HistoryEntry): Promise<void> {
    const { eventOfEntry } = await import("./log/given-entry.ts");
    const event = eventOfEntry(entry);
    await this.open();
    this.#turns.requireIdle();
    await this.#core.writer.commit(event);
  }

  /**
   * Replaces the conversation by a summary of the model's; the log keeps the original. Until the summary is durable,
   * and when it fails, the conversation stays unchanged. An empty one stays unchanged, and no model is asked.
   * @throws {SessionError} `SESSION_BUSY` while a turn is open
   * @throws {RobotaError} `COMPACTION_FAILED`, `HOOK_BLOCKED`, or `BUDGET_EXCEEDED` when a budget is spent
   * @throws {DOMException} `AbortError` after `abort()`
   */
  compact(instructions = ""): Promise<CompactionReport> {
    return this.#turns.exclusively(
      "compaction",
      async (signal) => {
        const { compactConversation } = await import("./turn/compact.ts");
        return compactConversation(this.#core, { trigger: "manual", instructions, signal });
      },
      () => this.open(),
    );
  }

  /** The checkpoints that the session can be rewound to, oldest first. */
  checkpoints(): Checkpoint[] {
    return this.#core.state.checkpoints.list();
  }

  /**
   * Restores the conversation, the files or both to the beginning of a turn. It can be undone, also after the
   * conversation has gone on or was rewound further: the result names the checkpoint for that.
   * @throws {SessionError} `NOT_FOUND` for an unknown checkpoint of the current conversation, `SESSION_BUSY` while a
   * turn is open or an agent runs in the background
   */
  async rewind(checkpointId: string, what: RewindScope = "both"): Promise<RewindResult> {
    const { rewindTo } = await import("./files/rewind.ts");
    await this.open();
    return this.#turns.exclusively("rewind", () => rewindTo(this.#core, checkpointId, what));
  }

  /**
   * The changes of files that `rewind` to a checkpoint would make. Nothing is changed.
   * @throws {SessionError} `NOT_FOUND` for an unknown checkpoint of the current conversation
   */
  async previewRewind(checkpointId: string): Promise<RewindPreview> {
    const { previewRewind } = await import("./files/preview-rewind.ts");
    await this.open();
    return previewRewind(this.#core, checkpointId);
  }

  /**
   * The files and symlinks that a turn changed, by whatever means, or that differ from the session's start; by path.
   * Changes that a person makes through `workspace.fs` after a turn are none of the turn, while it runs they are. Changes
   * past the session, and those of programs that `files-not-covered` notes name, are unknown.
   * @throws {SessionError} `NOT_FOUND` for an unknown turn of the current conversation
   */
  async changedFiles(turnId?: string): Promise<ChangedFile[]> {
    const changes = await import("./files/changes.ts");
    await this.open();
    return changes.changedFiles(this.#core, turnId);
  }

  /** Both versions of files that `changedFiles` lists, in no order. @throws as `changedFiles` */
  async changedContents(paths: readonly string[], turnId?: string): Promise<ChangedContent[]> {
    const changes = await import("./files/changes.ts");
    await this.open();
    return changes.changedContents(this.#core, paths, turnId);
  }

  /**
   * Restores single files, or what is below directories, to a checkpoint or to the session's start. The conversation
   * stays, and other files do. It can be undone as `rewind`, or again for single files. With what `changedFiles` listed,
   * nothing is restored once one of these files is another than it was then.
   * @throws as `rewind` @throws {SessionError} `FILE_CHANGED`
   */
  async restoreFiles(
    wanted: readonly FileToRestore[],
    checkpointId: string = SESSION_START,
  ): Promise<RewindResult> {
    requireArgument("paths", wanted, "array");
    const { rewindFiles } = await import("./files/rewind-files.ts");
    await this.open();
    return this.#turns.exclusively("restore", () => rewindFiles(this.#core, checkpointId, wanted));
  }

  /**
   * Creates a new session from this one's past, which stays unchanged: its conversation up to a checkpoint, or to an
   * entry by its `seq` (now when omitted; a turn open there is cut after its last complete step), its grants, and the
   * files of that moment, as a copy-on-write view of its own. Files that this session never changed show their present
   * content.
   * @throws {SessionError} `NOT_FOUND` for an unknown checkpoint, or before the first event
   * @throws {ConfigurationError} for a session without storage
   */
  async fork(at?: string | number): Promise<Session> {
    const stored = await this.storeFork(at);
    const fork = new Session({ ...this.#core.initialOptions, ...stored });
    await fork.open();
    return fork;
  }

  /** Stores a fork, and resolves to the options that open it in place of this session's own. @throws as `fork` */
  async storeFork(
    at?: string | number,
  ): Promise<Pick<SessionOptions, "sessionId" | "providers" | "takeOver">> {
    await this.open();
    const { forkOpen } = await import("./store/fork-open.ts");
    const sessionId = await forkOpen(this.#core, at);
    return { sessionId, providers: this.#providers, takeOver: false };
  }

  /**
   * Exports the session as lines of JSON that every host can import, without secrets. A running turn is exported as far
   * as it is.
   * @throws {ConfigurationError} for a session without storage
   */
  async export(options?: ExportOptions): Promise<ReadableStream<Uint8Array>> {
    await this.open();
    const { exportOpen } = await import("./transfer/open-session.ts");
    return exportOpen(this.#core, options ?? {});
  }

  /**
   * Stops here for good, so that the session can go on elsewhere: calls that run may end, a request to the model is cut, and
   * the log is sealed with the turn, the queue and the requests for approval as they are. Afterwards the session can be read,
   * exported and forked; all else fails with `HANDED_OVER`, also when it is opened again. Its export, imported as `trusted`
   * under the id in `to`, goes on there, and nowhere else. Called again, it resolves to the same destination.
   * @throws {SessionError} `HANDED_OVER` when it was handed over to another one, `SESSION_BUSY` during a compaction or rewind
   * @throws {ValidationError} before the first event @throws {ConfigurationError} for a session without storage
   * @throws {StorageError} the session goes on here then
   */
  async handOver(options: HandOverOptions): Promise<SessionPlace> {
    const { handOver } = await import("./transfer/hand-over.ts");
    await this.open();
    return handOver(this.#core, this.#turns, options);
  }

  /** The place at which the session goes on; `undefined` while that is here. */
  get handedOverTo(): SessionPlace | undefined {
    return this.#core.state.handedOverTo;
  }

  /**
   * Continues a session that `export` wrote elsewhere, in its own working directory. This session must be empty, and no
   * imported content runs by itself.
   * @throws {ValidationError} for anything that is not a session, is too large, leads out of the working directory, or
   * comes too late
   * @throws {SessionError} `LOG_CORRUPT` when it was truncated, `LOG_VERSION`, `SESSION_BUSY` while a turn is open
   */
  async importInto(stream: ReadableStream<Uint8Array>, options?: ImportIntoOptions): Promise<void> {
    await this.open();
    const { importInto } = await import("./transfer/open-session.ts");
    const reload = (): Promise<void> => this.#lifecycle.reload();
    await importInto(this.#core, this.#turns, { stream, options, reload });
  }

  /** The subagents of this session: those that run, and the conversations of all. */
  async agents(): Promise<SessionAgents> {
    await this.open();
    const { SessionAgents } = await import("./agents/session-agents.ts");
    return new SessionAgents(this.#core);
  }

  /** Token usage of all turns, of hooks that judge and of compactions, including those before the session was resumed. */
  getUsage(): TokenUsage {
    return this.#core.spending.usage;
  }

  /** Cost of that usage in US dollars, or `undefined` when the prices of a used model are unknown. */
  getCost(): number | undefined {
    return this.#core.spending.cost;
  }

  getContextState(): ContextWindowState {
    return this.#core.requestContext.tracker.state;
  }

  /** Usage of the window, by kind of content. */
  getContextBreakdown(): ContextBreakdown {
    return this.#core.requestContext.tracker.breakdown;
  }

  /** The sections of the system prompt; `undefined` for a system message given as a text, and before the session opens. */
  getSystemPromptReport(): SystemPromptReport | undefined {
    return this.#core.state.promptReport;
  }

  getAutoCompactThreshold(): number | false {
    return this.#core.autoCompactThreshold;
  }

  /** Takes effect from the next request on. @throws {ValidationError} for anything but `false` or a share up to 1 */
  setAutoCompactThreshold(threshold: number | false): void {
    this.#core.autoCompactThreshold = requireThreshold(threshold);
  }

  getStreamingText(): string {
    return this.#core.state.streaming.text;
  }

  getActiveTools(): ToolState[] {
    return [...this.#core.state.activeTools.values()];
  }

  /** Waiting prompts, as last recorded. */
  getQueue(): readonly string[] {
    return this.#core.state.queue.map(({ input }) => input);
  }

  /** Waiting prompts, with the clients' requests that submitted them. */
  getWaitingPrompts(): readonly WaitingPrompt[] {
    return this.#core.state.queue;
  }

  /** True when none of the waiting prompts begins by itself, as last recorded. */
  isQueuePaused(): boolean {
    return this.#core.state.isQueuePaused;
  }

  /**
   * Records the prompts that wait.
   * @param options.mustKeep when false, they are shown also where they can't be stored, and stored with whatever is stored next
   */
  async setQueue(
    queue: readonly (string | WaitingPrompt)[],
    options?: { isPaused?: boolean; mustKeep?: boolean },
  ): Promise<void> {
    const { isPaused = false, mustKeep = true } = options ?? {};
    const { writer, log, state } = this.#core;
    const update = queueUpdate(queue, isPaused);
    try {
      await writer.commit(update);
    } catch (error) {
      if (mustKeep || !state.isInitialised) throw error;
      log.stream(update);
    }
  }

  /**
   * Lets the platform announce a waiting request while `isAttended` returns false, since nobody follows the session.
   */
  watchAttendance(isAttended: () => boolean): void {
    requireArgument("isAttended", isAttended, "function");
    this.#core.attendance.watch(isAttended);
  }

  /** Calls `listener` with every event from now on. Returns the unsubscribe function. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    requireArgument("listener", listener, "function");
    return this.#core.log.subscribe(listener);
  }

  /** The events after `after` (default: all), then new ones, until `signal` aborts. */
  events(options?: { after?: number; signal?: AbortSignal }): AsyncGenerator<SessionEvent, void> {
    return this.#core.log.events({ ...options, open: () => this.openForTurns() });
  }

  /** Aborts a running turn, makes everything durable, and releases the session. Later calls do nothing. */
  shutdown(options?: { reason?: string | undefined }): Promise<void> {
    this.#closing ??= this.#close(options?.reason ?? "other");
    return this.#closing;
  }

  async #close(reason: string): Promise<void> {
    const { writer, log, hooks, options, toolState, tracer } = this.#core;
    writer.close();
    tracer?.shutdown(reason);
    this.#turns.abort();
    try {
      // Opening may have failed; then there is nothing to close.
      await this.#lifecycle.settled();
      await this.#turns.settled();
      await disposeSessionState(toolState);
      if (options.plugins) {
        const { pluginsOf } = await import("./turn/plugins-of.ts");
        await pluginsOf(options).dispose();
      }
      if (this.#lifecycle.isOwn) await writer.end(reason).catch(unlessTakenOver);
      await this.#notifyEnd(reason);
    } finally {
      hooks.close();
      await tracer?.flush();
      log.close();
      await this.#lifecycle.release();
    }
  }

  /** Runs the hooks once everything is recorded. Their failures are ignored. */
  async #notifyEnd(reason: string): Promise<void> {
    const { hooks, startHooks } = this.#core;
    if (!startHooks.hasBegun) return;
    const known = END_REASONS.find((candidate) => candidate === reason) ?? "other";
    await hooks.run("SessionEnd", { reason: known }).catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }
}

/** For the parts of a session that begin others: they don't import the class. */
function beginSession(options: SessionOptions): Session {
  return new Session(options);
}
