import type { ContextWindowState } from "../../context/tracker.ts";
import {
  abortError,
  callSafely,
  SessionError,
  ValidationError,
  requireArgument,
} from "../../errors.ts";
import { requireOptions } from "../../option-forms.ts";
import type { ClientSession } from "../../interactive/client-session.ts";
import type { CommandInfo, CommandResult } from "../../interactive/commands/command.ts";
import type { CommandCompletion } from "../../interactive/commands/complete.ts";
import { resultOfTurn } from "../../interactive/commands/result-of-turn.ts";
import { HistorySnapshot } from "../../interactive/history-snapshot.ts";
import { SessionListeners } from "../../interactive/listeners.ts";
import {
  type StructuredResult,
  type StructuredSubmitOptions,
  type SubmitArguments,
  submitOptions,
} from "../../interactive/submit-options.ts";
import type { ExecutionResult, InteractiveSessionEvents } from "../../interactive/types.ts";
import type { PromptQueue } from "../../interactive/prompt-queue.ts";
import type { AbortOptions } from "../../interactive/prompt-runner.ts";
import type { HistoryEntry } from "../../messages/history.ts";
import type { Message } from "../../messages/message.ts";
import { asError } from "../../messages/reported-error.ts";
import type { PermissionMode, PermissionResult } from "../../permissions/permission.ts";
import type { PermissionHandler } from "../../session/approvals/answers.ts";
import type { Checkpoint, RewindScope } from "../../session/files/checkpoints.ts";
import type { RewindResult } from "../../session/files/rewind.ts";
import type { ModelChoice, PermissionRequest, SessionEvent } from "../../session/log/events.ts";
import type { SessionPlace } from "../../session/log/notes.ts";
import type { SessionState } from "../../session/state/state.ts";
import type { ToolState } from "../../session/state/tool-state.ts";
import type { ExportOptions } from "../../session/transfer/export.ts";
import type { HandOverOptions } from "../../session/transfer/hand-over.ts";
import type { RemoteState } from "./link.ts";
import { REMOTE_OPTIONS } from "./known-options.ts";
import { linkTo, type RemoteAddress } from "./link-to.ts";
import { type EventFollower, followedEvents } from "./followed-events.ts";
import { answerBody } from "./answer-body.ts";
import { HandlerAnswers } from "./handler-answers.ts";
import { MovableLink } from "./movable-link.ts";
import { newSession, type NewRemoteSession } from "./new-session.ts";
import { onceReady } from "./once-ready.ts";
import { RemoteChanges } from "./remote-changes.ts";
import { RemoteError } from "./remote-error.ts";
import { RemoteQueue } from "./prompts/remote-queue.ts";
import { LONG_AND_ONCE, RemoteRequests } from "./remote-requests.ts";
import { type ConnectionState, SessionFollower } from "./session-follower.ts";
import { resultOfEnd } from "./prompts/result-of-end.ts";
import { SentPrompts } from "./prompts/sent-prompts.ts";
import { submitForValue } from "./prompts/submit-for-value.ts";

/** The data of a history entry about a decision. */
type DecisionData = Pick<
  Extract<SessionEvent, { type: "permission_decision" }>,
  "requestId" | "decision"
>;
type EndOfTurn = Extract<SessionEvent, { type: "turn_end" }>;

const ABORT_FOR_MS = 5_000;

export interface RemoteSessionOptions extends RemoteAddress {
  sessionId: string;
  /** Answers requests for permission, those that wait already included. */
  permissionHandler?: PermissionHandler | undefined;
  /**
   * Milliseconds until the first connection is given up, and how long other requests are tried; 30,000 when omitted. A
   * prompt, a command, a rewind and a fork may take any time.
   */
  timeoutMs?: number | undefined;
  /** Milliseconds before the first attempt to connect again; 250 when omitted. */
  firstDelayMs?: number | undefined;
  /** Limit of the doubling of that delay, in milliseconds; 30,000 when omitted. */
  maxDelayMs?: number | undefined;
  /** Called when the connection opens, breaks and ends. */
  onConnection?: ((state: ConnectionState) => void) | undefined;
}

