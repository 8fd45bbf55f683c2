import { SessionError, StorageError } from "../errors.ts";
import type { Storage } from "../ports/storage.ts";
import { decodeRecord, encodeEvents } from "./codec.ts";
import { SESSION_FORMAT, type SessionEvent, type SessionEventBody } from "./events.ts";

/** Streamed words are durable after at most this time. */
const FLUSH_INTERVAL_MS = 100;
/** After a crash, numbers go on this much higher, so that none that a reader may have seen is used again. */
const SEQ_GAP_AFTER_CRASH = 65_536;

/** A reader that is further behind than this reads on from storage instead. */
const MAX_LIVE_EVENTS = 10_000;
/** Events that are shown as they happen and not kept; they carry the number of the event before them. */
const TRANSIENT = new Set<SessionEvent["type"]>(["tool_output", "context_update"]);

export interface SessionLogOptions {
  sessionId: string;
  /** Without it, nothing is kept. */
  storage?: Storage | undefined;
  now: () => number;
}

/** The name of a session's log, of its header and of its lease in storage. */
export function sessionKey(sessionId: string): string {
  return `sessions/${sessionId}`;
}

export interface LoadedLog {
  events: SessionEvent[];
  /** Records that could not be read; what they said is lost, and the rest is there. */
  damagedRecords: number;
}

/**
 * A session's events in one order: numbered, stored and handed to listeners. `commit` shows an event only when it is
 * durable; `stream` shows it at once and stores it a moment later, in batches. Whatever the mix, listeners see the order
 * of the numbers.
 */
export class SessionLog {
  readonly sessionId: string;
  readonly #storage: Storage | undefined;
  readonly #now: () => number;
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  #seq = 0;
  #turnId: string | undefined;
  /** Numbered, not yet handed to storage. */
  #unwritten: SessionEvent[] = [];
  /** Numbered, not yet shown. */
  #unshown: { event: SessionEvent; mustBeDurable: boolean }[] = [];
  #durableSeq = 0;
  #isShowing = false;
  #writing: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #fenced: AbortSignal | undefined;

  constructor(options: SessionLogOptions) {
    this.sessionId = options.sessionId;
    this.#storage = options.storage;
    this.#now = options.now;
  }

  /** Reads what is stored and continues its numbers. */
  async load(): Promise<LoadedLog> {
    const loaded: LoadedLog = { events: [], damagedRecords: 0 };
    if (!this.#storage) return loaded;
    for await (const { value } of this.#storage.read(sessionKey(this.sessionId))) {
      try {
        loaded.events.push(...decodeRecord(value, this.sessionId));
      } catch (error) {
        if (!(error instanceof SessionError) || error.code !== "LOG_CORRUPT") throw error;
        loaded.damagedRecords += 1;
      }
    }
    const last = loaded.events.at(-1);
    this.#seq = last?.seq ?? 0;
    this.#durableSeq = this.#seq;
    return loaded;
  }

  /** Leaves a gap in the numbers, after a writer that may have shown more than it stored. */
  skipAfterCrash(): void {
    this.#seq += SEQ_GAP_AFTER_CRASH;
    this.#durableSeq = this.#seq;
  }

  /** From now on nothing is written once `lost` aborts: another holder writes this session. */
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
    this.#turnId = turnId;
  }

