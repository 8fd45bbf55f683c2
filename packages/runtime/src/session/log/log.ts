import { SessionError, StorageError } from "../../errors.ts";
import type { Storage } from "../../ports/storage.ts";
import { SESSION_FORMAT, type SessionEvent, type SessionEventBody } from "./events.ts";
import { followEvents, type FollowOptions, type LogListener } from "./follow-events.ts";
import { sessionKey } from "../store/storage-keys.ts";
import { type LoadedLog, type LogPosition, LogReader, UNDAMAGED } from "./log-reader.ts";
import { oneByOne } from "./one-by-one.ts";
import { isFull } from "./storage-failures.ts";

/** Streamed words are durable after at most this time. */
const FLUSH_INTERVAL_MS = 100;
/** Time in which uncommitted events wait for others to share a write. */
const LINGER_MS = 5;
/** Events that are shown as they happen and not kept; they carry the number of the event before them. */
const TRANSIENT = new Set<SessionEvent["type"]>(["tool_output", "context_update"]);

/** Storage of a log's events. */
export type EventStore = Pick<LogReader, "load" | "append" | "after" | "position" | "size">;

export interface SessionLogOptions {
  sessionId: string;
  /** The storage of the log; nothing is stored when omitted. */
  storage?: Storage | undefined;
  /** Events used instead of those in `storage`. */
  stored?: EventStore | undefined;
  now: () => number;
  /** Called with each event as soon as it has its number, before it is stored or shown. */
  onNumbered?: NumberedListener | undefined;
  /** The error of a commit that is to be refused, in place of a storage that would refuse it. */
  refusalOf?: RefusalOf | undefined;
}

export type RefusalOf = (bodies: readonly SessionEventBody[]) => StorageError | undefined;

/** `isTransient`: the event is not kept. */
export type NumberedListener = (event: SessionEvent, isTransient: boolean) => void;

type WordsBody = Extract<SessionEventBody, { type: "text_delta" | "thinking_delta" }>;

interface Numbered {
  event: SessionEvent;
  isTransient: boolean;
  /** The commit that waits for it; `undefined` for an event that is shown before it is stored. */
  commit: Commit | undefined;
}

/** Events that are shown together when they are durable. */
interface Commit {
  /** The number of the event before them. */
  readonly before: number;
  readonly onShown: ShownListener | undefined;
  /** Set when they were withdrawn. */
  failure?: { readonly error: unknown };
}

interface LogEventsOptions extends FollowOptions {
  /** Loads the log before the first event. */
  open?: () => Promise<void>;
}

/** Called when an event was shown. Returns an event to show behind it and before any other one, which is not kept. */
export type ShownListener = () => SessionEventBody;

/**
 * A session's events in one order: numbered, stored and passed to listeners. `commit` shows an event only when it is
 * durable; `stream` shows it at once and stores it shortly after, in batches. In any mix, listeners see the order of
 * the numbers.
 */
export class SessionLog {
  readonly sessionId: string;
  readonly #stored: EventStore | undefined;
  readonly #now: () => number;
  readonly #onNumbered: NumberedListener | undefined;
  readonly #refusalOf: RefusalOf | undefined;
  readonly #listeners = new Set<LogListener>();
  /** The number of the last event. */
  #seq = 0;
  /** The highest number that no event gets any more. */
  #usedUp = 0;
  #turnId: string | undefined;
  /** Words of the present job, not yet numbered. */
  #words: WordsBody | undefined;
  /** Numbered, not yet durable. */
  #unwritten: SessionEvent[] = [];
  /** Numbered, not yet shown. */
  #unshown: Numbered[] = [];
  #durableSeq = 0;
  #isShowing = false;
  #writing: Promise<void> | undefined;
  /** Called when the next write begins. */
  #onWrite: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #fenced: AbortSignal | undefined;
  #isClosed = false;
  /** The refusal of all events behind the last one of a session that goes on elsewhere. */
  #sealed: SessionError | undefined;
  /** Ends iterations over events; created for the first one. */
  #closing: AbortController | undefined;
  /** Called when streamed events could not be stored: they stay, and are stored with the next write that succeeds. */
  onUnstored: ((error: unknown) => void) | undefined;