/**
 * A session on a server, used as `InteractiveSession` is. It has a copy of the session's log and folds it as the session
 * itself does. When the connection breaks, it connects again and continues behind the last event, so that each arrives once
 * and in order; prompts are sent again with the same key, and run once.
 */
export class RemoteSession implements ClientSession {
  #sessionId: string;
  /**
   * Resolves when the session's past is there.
   * @throws {RemoteError} `UNREACHABLE` when the server does not answer in time
   * @throws {SessionError} `NOT_FOUND`
   * @throws {HttpProblem} `UNAUTHORIZED` and other refusals
   */
  readonly ready: Promise<void>;
  /** The prompts that wait on the server, to be edited, moved, removed and paused. */
  readonly queue: PromptQueue;
  /** The files that turns changed, and the way to restore single ones. */
  readonly changes: ClientSession["changes"];
  #options: RemoteSessionOptions;
  readonly #link: MovableLink;
  readonly #requests: RemoteRequests;
  readonly #follower: SessionFollower;
  readonly #followers = new Set<EventFollower>();
  readonly #subscribers = new Set<(event: SessionEvent) => void>();
  readonly #listeners: SessionListeners;
  readonly #history: HistorySnapshot;
  #model: ModelChoice = { provider: "", model: "" };
  #commands: readonly CommandInfo[] = [];
  readonly #prompts: SentPrompts;
  readonly #answers: HandlerAnswers | undefined;

  constructor(options: RemoteSessionOptions) {
    requireOptions(options, REMOTE_OPTIONS);
    const { sessionId, timeoutMs, onConnection } = options;
    this.#sessionId = sessionId;
    this.#options = options;
    const link = (this.#link = new MovableLink(linkTo(options, sessionId)));
    const source = {
      subscribe: (listener: (event: SessionEvent) => void) => {
        this.#subscribers.add(listener);
        return () => this.#subscribers.delete(listener);
      },
      getContextState: () => this.getContextState(),
      getFullHistory: () => this.#state.history,
    };
    this.#listeners = new SessionListeners(source);
    this.#history = new HistorySnapshot(source);
    this.#follower = new SessionFollower({
      ...options,
      sessionId: () => this.#sessionId,
      link,
      openTimeoutMs: timeoutMs,
      onState: (state) => this.#connectionChanged(state, onConnection),
      onSummary: (state) => this.#summarised(state),
      onEvent: (event, isLive) => this.#publish(event, isLive),
    });
    const { permissionHandler } = options;
    this.#answers =
      permissionHandler &&
      new HandlerAnswers(permissionHandler, {
        isOpen: (id) => this.#state.pendingRequests.has(id),
        resolve: (id, answer) => this.resolvePermission(id, answer),
        onError: (error) => {
          if (!this.#follower.signal.aborted) this.#listeners.emit("error", asError(error));
        },
      });
    this.#requests = new RemoteRequests(link, this.#follower, options);
    this.queue = new RemoteQueue(this.#requests, () => this.#state);
    this.changes = new RemoteChanges(this.#requests);
    this.#prompts = new SentPrompts({
      ready: () => this.ready,
      requests: this.#requests,
      resultOf: (end) => this.#resultOf(end),
      unwanted: {
        stop: (turnId) => this.abort({ turnId }),
        remove: (key) => this.#removeQueued(key),
      },
      isClosed: () => this.#follower.signal.aborted,
    });
    this.ready = this.#open();
    // Rejections reach those who await it; nobody has to.
    this.ready.catch(() => undefined);
  }

  /** Creates a session on the server, once however often the request has to be sent. @throws as `ready` */
  static async create(
    options: Omit<RemoteSessionOptions, "sessionId"> & NewRemoteSession,
  ): Promise<RemoteSession> {
    return onceReady(new RemoteSession({ ...options, sessionId: await newSession(options) }));
  }