  /**
   * Stores events, all or none, together with everything streamed before them, and shows them.
   * @throws {StorageError} Nothing was shown then, and the session can go on.
   */
  async commit(...bodies: SessionEventBody[]): Promise<void> {
    const events = bodies.map((body) => this.#number(body, true));
    if (!this.#storage) {
      this.#durableSeq = this.#seq;
      this.#show();
      return;
    }
    const last = events.at(-1);
    try {
      while (last && this.#durableSeq < last.seq) await this.#write();
    } catch (error) {
      this.#forget(events);
      throw error;
    }
    this.#show();
  }

  /** Shows an event at once and stores it soon, unless it is of a kind that is only shown. */
  stream(body: SessionEventBody): void {
    const event = this.#number(body, false);
    if (this.#unwritten.at(-1) === event) {
      this.#timer ??= setTimeout(() => this.#flushInBackground(), FLUSH_INTERVAL_MS);
    }
    this.#show();
  }

  /** Everything shown so far is durable when this resolves. */
  async flush(): Promise<void> {
    while (this.#unwritten.length > 0 || this.#writing) await this.#write();
  }

  /** Calls `listener` with every event from now on. Returns the way to stop. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The stored events after `after`, then those that follow, until `signal` aborts. */
  async *events(
    options: { after?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionEvent, void> {
    const { after = 0, signal } = options;
    const live: SessionEvent[] = [];
    let hasLost = true;
    let wake: () => void = () => {};
    const stop = this.subscribe((event) => {
      if (live.length < MAX_LIVE_EVENTS) live.push(event);
      else hasLost = true;
      wake();
    });
    const onAbort = (): void => wake();
    signal?.addEventListener("abort", onAbort, { once: true });
    let shown = after;
    const isNew = (event: SessionEvent): boolean =>
      TRANSIENT.has(event.type) ? event.seq >= shown : event.seq > shown;
    try {
      while (!signal?.aborted) {
        if (hasLost) {
          hasLost = false;
          live.length = 0;
          await this.flush();
          for await (const event of this.#stored(shown)) {
            if (signal?.aborted) return;
            shown = event.seq;
            yield event;
          }
        }
        for (let event = live.shift(); event; event = live.shift()) {
          if (signal?.aborted) return;
          if (!isNew(event)) continue;
          shown = event.seq;
          yield event;
        }
        if (!hasLost && !signal?.aborted) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stop();
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async *#stored(after: number): AsyncGenerator<SessionEvent, void> {
    if (!this.#storage || after >= this.#durableSeq) return;
    for await (const { value } of this.#storage.read(sessionKey(this.sessionId))) {
      let events: SessionEvent[];
      try {
        events = decodeRecord(value, this.sessionId);
      } catch (error) {
        if (error instanceof SessionError && error.code === "LOG_CORRUPT") continue;
        throw error;
      }
      for (const event of events) if (event.seq > after) yield event;
    }
  }

  #number(body: SessionEventBody, mustBeDurable: boolean): SessionEvent {
    const isTransient = TRANSIENT.has(body.type);
    if (!isTransient) this.#seq += 1;
    const event: SessionEvent = {
      v: SESSION_FORMAT,
      seq: this.#seq,
      sessionId: this.sessionId,
      time: this.#now(),
      ...(this.#turnId === undefined ? {} : { turnId: this.#turnId }),
      ...body,
    };
    if (this.#storage && !isTransient) this.#unwritten.push(event);
    this.#unshown.push({ event, mustBeDurable });
    return event;
  }

  /** One write at a time; whoever waits meanwhile goes into the next one. */
  #write(): Promise<void> {
    this.#writing ??= this.#append().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  async #append(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#unwritten;
    const last = events.at(-1);
    if (!last || !this.#storage) {
      this.#unwritten = [];
      return;
    }
    if (this.#fenced?.aborted) throw fenced();
    this.#unwritten = [];
    try {
      await this.#storage.append(sessionKey(this.sessionId), encodeEvents(events));
    } catch (error) {
      // What could not be written waits for the next attempt, in front of what came meanwhile.
      this.#unwritten = [...events, ...this.#unwritten];
      throw error;
    }
    this.#durableSeq = Math.max(this.#durableSeq, last.seq);
  }

  #flushInBackground(): void {
    this.#timer = undefined;
    this.#write().then(
      () => this.#show(),
      // The same failure meets the next commit, whose caller can act on it.
      () => undefined,
    );
  }

  /** Takes back events that could not be stored; nobody saw them. */
  #forget(events: readonly SessionEvent[]): void {
    const gone = new Set(events);
    this.#unwritten = this.#unwritten.filter((event) => !gone.has(event));
    this.#unshown = this.#unshown.filter(({ event }) => !gone.has(event));
    this.#show();
  }

  #show(): void {
    // A listener that causes events must not get ahead of the listeners after it.
    if (this.#isShowing) return;
    this.#isShowing = true;
    try {
      for (let next = this.#unshown[0]; next; next = this.#unshown[0]) {
        if (next.mustBeDurable && next.event.seq > this.#durableSeq) return;
        this.#unshown.shift();
        for (const listener of this.#listeners) listener(next.event);
      }
    } finally {
      this.#isShowing = false;
    }
  }
}

function fenced(): StorageError {
  return new StorageError("FENCED", "Another tab or process has taken this session over", {
    hint: "Close this view of the session, or open it again to take it back.",
  });
}