  constructor(options: SessionLogOptions) {
    this.sessionId = options.sessionId;
    const { sessionId, storage, stored } = options;
    this.#now = options.now;
    this.#stored =
      stored ?? (storage && new LogReader(storage, sessionKey(sessionId), sessionId, this.#now));
    this.#onNumbered = options.onNumbered;
    this.#refusalOf = options.refusalOf;
  }

  /** Loads the stored events, or those after `since`, and continues their numbers. */
  async load(since?: LogPosition): Promise<LoadedLog> {
    if (!this.#stored) return { events: [], ...UNDAMAGED };
    const loaded = await this.#stored.load(since);
    const last = loaded.events.at(-1);
    this.#seq = last?.seq ?? (loaded.older && since ? since.seq : 0);
    this.#durableSeq = this.#seq;
    return loaded;
  }

  /** The end of the stored log, and the bytes after the starting position; `undefined` while it is damaged. */
  get stored(): { position: LogPosition; size: number } | undefined {
    const { position, size = 0 } = this.#stored ?? {};
    return position && { position, size };
  }

  /** The stored events from the beginning, as lists; `undefined` without storage. */
  storedEvents(): AsyncIterable<readonly SessionEvent[]> | undefined {
    return this.#stored?.after(0);
  }

  /** Leaves a gap of `count` in the numbers, which a writer may have used for what is not stored. */
  skip(count: number): void {
    this.#usedUp = this.#seq + count;
  }

  /** Stops all writing once `lost` aborts: another holder writes this session. */
  fence(lost: AbortSignal): void {
    this.#fenced = lost;
  }

  get lastSeq(): number {
    return this.#seq;
  }

  /** The turn that following events belong to. */
  get turnId(): string | undefined {
    return this.#turnId;
  }

  set turnId(turnId: string | undefined) {
    this.#endWords();
    this.#turnId = turnId;
  }

  /**
   * Stores events, all or none, together with everything streamed before them, and shows them.
   * @throws {StorageError} Nothing was shown then, and the session can go on; `FENCED`: it is written elsewhere now.
   * @throws {SessionError} `CLOSED`
   */
  commit(...bodies: SessionEventBody[]): Promise<void> {
    return this.#commit(bodies);
  }

  /**
   * As `commit`, but stored together with the next commit, or after a moment without one. For a step that another one
   * follows at once: one disk flush serves both.
   */
  commitWithNext(body: SessionEventBody, onShown?: ShownListener): Promise<void> {
    return this.#commit([body], { canLinger: true, onShown });
  }

  /**
   * Commits the last events that this log ever gets: commits behind them fail with `refusal`, and streamed events are
   * dropped. @throws as `commit`; the log goes on then
   */
  async seal(refusal: SessionError, ...bodies: SessionEventBody[]): Promise<void> {
    const last = this.#commit(bodies);
    this.#sealed = refusal;
    try {
      await last;
    } catch (error) {
      this.#sealed = undefined;
      throw error;
    }
  }

  /** The refusal of a sealed log. */
  get sealed(): SessionError | undefined {
    return this.#sealed;
  }

  async #commit(
    bodies: readonly SessionEventBody[],
    {
      canLinger = false,
      onShown,
    }: { canLinger?: boolean; onShown?: ShownListener | undefined } = {},
  ): Promise<void> {
    const commit = this.#begin(bodies, onShown);
    if (canLinger && this.#stored) await this.#nextWrite();
    while (this.#isWaiting(commit)) await this.#write();
    if (commit.failure) throw commit.failure.error;
  }

  /** Numbers the events of a commit, which are shown now if they need no storage. */
  #begin(bodies: readonly SessionEventBody[], onShown: ShownListener | undefined): Commit {
    this.#requireOpen();
    const refusal = this.lost ?? this.#sealed ?? this.#refusalOf?.(bodies);
    if (refusal) throw refusal;
    this.#endWords();
    const commit: Commit = { before: this.#seq, onShown };
    for (const body of bodies) {
      const isTransient = TRANSIENT.has(body.type);
      const event = this.#number(body, isTransient);
      this.#unshown.push({ event, isTransient, commit });
    }
    if (!this.#stored) this.#durableSeq = this.#seq;
    this.#show();
    return commit;
  }

  #isWaiting(commit: Commit): boolean {
    return this.#unshown.some((numbered) => numbered.commit === commit);
  }

  /**
   * Shows an event at once and stores it soon, unless it is of a kind that is only shown, or `transient`.
   * @throws {SessionError} `CLOSED`
   */
  stream(body: SessionEventBody, { transient = false }: { transient?: boolean } = {}): void {
    this.#requireOpen();
    if (this.#sealed) return;
    this.#endWords();
    this.#streamNow(body, transient || TRANSIENT.has(body.type));
  }

  /**
   * As `stream`, for words of an answer: those that come in one job, as from one chunk of a response, are one event,
   * streamed at its end or before any other event. @throws as `stream`
   */
  streamWords(body: WordsBody): void {
    this.#requireOpen();
    const words = this.#words;
    if (words?.type === body.type && words.messageId === body.messageId) {
      words.delta += body.delta;
      return;
    }
    this.#endWords();
    this.#words = body;
    queueMicrotask(() => this.#endWords());
  }

  #endWords(): void {
    const words = this.#words;
    if (!words) return;
    this.#words = undefined;
    if (!this.#sealed) this.#streamNow(words, false);
  }

  #streamNow(body: SessionEventBody, isTransient: boolean): void {
    const event = this.#number(body, isTransient);
    if (this.#unwritten.length > 0) {
      this.#timer ??= setTimeout(() => this.#flushInBackground(), FLUSH_INTERVAL_MS);
    }
    if (this.#isShowing || this.#unshown.length > 0)
      this.#unshown.push({ event, isTransient, commit: undefined });
    else this.#notifyAll(event, isTransient);
    this.#show();
  }

  /**
   * Accepts no more events, and ends iterations once they have delivered the rest. Safe to call twice. Unflushed
   * streamed events are not stored any more.
   */
  close(): void {
    this.#endWords();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isClosed = true;
    // An explicit reason; creating the default one takes a stack trace.
    this.#closing?.abort("closed");
  }

  /** Everything shown so far is durable when this resolves. */
  async flush(): Promise<void> {
    this.#endWords();
    while (this.#unwritten.length > 0 || this.#writing) await this.#write();
  }

  /**
   * Calls `listener` with every event from now on; its exceptions are reported as uncaught. Returns the unsubscribe
   * function.
   */
  subscribe(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Yields the stored events after `after`, then live ones, until `signal` aborts or the log was closed. */
  events(options: LogEventsOptions = {}): AsyncGenerator<SessionEvent, void> {
    return oneByOne(this.#eventLists(options), options.signal);
  }

  async *#eventLists({
    open,
    ...options
  }: LogEventsOptions): AsyncGenerator<readonly SessionEvent[], void> {
    // Without it, the first request follows at once: what is not stored can't be read later.
    if (open) await open();
    const stored = this.#stored;
    const closing = (this.#closing ??= new AbortController());
    if (this.#isClosed) closing.abort("closed");
    const source = {
      subscribe: (listener: LogListener) => this.subscribe(listener),
      stored: stored && ((after: number) => stored.after(after)),
      unwritten: () => this.#shownAndUnwritten(),
      closed: closing.signal,
    };
    yield* followEvents(source, options);
  }

  /** After a take-over, unstored events never become part of the session. */
  #shownAndUnwritten(): SessionEvent[] {
    if (this.#fenced?.aborted) return [];
    const [firstUnshown] = this.#unshown.filter(({ isTransient }) => !isTransient);
    const end = firstUnshown?.event.seq ?? Infinity;
    return this.#unwritten.filter(({ seq }) => seq < end);
  }

  /** The error for a writer that lost the log to another one; `undefined` while it owns it. */
  get lost(): StorageError | undefined {
    return this.#fenced?.aborted ? fenced() : undefined;
  }

  #requireOpen(): void {
    if (!this.#isClosed) return;
    throw new SessionError("CLOSED", "The session was shut down", {
      hint: "Open it again by its id.",
    });
  }

  #number(body: SessionEventBody, isTransient: boolean): SessionEvent {
    const event = this.#eventOf(body, this.#nextSeq(isTransient));
    if (this.#stored && !isTransient && !this.#fenced?.aborted) this.#unwritten.push(event);
    this.#onNumbered?.(event, isTransient);
    return event;
  }

  #nextSeq(isTransient: boolean): number {
    if (!isTransient) this.#seq = Math.max(this.#seq, this.#usedUp) + 1;
    return this.#seq;
  }

  /** Creates its fields in the order of records. */
  #eventOf(body: SessionEventBody, seq: number): SessionEvent {
    const { sessionId, turnId } = this;
    const v = SESSION_FORMAT;
    const time = this.#now();
    if (turnId === undefined) return { v, seq, sessionId, time, ...body };
    if (body.type !== "text_delta") return { v, seq, sessionId, time, turnId, ...body };
    // Nearly all events are such, and to copy fields that are not named takes twice as long.
    const { type, messageId, delta } = body;
    return { v, seq, sessionId, time, turnId, type, messageId, delta };
  }

  /** Resolves when the next write begins, or after a moment. */
  async #nextWrite(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#onWrite;
    this.#onWrite = () => {
      before?.();
      resolve();
    };
    const timer = setTimeout(resolve, LINGER_MS);
    await promise;
    clearTimeout(timer);
  }

  /** One write at a time; events meanwhile go into the next one. */
  #write(): Promise<void> {
    if (this.#writing) return this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = [...this.#unwritten];
    const last = events.at(-1);
    if (!last || !this.#stored) return Promise.resolve();
    const { lost } = this;
    if (lost) {
      this.#withdraw(lost);
      return Promise.reject(lost);
    }
    this.#writing = this.#append(this.#stored, events, last);
    return this.#writing;
  }

  async #append(
    stored: EventStore,
    events: readonly SessionEvent[],
    last: SessionEvent,
  ): Promise<void> {
    this.#onWrite?.();
    this.#onWrite = undefined;
    try {
      await stored.append(events);
    } catch (error) {
      this.#withdraw(error);
      throw error;
    } finally {
      this.#writing = undefined;
    }
    this.#unwritten = this.#unwritten.slice(events.length);
    this.#durableSeq = last.seq;
    this.#show();
  }

  #flushInBackground(): void {
    this.#timer = undefined;
    // Without a turn, the same failure meets the next commit, whose caller can act on it.
    this.#write().catch((error: unknown) => this.onUnstored?.(error));
  }

  /**
   * Withdraws the events of all commits after a write that failed: they were never shown. A storage that is full has
   * stored nothing, so that their numbers are free; after other failures they may turn up in it.
   */
  #withdraw(error: unknown): void {
    const first = this.#unshown.findIndex(({ commit }) => commit);
    const [failed, ...others] = this.#unshown.splice(first, first < 0 ? 0 : Infinity);
    if (!failed?.commit) return;
    const isFree = isFull(error);
    if (!isFree) this.#usedUp = Math.max(this.#usedUp, this.#seq);
    this.#seq = failed.commit.before;
    const gone = new Set<SessionEvent>();
    for (const numbered of [failed, ...others]) {
      const { event, isTransient, commit } = numbered;
      if (commit) {
        commit.failure = { error };
        gone.add(event);
        continue;
      }
      if (isFree || isTransient) event.seq = this.#nextSeq(isTransient);
      else this.#seq = event.seq;
      this.#unshown.push(numbered);
    }
    this.#unwritten = this.#unwritten.filter((event) => !gone.has(event));
    this.#show();
  }

  #show(): void {
    // A listener that causes events must not get ahead of later listeners.
    if (this.#isShowing) return;
    for (let next = this.#unshown[0]; next; next = this.#unshown[0]) {
      if (next.commit && next.event.seq > this.#durableSeq) return;
      this.#unshown.shift();
      this.#notifyAll(next.event, next.isTransient);
      if (next.commit?.onShown) this.#notifyBehind(next.event, next.commit.onShown);
    }
  }

  /** With the number of the event that it stands behind: later ones may have theirs already. */
  #notifyBehind({ seq }: SessionEvent, onShown: ShownListener): void {
    this.#isShowing = true;
    const event = this.#eventOf(onShown(), seq);
    this.#onNumbered?.(event, true);
    this.#notifyAll(event, true);
  }

  #notifyAll(event: SessionEvent, isTransient: boolean): void {
    this.#isShowing = true;
    for (const listener of this.#listeners) notify(listener, event, isTransient);
    this.#isShowing = false;
  }
}

function notify(listener: LogListener, event: SessionEvent, isTransient: boolean): void {
  try {
    listener(event, isTransient);
  } catch (error) {
    // A listener's error is its own: it surfaces as uncaught and the session continues.
    queueMicrotask(() => {
      throw error;
    });
  }
}

function fenced(): StorageError {
  return new StorageError("FENCED", "Another tab or process has taken over this session", {
    hint: "Close this view of the session, or open it again to take it back.",
  });
}