  async #open(): Promise<void> {
    await this.#follower.opened;
    await this.getCommands();
    for (const request of this.pendingPermissions()) this.#ask(request);
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** The place at which the session goes on; `undefined` while that is where this one connects to. */
  get handedOverTo(): SessionPlace | undefined {
    return this.#state.handedOverTo;
  }

  /** Stops the session on its server for good, so that its export goes on elsewhere. @throws as `Session.handOver` */
  async handOver(options: HandOverOptions): Promise<SessionPlace> {
    requireArgument("options", options, "object");
    return this.#requests.handOver(options);
  }

  /**
   * Follows the session to where it was handed over: events go on behind the last one that arrived here, and prompts that
   * went along end there. The address comes from the caller, since the token goes there; resolves when events arrive.
   * @throws {RemoteError} `UNREACHABLE` when there are none in time
   */
  async continueAt(place: RemoteAddress & { sessionId: string }): Promise<void> {
    requireArgument("place", place, "object");
    const { sessionId } = place;
    const { timeoutMs = 30_000 } = this.#options;
    const link = linkTo(place, sessionId);
    this.#sessionId = sessionId;
    this.#options = { ...this.#options, ...place };
    this.#link.moveTo(link);
    // The first events may still be the past of the former place, also its end.
    const { seq = this.lastSeq } = await this.#requests.send({ method: "GET", path: "" });
    await this.#follower.reached(seq, timeoutMs);
    if (this.lastSeq < seq)
      throw new RemoteError("UNREACHABLE", "The session did not go on at its new place in time");
    for (const request of this.pendingPermissions()) this.#ask(request);
  }

  /** The state of the connection. */
  get connection(): ConnectionState {
    return this.#follower.state;
  }

  get lastSeq(): number {
    return this.#follower.mirror.lastSeq;
  }

  /**
   * Sends a prompt and resolves when its turn has ended, in any way. Prompts arrive in the order of their calls. Without a
   * connection it waits for one; the prompt runs once however often it has to be sent.
   * The server limits the size of attachments; `request`, `rawInput` and `skill` are not sent.
   * @throws {SessionError} `QUEUE_FULL`, `CLOSED`
   */
  submit<Output>(
    input: string,
    options: StructuredSubmitOptions<Output>,
  ): Promise<StructuredResult<Output>>;
  submit(input: string, ...given: SubmitArguments): Promise<ExecutionResult>;
  submit(input: string, ...given: SubmitArguments): Promise<ExecutionResult> {
    const { displayInput: displayText, attachments, signal, responseFormat } = submitOptions(given);
    const body = { text: input, displayText, attachments };
    if (!responseFormat) return this.#prompts.submit({ path: "messages", body, signal });
    return submitForValue(responseFormat, (schema) => {
      const structured = async (): Promise<object> => ({ ...body, responseFormat: await schema() });
      return this.#prompts.submit({ path: "messages", body: structured, signal });
    });
  }

  /**
   * Gives the running turn another message at its next step; when none runs any more, sends it as a prompt.
   * @throws {RemoteError} `UNREACHABLE`; it may have arrived then, and is not sent again
   */
  async steer(text: string): Promise<void> {
    await this.#requests.post("steer", { text }, { isOnce: true });
  }

  /** Stops the turn, and clears the queue or pauses it. Prompts that have not reached the server yet are dropped. */
  abort(options?: AbortOptions): void {
    if (options?.turnId === undefined) this.#prompts.dropUnsent();
    // Much later it could meet another turn.
    this.#report(this.#requests.post("abort", options ?? {}, { forMs: ABORT_FOR_MS }));
  }

  /** Clears the queue, or drops its first prompt with this text; the running turn continues. */
  cancelQueue(text?: string): void {
    this.#report(this.#requests.post("cancel-queue", text === undefined ? {} : { text }));
  }

