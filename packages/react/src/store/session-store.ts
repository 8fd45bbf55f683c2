import type { SessionEvent } from "@robota/runtime";
import { applyEvents } from "./apply-events.ts";
import { asError } from "./as-error.ts";
import type { SessionConnection } from "./connection.ts";
import { appendRows, type EventRow } from "./event-rows.ts";
import { onNextFrame, onTimer } from "./next-frame.ts";
import { createCell, type Readable } from "./readable.ts";
import { emptyView, type SessionView } from "./session-view.ts";

/**
 * One session as a value over time, for any user interface: `get()` returns the current view, `subscribe()` notifies of
 * changes. It follows the session while it has subscribers, and catches up when it has some again.
 * While text streams, it changes at most once per animation frame; a permission request and the end of a turn show at
 * once. A stored history shows as a whole.
 */
export interface SessionViewStore extends Readable<SessionView> {
  readonly session: SessionConnection;
  /** The session's events, for an event log. */
  readonly rows: Readable<readonly EventRow[]>;
  /** The error that ended the events, such as `SESSION_BUSY` of a session that another tab holds. */
  readonly failure: Readable<Error | undefined>;
  /**
   * Calls `listener` with every batch of events, after it is in the view. Follows the session, like `subscribe`. What a
   * listener throws goes to the console.
   */
  onEvents: (listener: (events: readonly SessionEvent[]) => void) => () => void;
}

const stores = new WeakMap<SessionConnection, SessionViewStore>();

/** The store of a session: the same one for the same session, so that all parts of a page share one fold. */
export function sessionStore(session: SessionConnection): SessionViewStore {
  const store = stores.get(session) ?? new Follower(session);
  stores.set(session, store);
  return store;
}

/**
 * Stored events are read page by page, with frames in between. A history that takes longer than this is shown as far as it
 * is known. In milliseconds.
 */
const HISTORY_MS = 1_000;
/** Events that a person must see before the next frame. */
const URGENT: ReadonlySet<SessionEvent["type"]> = new Set(["permission_request", "turn_end"]);

class Follower implements SessionViewStore {
  readonly session: SessionConnection;
  readonly failure = createCell<Error | undefined>(undefined);
  readonly rows: Readable<readonly EventRow[]> = {
    get: () => this.#rows.get(),
    subscribe: (listener) => this.#use(this.#rows.subscribe(listener)),
  };
  readonly #view = createCell<SessionView>(emptyView);
  readonly #rows = createCell<readonly EventRow[]>([]);
  readonly #listeners = new Set<(events: readonly SessionEvent[]) => void>();
  /** A way to leave for each user. */
  readonly #users = new Set<() => void>();
  #following: AbortController | undefined;
  #pending: SessionEvent[] = [];
  #cancelFrame: (() => void) | undefined;
  /** Number of the last event in the view. */
  #seq = 0;

  constructor(session: SessionConnection) {
    this.session = session;
  }

  get(): SessionView {
    return this.#view.get();
  }

  subscribe(listener: () => void): () => void {
    return this.#use(this.#view.subscribe(listener));
  }

  onEvents(listener: (events: readonly SessionEvent[]) => void): () => void {
    const entry = (events: readonly SessionEvent[]): void => listener(events);
    this.#listeners.add(entry);
    return this.#use(() => this.#listeners.delete(entry));
  }

  /** Follows the session until the returned function was called by everybody. */
  #use(leave: () => void): () => void {
    this.#users.add(leave);
    if (!this.#following) this.#start();
    return () => {
      leave();
      this.#users.delete(leave);
      // Frameworks subscribe again at once when they only draw anew.
      queueMicrotask(() => this.#users.size || this.#stop());
    };
  }

  #start(): void {
    this.#following = new AbortController();
    this.failure.set(undefined);
    this.#view.set(withStateOf(this.session, this.#view.get()));
    void this.#follow(this.#following.signal);
  }

  #stop(): void {
    this.#following?.abort();
    this.#following = undefined;
    this.#flush();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { session } = this;
    try {
      const events = session.events({ after: this.#seq, signal });
      await session.ready;
      const end = session.lastSeq;
      for await (const event of events) {
        if (signal.aborted) return;
        const hadHistory = this.#seq < end;
        this.#seq = event.seq;
        this.#pending.push(event);
        if (this.#seq < end) this.#cancelFrame ??= onTimer(this.#flush, HISTORY_MS);
        else if (hadHistory || URGENT.has(event.type)) this.#flush();
        else this.#cancelFrame ??= onNextFrame(this.#flush);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#flush();
      this.failure.set(asError(error));
    }
  }

  readonly #flush = (): void => {
    this.#cancelFrame?.();
    this.#cancelFrame = undefined;
    if (this.#pending.length === 0) return;
    const events = this.#pending;
    this.#pending = [];
    this.#rows.set(appendRows(this.#rows.get(), events));
    this.#view.set(applyEvents(this.#view.get(), events));
    for (const listener of this.#listeners) {
      try {
        listener(events);
      } catch (error) {
        // The view follows the session whatever a listener does.
        console.error(error);
      }
    }
  };
}

/** Some of a session's state has no event in its log, so a session opened again has to be asked. */
function withStateOf(session: SessionConnection, view: SessionView): SessionView {
  const { usedTokens, maxTokens, usedPercentage } = session.getContextState();
  // A session that is only read along knows no window.
  if (!maxTokens) return view;
  const context = view.context ?? { usedTokens, maxTokens, usedPercentage, exact: false };
  return { ...view, mode: session.getPermissionMode(), context };
}
