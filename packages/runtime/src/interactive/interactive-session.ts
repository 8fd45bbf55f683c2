import type { SystemPromptReport } from "../context/prompt-report.ts";
import type { ContextBreakdown, ContextWindowState } from "../context/tracker.ts";
import { requireArgument } from "../errors.ts";
import { requireOptions } from "../option-forms.ts";
import type { HistoryEntry } from "../messages/history.ts";
import type { Message, TokenUsage, ToolArgs } from "../messages/message.ts";
import type { PermissionExplanation } from "../permissions/evaluate.ts";
import type { PermissionMode, PermissionResult, RuleInForce } from "../permissions/permission.ts";
import type { Platform } from "../ports/platform.ts";
import type { Provider } from "../providers/provider.ts";
import type { SessionAgents } from "../session/agents/session-agents.ts";
import type { Checkpoint, RewindScope } from "../session/files/checkpoints.ts";
import type {
  ModelChoice,
  PermissionRequest,
  SessionEvent,
  TurnRequest,
} from "../session/log/events.ts";
import type { WantedModel } from "../session/turn/switch-model.ts";
import type { RewindPreview } from "../session/files/preview-rewind.ts";
import type { RewindResult } from "../session/files/rewind.ts";
import type { ExportOptions } from "../session/transfer/export.ts";
import { loadOnce } from "../load-once.ts";
import type { SessionPlace } from "../session/log/notes.ts";
import { busy, handedOver } from "../session/log/refusals.ts";
import type { HandOverOptions } from "../session/transfer/hand-over.ts";
import type { ImportIntoOptions } from "../session/transfer/open-session.ts";
import { requireQueueLimit } from "../session/option-checks.ts";
import type { Session } from "../session/session.ts";
import type { ToolState } from "../session/state/tool-state.ts";
import { listBuiltins } from "./commands/builtin-list.ts";
import type {
  Command,
  CommandCaller,
  CommandOutcome,
  CommandPrompt,
  CommandResult,
} from "./commands/command.ts";
import type { CommandCompletion } from "./commands/complete.ts";
import type { CommandParts, SessionCommands } from "./commands/session-commands.ts";
import { createSession } from "./create-session.ts";
import { HistorySnapshot } from "./history-snapshot.ts";
import { SessionListeners } from "./listeners.ts";
import { forkOptions, isCopy, openSession, withRules } from "./open-session.ts";
import { INTERACTIVE_OPTIONS } from "./known-options.ts";
import type { ImportedSessionOptions, InteractiveSessionOptions } from "./options.ts";
import type { PromptQueue } from "./prompt-queue.ts";
import { type AbortOptions, PromptRunner } from "./prompt-runner.ts";
import { type SessionChanges, sessionChanges } from "./session-changes.ts";
import type { ResolvedSettings } from "./settings/settings.ts";
import type { Skills } from "./skills/skills-in-force.ts";
import type { SettingsFileLayer, SettingsUpdate } from "./settings/update-settings.ts";
import type { TransportAdapter } from "./transport-adapter.ts";
import {
  type StructuredResult,
  type StructuredSubmitOptions,
  type SubmitArguments,
  submitOptions,
  type SubmitOptions,
} from "./submit-options.ts";
import type { ExecutionResult, InteractiveSessionEvents } from "./types.ts";

/**
 * A session for interactive use by any client: it queues prompts, streams events, keeps the visible history, and runs
 * commands. The same object works in a tab, in a worker and in Node, given that host's platform.
 */