  #removeQueued(key: string): void {
    const prompt = this.#state.queue.find(({ request }) => request?.key === key);
    if (prompt?.id !== undefined) this.#report(this.queue.remove(prompt.id));
  }

  /** Failures of calls that nobody waits for are events. */
  #report(sent: Promise<unknown>): void {
    sent.catch((error: unknown) => {
      if (!this.#follower.signal.aborted) this.#listeners.emit("error", asError(error));
    });
  }

  /** True while a turn is open, or a prompt of this client is on its way. */
  isExecuting(): boolean {
    return this.#prompts.size > 0 || this.#state.turn !== undefined;
  }

  getPendingPrompt(): string | null {
    return this.getQueue()[0] ?? null;
  }

  getQueue(): readonly string[] {
    return this.#state.queue.map(({ input }) => input);
  }

  getMessages(): readonly Message[] {
    return this.#history.get().messages;
  }

  getFullHistory(): readonly HistoryEntry[] {
    return this.#history.get().entries;
  }

  getMessageCount(): number {
    return this.#state.completedTurns;
  }

  getStreamingText(): string {
    return this.#state.streaming.text;
  }

  getActiveTools(): ToolState[] {
    return [...this.#state.activeTools.values()];
  }

  /** Zeros before `ready`. */
  getContextState(): ContextWindowState {
    const none = { maxTokens: 0, usedTokens: 0, usedPercentage: 0, remainingPercentage: 0 };
    return this.#follower.mirror.context ?? none;
  }

  getModel(): ModelChoice {
    return this.#state.model ?? this.#model;
  }

  /** The directory that it works in on the server. */
  get workspace(): ClientSession["workspace"] {
    return { cwd: this.#state.cwd };
  }

  getName(): string | undefined {
    return this.#state.name;
  }

  async setName(name: string): Promise<void> {
    requireArgument("name", name);
    await this.#requests.patch({ name });
  }

  getPermissionMode(): PermissionMode {
    return this.#state.mode;
  }

  /** @throws {HttpProblem} `MODE_NOT_ALLOWED` for a mode that the server lets nobody set over the network */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    requireArgument("mode", mode);
    await this.#requests.patch({ permissionMode: mode });
  }

  getSessionAllowedTools(): string[] {
    return this.#state.grants.map(({ pattern }) => pattern);
  }

  pendingPermissions(): readonly PermissionRequest[] {
    return [...this.#state.pendingRequests.values()];
  }

  /**
   * Answers a request; resolves when the answer is durable.
   * @throws {SessionError} `ALREADY_ANSWERED`, `NOT_FOUND`
   * @throws {ValidationError} for changed arguments, which only a person at the session can give
   */
  async resolvePermission(requestId: string, answer: PermissionResult): Promise<void> {
    const body = answerBody(answer);
    const allow = body.decision === "allow";
    const path = `permissions/${encodeURIComponent(requestId)}`;
    const isMine = (error: unknown): boolean =>
      error instanceof SessionError &&
      error.code === "ALREADY_ANSWERED" &&
      this.#isDecided(requestId, allow);
    await this.#requests.post(path, body, { isDone: isMine });
  }

  /**
   * Yields every event after `after` (default: all of them), then live ones, until `signal` aborts or the session is closed.
   * @throws the error that ended the connection for good
   */
  events(options?: { after?: number; signal?: AbortSignal }): AsyncGenerator<SessionEvent, void> {
    return followedEvents(this.#follower, this.#followers, options ?? {});
  }

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

  /** The commands that this client may run; none before `ready`. */
  listCommands(): { name: string; description: string }[] {
    return this.#commands.map(({ name, description }) => ({ name, description }));
  }

  /** The same as they are now, with their sources and arguments. */
  async getCommands(): Promise<readonly CommandInfo[]> {
    const { commands } = await this.#requests.get<{ commands: CommandInfo[] }>("commands");
    return (this.#commands = commands);
  }

  async completeCommand(text: string, at?: number): Promise<CommandCompletion[]> {
    requireArgument("text", text);
    const cursor = at ?? text.length;
    await this.ready;
    const { completions } = await this.#requests.post<{ completions: CommandCompletion[] }>(
      "complete",
      { text, cursor },
    );
    return completions;
  }

  /** Runs a command, as far as the server lets this client. @throws {CommandRefusedError} */
  async executeCommand(name: string, args = ""): Promise<CommandResult | null> {
    requireArgument("name", name);
    const plain = name.replace(/^\//, "");
    try {
      const path = `commands/${encodeURIComponent(plain)}`;
      const { turn, result } = await this.#prompts.begin({ path, body: { args } });
      return result ?? resultOfTurn(await turn);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "NO_SUCH_COMMAND")
        return null;
      throw error;
    }
  }

  checkpoints(): Checkpoint[] {
    return this.#state.checkpoints.list();
  }

  async rewind(checkpointId: string, what: RewindScope = "both"): Promise<RewindResult> {
    return this.#requests.post<RewindResult>("rewind", { checkpointId, what }, LONG_AND_ONCE);
  }

  /**
   * Forks a new session on the server.
   * @param at a checkpoint; the present state when omitted
   * @throws {ValidationError} for the number of an event that is not a checkpoint
   */
  async fork(at?: string | number): Promise<RemoteSession> {
    const checkpoint =
      typeof at === "number" ? this.checkpoints().find(({ seq }) => seq === at)?.id : at;
    if (at !== undefined && checkpoint === undefined) {
      throw new ValidationError(`No checkpoint has the number ${at}`, {
        hint: "Fork at one of checkpoints().",
      });
    }
    const body = checkpoint === undefined ? {} : { at: checkpoint };
    const { id } = await this.#requests.post<{ id: string }>("fork", body, LONG_AND_ONCE);
    return onceReady(new RemoteSession({ ...this.#options, sessionId: id }));
  }

  /** The session as lines of JSON, as the server exports it. */
  async export(options?: ExportOptions): Promise<ReadableStream<Uint8Array>> {
    const { files = "changed", grants = false, signal } = options ?? {};
    await this.ready;
    return this.#requests.log(`?files=${files}&grants=${grants}`, signal);
  }

  /** Closes the connection. The session goes on: `abort` stops its turn. */
  async shutdown(): Promise<void> {
    this.#prompts.dropUnsent();
    this.#follower.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  get #state(): SessionState {
    return this.#follower.mirror.state;
  }

  #isDecided(requestId: string, allow: boolean): boolean {
    const entry = this.#state.history.findLast(
      ({ type, data }) =>
        type === "permission-decision" && (data as DecisionData).requestId === requestId,
    );
    return (entry?.data as DecisionData | undefined)?.decision.allow === allow;
  }

  #summarised({ model }: RemoteState): void {
    this.#model = model;
  }

  #connectionChanged(
    state: ConnectionState,
    onConnection: RemoteSessionOptions["onConnection"],
  ): void {
    if (state === "closed") this.#prompts.refuseAll(this.#follower.failure ?? abortError());
    if (onConnection) callSafely(() => onConnection(state));
  }

  #publish(event: SessionEvent, isLive: boolean): void {
    for (const follower of this.#followers) follower(event, isLive);
    if (!isLive) return;
    for (const subscriber of this.#subscribers) subscriber(event);
    if (event.type === "permission_request") this.#ask(event.request);
    if (event.type === "turn_start") this.#listeners.emit("thinking", true);
    this.#prompts.take(event);
    if (event.type === "turn_end") this.#ended(event);
  }

  #ended(event: EndOfTurn): void {
    const result = this.#resultOf(event);
    this.#listeners.emit("thinking", false);
    if (event.state === "complete") this.#listeners.emit("complete", result);
    else if (event.state === "interrupted") this.#listeners.emit("interrupted", result);
    else this.#listeners.emit("error", asError(event.error));
  }

  #ask(request: PermissionRequest): void {
    this.#answers?.ask(request);
  }

  #resultOf(end: EndOfTurn | undefined): ExecutionResult {
    return resultOfEnd(end, {
      history: this.#history,
      getContextState: () => this.getContextState(),
      summaries: this.#state.history,
    });
  }
}
