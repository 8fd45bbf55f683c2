import { isAbortError, type RobotaError, SessionError } from "../../errors.ts";
import { onAbort, raceAbort, wait } from "../../abort.ts";
import type { SessionEvent } from "../../session/log/events.ts";
import { delayBefore, type Delays } from "./backoff.ts";
import { Deadline } from "./deadline.ts";
import type { RemoteState, SessionLink } from "./link.ts";
import { SessionMirror } from "./mirror.ts";
import { readEvent } from "./read-wire.ts";
import { RemoteError } from "./remote-error.ts";

/** The state of the connection: `lost` while it is being made again, `closed` for good. */
export type ConnectionState = "connecting" | "open" | "lost" | "closed";

export interface FollowerOptions extends Delays {
  /** Id of the session whose events the link has. */
  sessionId: () => string;
  link: SessionLink;
  /** Milliseconds until the first connection is given up, and for the answer to a later one; 30,000 when omitted. */
  openTimeoutMs?: number | undefined;
  onState?: ((state: ConnectionState) => void) | undefined;
  /** Called with every state of the session that a connection begins with. */
  onSummary: (state: RemoteState) => void;
  /** Called with each event once, in order. `isLive` is false for those from before this client. */
  onEvent: (event: SessionEvent, isLive: boolean) => void;
}

/** Thrown to connect again and read the whole log: what came does not continue what is there. */
class Discontinued extends Error {
  override readonly name = "Discontinued" as const;
}

/**
 * Keeps a copy of a session's log up to date over connections that break. A connection continues behind the last event; where
 * that is not possible, since the server has lost events that it showed or has another log, the copy is read anew, and shown
 * when it is complete.
 */
export class SessionFollower {
  readonly #options: FollowerOptions;
  readonly #ended = new AbortController();
  readonly #opened = Promise.withResolvers<void>();
  readonly #waiting = new Set<() => void>();
  #mirror = new SessionMirror();
  /** A copy that is being read, which has no events before its first connection. */
  #next: SessionMirror | undefined = new SessionMirror();
  /** The number that completes it. */
  #target = 0;
  #isOpen = false;
  #state: ConnectionState = "connecting";
  /** The error that ended it. */
  failure: Error | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    // Rejections reach those who await it; nobody has to.
    this.#opened.promise.catch(() => undefined);
    void this.#run();
  }

  /** Resolves when the session's past is there. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** Aborts when it has ended. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get mirror(): SessionMirror {
    return this.#mirror;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Resolves when the event of this number is there, or `ms` milliseconds later. */
  async reached(seq: number, ms: number): Promise<void> {
    if (this.#mirror.lastSeq >= seq || this.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (this.#mirror.lastSeq >= seq) resolve();
    };
    const timer = setTimeout(resolve, ms);
    this.#waiting.add(check);
    const stopWatching = onAbort(this.signal, resolve);
    await promise;
    clearTimeout(timer);
    stopWatching();
    this.#waiting.delete(check);
  }

  close(failure?: Error): void {
    if (this.signal.aborted) return;
    this.failure = failure;
    this.#opened.reject(failure ?? new SessionError("CLOSED", "The remote session was closed"));
    this.#ended.abort();
    this.#setState("closed");
  }

  async #run(): Promise<void> {
    const { openTimeoutMs = 30_000 } = this.#options;
    const giveUpAt = Date.now() + openTimeoutMs;
    for (let failures = 0; !this.signal.aborted; failures += 1) {
      const before = this.#read.lastSeq;
      try {
        await this.#connect(this.#isOpen ? openTimeoutMs : giveUpAt - Date.now());
      } catch (error) {
        if (error instanceof Discontinued) {
          this.#next = new SessionMirror();
          continue;
        }
        const isPassing = mayPass(error);
        if (this.signal.aborted) return;
        if (!isPassing || (!this.#isOpen && Date.now() >= giveUpAt))
          return this.close(error instanceof Error ? error : new Error(String(error)));
      }
      if (this.#read.lastSeq > before) failures = 0;
      this.#setState(this.#isOpen ? "lost" : "connecting");
      await wait(delayBefore(failures, this.#options), this.signal).catch(() => undefined);
    }
  }

  /** The copy that events go into. */
  get #read(): SessionMirror {
    return this.#next ?? this.#mirror;
  }

  async #connect(answerMs: number): Promise<void> {
    const { link, sessionId, onSummary } = this.#options;
    using deadline = new Deadline(answerMs, this.signal);
    const { signal } = deadline;
    const connected = link.connect({
      signal,
      after: (state) => {
        // A connection that was given up may get this far all the same.
        signal.throwIfAborted();
        // From here on, silence ends it: a long past takes its time.
        deadline.met();
        // Numbers above the last one are of another log.
        if (this.#read.lastSeq > state.seq) this.#next = new SessionMirror();
        this.#read.context = state.context;
        this.#target = state.seq;
        onSummary(state);
        if (this.#next) this.#completed();
        else this.#setState("open");
        return this.#read.lastSeq;
      },
      onEvent: (value) => {
        signal.throwIfAborted();
        this.#take(readEvent(value, sessionId()));
      },
    });
    // A token that never comes, or a fetch that ignores its signal, ends at no abort.
    await raceAbort(connected, signal);
  }

  #take(event: SessionEvent): void {
    const mirror = this.#read;
    if (!mirror.isNew(event)) return;
    // A log has gaps where a crash lost what was shown: in the past of a copy they are its own, behind it they are news.
    const isPast = this.#next !== undefined;
    if (!isPast && event.seq > mirror.lastSeq + 1) throw new Discontinued();
    mirror.add(event);
    if (this.#next) this.#completed();
    else this.#show(event, true);
  }

  /** Replaces the copy when the next one is complete. */
  #completed(): void {
    const next = this.#next;
    if (!next || next.lastSeq < this.#target) return;
    const shown = this.#mirror.lastSeq;
    const isFirst = !this.#isOpen;
    this.#mirror = next;
    this.#next = undefined;
    this.#isOpen = true;
    // Events of another log did not happen just now.
    for (const event of next.after(Math.min(shown, next.lastSeq))) this.#show(event, !isFirst);
    this.#opened.resolve();
    this.#setState("open");
  }

  #show(event: SessionEvent, isLive: boolean): void {
    this.#options.onEvent(event, isLive);
    for (const check of this.#waiting) check();
  }

  #setState(state: ConnectionState): void {
    if (this.#state === state || this.#state === "closed") return;
    this.#state = state;
    this.#options.onState?.(state);
  }
}

/** Refusals that another attempt may not meet: the server is not there, restarts, or has too much to do. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** True when the same request may succeed later. */
export function mayPass(error: unknown): boolean {
  if (isAbortError(error)) return true;
  if (error instanceof RemoteError) return error.code === "UNREACHABLE";
  const { status } = error as RobotaError & { status?: unknown };
  return typeof status === "number" && PASSING.has(status);
}

export function isPassingStatus(status: number): boolean {
  return PASSING.has(status);
}