export class InteractiveSession implements AsyncDisposable {
  readonly sessionId: string;
  /** The files that turns changed, and the way to restore single ones. */
  readonly changes: SessionChanges;
  /** Opening that turns wait for: all but the rules that `explain` judges by, which their first call of a tool loads. */
  readonly #opened: Promise<void>;
  #ready: Promise<void> | undefined;
  readonly #session: Session;
  readonly #listeners: SessionListeners;
  readonly #history: HistorySnapshot;
  readonly #prompts: PromptRunner;
  readonly #startsQueue: boolean;
  readonly #hasHandler: boolean;
  #settings: ResolvedSettings | undefined;
  #skills: Skills = new Map();
  readonly #options: InteractiveSessionOptions;
  #commandParts: CommandParts;
  #commandList: readonly { name: string; description: string }[] = listBuiltins();
  readonly #commands = loadOnce(async (): Promise<SessionCommands> => {
    const { SessionCommands } = await import("./commands/session-commands.ts");
    return new SessionCommands(this, this.#commandParts);
  });
  /** True once a caller has requested events or open requests. */
  #isFollowed = false;

  /** @throws {ConfigurationError} without a platform or a provider, or for an option that can't be used */
  constructor(options: InteractiveSessionOptions) {
    requireOptions(options, INTERACTIVE_OPTIONS);
    const queueLimit = requireQueueLimit(options.queueLimit);
    this.#commandParts = { sources: options.commandSources ?? [], agents: () => [] };
    this.#session =
      options.session ??
      createSession(options, {
        onSettings: (settings) => (this.#settings = settings),
        onCommands: (parts) => (this.#commandParts = parts),
        onSkills: (skills) => (this.#skills = skills),
        onRefreshed: () => this.#listCommands(),
      });
    this.#options = options;
    this.sessionId = this.#session.sessionId;
    this.#listeners = new SessionListeners(this.#session);
    this.#hasHandler = options.permissionHandler !== undefined;
    this.#startsQueue = options.onInterruptedTurn === "continue";
    this.#session.watchAttendance(() => this.#isAttended());
    this.#history = new HistorySnapshot(this.#session);
    this.#prompts = new PromptRunner(this.#session, this.#listeners, this.#history, queueLimit);
    this.changes = sessionChanges(this, this.#session, this.#prompts);
    this.#opened = this.#open(options);
    // Rejections reach those who wait for it; nobody has to.
    this.#opened.catch(() => undefined);
  }

  /**
   * Resolves when the stored session is loaded, and the rules that `explain` judges by. Turns wait for neither `ready` nor
   * those rules, which their first call of a tool loads.
   * @throws {SessionError} `SESSION_BUSY`, `NOT_FOUND`, `LOG_VERSION`
   * @throws {ConfigurationError} for a file of settings that can't be read or used
   */
  get ready(): Promise<void> {
    return (this.#ready ??= withRules(this.#opened, this.#session));
  }

  async #open(options: InteractiveSessionOptions): Promise<void> {
    await openSession(this.#session, options);
    await this.#listCommands();
    this.#goOn();
  }

  #goOn(): void {
    this.#prompts.restore(this.#startsQueue);
    if (!this.#hasHandler || !this.#prompts.isWaiting()) return;
    // A turn waiting for an approval resumes as soon as somebody is there to answer; that of a copy, only a person
    // resumes.
    if (!isCopy(this.#session)) this.#prompts.resume();
  }

  /** True when a permission request is visible to somebody. */
  #isAttended(): boolean {
    const listeners = this.#listeners;
    return this.#isFollowed || listeners.has("permission_request") || listeners.has("event");
  }

  /**
   * Sends a prompt and resolves when its turn has ended, in any way. While a turn is open, the prompt is queued. With a
   * `responseFormat` the result has the answer's value: `const { output } = await session.submit("Which files?", {
   * responseFormat: z.object({ files: z.array(z.string()) }) })`.
   * @throws {SessionError} `QUEUE_FULL`; queued prompts are never replaced
   * @throws {ConfigurationError} for a `responseFormat` that is not the schema of an object
   */
  submit<Output>(
    input: string,
    options: StructuredSubmitOptions<Output>,
  ): Promise<StructuredResult<Output>>;
  submit(input: string, ...given: SubmitArguments): Promise<ExecutionResult>;
  submit(input: string, ...given: SubmitArguments): Promise<ExecutionResult> {
    return this.#prompts.submit({ input, ...submitOptions(given) }, this.#opened);
  }

  /**
   * Gives the running turn another message at its next step; when none runs any more, sends it as a prompt. Resolves once
   * the message is accepted: by the turn that runs, the one that it begins, or the queue. The turn's end comes by events.
   * @throws as `submit`, when it is not accepted
   */
  steer(text: string): Promise<void> {
    return this.#prompts.steer(text, this.#opened);
  }

  /**
   * Stops the turn that runs, waits or is about to begin, and clears the queue behind it. Text so far is kept. Stops a
   * compaction and an import too; a rewind ends by itself.
   * @param options.keepQueue pauses the queue instead, until `queue.resume()`
   * @param options.turnId stops only this turn, if it is the open one; the queue goes on
   */
  abort(options?: AbortOptions): void {
    this.#prompts.abort(options);
  }

  /** The prompts that wait, to be edited, moved, removed and paused. */
  get queue(): PromptQueue {
    return this.#prompts.queue;
  }

  /**
   * Clears the queue, or drops its first prompt with this text; the running turn continues. Prompts sent before `ready`
   * count as queued.
   */
  cancelQueue(text?: string): void {
    this.#prompts.cancelQueue(text);
  }

  /**
   * True while a turn is open (sent, running, or waiting for an answer since before a reload), and during a compaction, a
   * rewind, a restoration of files or an import.
   */
  isExecuting(): boolean {
    return this.#prompts.isExecuting();
  }

  /** The prompt that runs next, or `null`. */
  getPendingPrompt(): string | null {
    return this.#prompts.waiting()[0] ?? null;
  }

  /** The requests of prompts that wait since before a reload; `submit` with one of them takes its prompt over. */
  getWaitingRequests(): readonly TurnRequest[] {
    return this.#prompts.waitingRequests();
  }

  /** All queued prompts, in order. */
  getQueue(): readonly string[] {
    return this.#prompts.waiting();
  }

  /** The messages a person sees. Another array after every change, the same one until then. */
  getMessages(): readonly Message[] {
    return this.#history.get().messages;
  }

  /** Messages and events. Another array after every change, the same one until then. */
  getFullHistory(): readonly HistoryEntry[] {
    return this.#history.get().entries;
  }

  /** As `Session.isEmpty`. */
  get isEmpty(): boolean {
    return this.#session.isEmpty;
  }

  getContextState(): ContextWindowState {
    return this.#session.getContextState();
  }

  /** Use of the window by kind of content. */
  getContextBreakdown(): ContextBreakdown {
    return this.#session.getContextBreakdown();
  }

  /**
   * The sections of the system prompt: where each comes from, its size, and whether it was cut or left out, with the
   * reason. `undefined` before `ready` and for a prepared session without one.
   */
  getSystemPromptReport(): SystemPromptReport | undefined {
    return this.#session.getSystemPromptReport();
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
    await this.#opened;
    await this.#session.setPermissionMode(mode);
  }

  /** The model of the next turn, and the name of its provider. */
  getModel(): ModelChoice {
    return this.#session.getModel();
  }

  /** The providers that `setModel` knows by their names, with their own models. */
  getProviders(): ModelChoice[] {
    return this.#session.getProviders();
  }

  /** Switches to another model from the next turn on. @throws as `Session.setModel` */
  async setModel(model: WantedModel): Promise<void> {
    await this.#opened;
    await this.#session.setModel(model);
  }

  /** Switches to another provider and its model from the next turn on. @throws as `Session.setProvider` */
  async setProvider(provider: Provider): Promise<void> {
    await this.#opened;
    await this.#session.setProvider(provider);
  }

  /** Language of the answers; absent when none is asked for. */
  getLanguage(): string | undefined {
    return this.#session.getLanguage();
  }

  /** Asks for answers in this language from the next turn on. @throws as `Session.setLanguage` */
  async setLanguage(language: string | undefined): Promise<void> {
    await this.#opened;
    await this.#session.setLanguage(language);
  }

  getSessionAllowedTools(): string[] {
    return this.#session.getSessionAllowedTools();
  }

  /** As `Session.getPermissionRules`. */
  async getPermissionRules(): Promise<RuleInForce[]> {
    await this.#opened;
    return this.#session.getPermissionRules();
  }

  /** Takes a rule back that an answer had added, in this session and in its workspace. */
  async revokePermission(pattern: string): Promise<void> {
    await this.#opened;
    await this.#session.revokePermission(pattern);
  }

  /** Requests that wait for an answer, oldest first. */
  pendingPermissions(): readonly PermissionRequest[] {
    this.#isFollowed = true;
    return this.#session.pendingPermissions();
  }

  /**
   * Answers a request; resolves when the answer is durable. Resumes a turn that was interrupted while it waited.
   * @throws {SessionError} `ALREADY_ANSWERED`, `NOT_FOUND`
   * @throws {ValidationError} for anything that is neither a yes nor a no, or a malformed pattern
   */
  async resolvePermission(requestId: string, answer: PermissionResult): Promise<void> {
    await this.#opened;
    await this.#session.resolvePermission(requestId, answer);
    const isAnswered = this.#session.pendingPermissions().length === 0;
    if (this.#prompts.isWaiting() && isAnswered) this.#prompts.resume();
  }

  /** The settings in force, with where each comes from; nothing before `ready` and for a prepared session. */
  getSettings(): ResolvedSettings | undefined {
    return this.#settings;
  }

  /** The skills in force by name; none before `ready` and for a prepared session. Unusable ones are warnings of the settings. */
  getSkills(): Skills {
    return this.#skills;
  }

  /** As `getSettings`: `sources` says of each value which layer, and so which file, it comes from. */
  get settings(): ResolvedSettings | undefined {
    return this.#settings;
  }

  /**
   * Changes a file of settings, and keeps its comments and formatting. In force with the next turn, as any change of the
   * file. @throws as `updateSettings` of `@robota/runtime/settings`
   * @throws {SessionError} `SESSION_BUSY` while a turn is open, whose own changes of such files count as a model's
   */
  async updateSettings(layer: SettingsFileLayer, change: SettingsUpdate): Promise<void> {
    await this.#opened;
    if (this.isExecuting()) throw busy("turn");
    const { updateSettingsOf } = await import("./settings/update-settings.ts");
    await updateSettingsOf(this.#options, layer, change);
  }

  /** The present decision on a call, and its reason. @throws {SessionError} `CLOSED` before `ready`, unless a tool was called */
  explain(tool: string, args: ToolArgs): PermissionExplanation {
    return this.#session.explain(tool, args);
  }

  /** Yields every event after `after` (default: all of them), then live ones, until `signal` aborts. */
  events(options?: { after?: number; signal?: AbortSignal }): AsyncIterable<SessionEvent> {
    this.#isFollowed = true;
    return this.#events(options);
  }

  /** A fork is not stored until it is ready. */
  async *#events(options?: { after?: number; signal?: AbortSignal }): AsyncGenerator<SessionEvent> {
    await this.#opened;
    yield* this.#session.events(options);
  }

  /** The number of the last event: `events()` has caught up there. */
  get lastSeq(): number {
    return this.#session.lastSeq;
  }

  /** As `Session.workspace`. */
  get workspace(): Session["workspace"] {
    return this.#session.workspace;
  }

  /** Calls `listener` for each of these from now on. Returns the way to stop. */
  on<Name extends keyof InteractiveSessionEvents>(
    name: Name,
    listener: InteractiveSessionEvents[Name],
  ): () => void {
    this.#listeners.add(name, listener);
    return () => this.off(name, listener);
  }

  off<Name extends keyof InteractiveSessionEvents>(
    name: Name,
    listener: InteractiveSessionEvents[Name],
  ): void {
    this.#listeners.remove(name, listener);
  }

  /** The commands; before `ready`, the built-in ones. */
  listCommands(): { name: string; description: string }[] {
    return this.#commandList.map(({ name, description }) => ({ name, description }));
  }

  /**
   * Runs a command; resolves to `null` for an unknown one. One that makes a prompt resolves when its turn has ended, as
   * `submit` does, with the answer as message; `prepareCommand` leaves the turn to the caller. A prompt given to `submit`
   * is never read as a command, since it may come from somebody who may run none.
   * @param options.caller a person when omitted
   * @throws {CommandRefusedError} when the caller may not run it
   */
  async executeCommand(
    name: string,
    args = "",
    options?: { caller?: CommandCaller | undefined },
  ): Promise<CommandResult | null> {
    const outcome = await this.prepareCommand(name, args, options);
    if (!outcome?.prompt) return outcome && outcome.result;
    const { resultOfTurn } = await import("./commands/session-commands.ts");
    return resultOfTurn(await this.submitPrompt(outcome.prompt));
  }

  /** The commands in full, such as for a menu with their arguments. */
  async getCommands(): Promise<readonly Command[]> {
    await this.#opened;
    return (await this.#commands()).list();
  }

  /** Lists commands that are not built in; most sessions have none, and skip loading the code for them. */
  async #listCommands(): Promise<void> {
    const isPlain = this.#commandParts.sources.every((source) => source.isEmpty?.() ?? false);
    this.#commandList = isPlain ? listBuiltins() : await (await this.#commands()).list();
  }

  /** As `executeCommand`, but only makes the prompt of a command that has one, for `submitPrompt`. */
  async prepareCommand(
    name: string,
    args = "",
    options?: { caller?: CommandCaller | undefined },
  ): Promise<CommandOutcome | null> {
    const { caller = { kind: "person" } } = options ?? {};
    await this.#opened;
    const outcome = await (await this.#commands()).prepare(name, args, caller);
    await this.#listCommands();
    return outcome;
  }

  /** Runs the prompt of a command as a turn. @throws as `submit` */
  async submitPrompt(prompt: CommandPrompt, options?: SubmitOptions): Promise<ExecutionResult> {
    requireArgument("prompt", prompt, "object");
    const { text, displayInput, skillName: skill } = prompt;
    return this.submit(text, { displayInput, rawInput: displayInput, ...options, skill });
  }

  /**
   * Completes the word at the cursor, for a menu: a command or its arguments, or `@` and a file, a directory or an agent.
   */
  async completeCommand(text: string, cursor?: number): Promise<CommandCompletion[]> {
    await this.#opened;
    return (await this.#commands()).complete(text, cursor);
  }

  async clearHistory(): Promise<void> {
    await this.#opened;
    await this.#session.clearHistory();
  }

  /** Replaces the conversation by a summary; history and log are unchanged. @throws as `Session.compact` */
  async compact(instructions?: string): Promise<{ before: number; after: number; isEmpty?: true }> {
    await this.#opened;
    return this.#prompts.exclusively(() => this.#session.compact(instructions));
  }

  /** The points that the session can be rewound to, oldest first. */
  checkpoints(): Checkpoint[] {
    return this.#session.checkpoints();
  }

  /** Brings the conversation, the files or both back to how they were when a turn began. @throws as `Session.rewind` */
  async rewind(checkpointId: string, what: RewindScope = "both"): Promise<RewindResult> {
    await this.#opened;
    return this.#prompts.exclusively(() => this.#session.rewind(checkpointId, what));
  }

  /** The changes of files that `rewind` would make. @throws as `Session.previewRewind` */
  async previewRewind(checkpointId: string): Promise<RewindPreview> {
    await this.#opened;
    return this.#session.previewRewind(checkpointId);
  }

  /** Forks a new session from this one's past, with its own copy of the files. @throws as `Session.fork` */
  async fork(at?: string | number): Promise<InteractiveSession> {
    await this.#opened;
    const fork = new InteractiveSession(await forkOptions(this.#session, this.#options, at));
    await fork.ready;
    return fork;
  }

  /** The session as lines of JSON that every host can import. @throws as `Session.export` */
  async export(options?: ExportOptions): Promise<ReadableStream<Uint8Array>> {
    await this.#opened;
    return this.#session.export(options);
  }

  /**
   * Stops here for good, so that the session can go on elsewhere. Prompts that wait go along, and their `submit` rejects
   * with `HANDED_OVER`. @throws as `Session.handOver`
   */
  async handOver(options: HandOverOptions): Promise<SessionPlace> {
    await this.#opened;
    const to = await this.#session.handOver(options);
    this.#prompts.close(handedOver(to.sessionId));
    return to;
  }

  /** As `Session.handedOverTo`. */
  get handedOverTo(): SessionPlace | undefined {
    return this.#session.handedOverTo;
  }

  /** Imports the output of `export` into this session, which must be empty. @throws as `Session.importInto` */
  async importInto(stream: ReadableStream<Uint8Array>, options?: ImportIntoOptions): Promise<void> {
    await this.#opened;
    await this.#prompts.exclusively(() => this.#session.importInto(stream, options));
    this.#goOn();
  }

  /**
   * Creates a session of this host from the output of `export` on any host. It runs nothing by itself: a turn waiting
   * for an approval keeps waiting.
   * @throws as `importSession`
   */
  static async import(
    platform: Platform,
    stream: ReadableStream<Uint8Array>,
    options: ImportedSessionOptions,
  ): Promise<InteractiveSession> {
    const { importedOptions } = await import("./imported-options.ts");
    const session = new InteractiveSession(await importedOptions(platform, stream, options));
    await session.ready;
    return session;
  }

  /** The subagents of this session: those that run, and the conversations of all. */
  async agents(): Promise<SessionAgents> {
    await this.#opened;
    return this.#session.agents();
  }

  /** Turns that were completed. */
  getMessageCount(): number {
    return this.#session.getMessageCount();
  }

  /** Tokens of all turns, including those before the session was resumed. */
  getUsage(): TokenUsage {
    return this.#session.getUsage();
  }

  /** US dollars of all turns, or `undefined` when a model was used whose prices are not known. */
  getCost(): number | undefined {
    return this.#session.getCost();
  }

  getName(): string | undefined {
    return this.#session.getName();
  }

  async setName(name: string): Promise<void> {
    await this.#opened;
    await this.#session.setName(name);
  }

  attachTransport(transport: TransportAdapter): void {
    requireArgument("transport.attach", Reflect.get(Object(transport), "attach"), "function");
    this.#isFollowed = true;
    transport.attach(this);
  }

  /** Stops the running turn, makes everything durable and lets go of the session. */
  async shutdown(options?: { reason?: string | undefined }): Promise<void> {
    this.#prompts.close();
    await this.#session.shutdown(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }
}
