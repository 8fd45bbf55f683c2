import type { SessionEvent } from "./events.ts";

/** A reader further behind than this continues from storage instead. */
const MAX_LIVE_EVENTS = 10_000;

/**
 * Called with an event when it is shown; `isTransient`: it is not stored, and has the number of the event before it.
 */
export type LogListener = (event: SessionEvent, isTransient: boolean) => void;

/** The source of events. */
export interface EventSource {
  subscribe: (listener: LogListener) => () => void;
  /** Stored events after a number, as lists; `undefined` without storage. */
  stored: ((after: number) => AsyncIterable<readonly SessionEvent[]>) | undefined;
  /** Events shown but not yet in storage. */
  unwritten: () => SessionEvent[];
  /** No events follow its abort. */
  closed: AbortSignal;
}

export interface FollowOptions {
  /** 0 by default. */
  after?: number;
  signal?: AbortSignal;
}

/**
 * Yields the stored events after `after`, then live ones, each once, until `signal` aborts or the source is closed. They come
 * as lists.
 */
export async function* followEvents(
  { subscribe, stored, unwritten, closed }: EventSource,
  { after = 0, signal }: FollowOptions,
): AsyncGenerator<readonly SessionEvent[], void> {
  // Without storage, all events must be buffered here.
  const limit = stored ? MAX_LIVE_EVENTS : Infinity;
  let live: { event: SessionEvent; isTransient: boolean }[] = [];
  let mustRead = true;
  let wake: () => void = () => {};
  const onAbort = (): void => wake();
  const stop = subscribe((event, isTransient) => {
    // No event may follow a gap: the reader would skip the missing ones.
    mustRead ||= live.length >= limit;
    if (!mustRead) live.push({ event, isTransient });
    wake();
  });
  signal?.addEventListener("abort", onAbort);
  closed.addEventListener("abort", onAbort);
  let shown = after;
  try {
    while (!signal?.aborted) {
      if (mustRead) {
        mustRead = false;
        live = unwritten().map((event) => ({ event, isTransient: false }));
        for await (const events of stored?.(shown) ?? []) {
          if (signal?.aborted) return;
          shown = events.at(-1)?.seq ?? shown;
          yield events;
        }
      }
      const events: SessionEvent[] = [];
      for (const { event, isTransient } of live) {
        if (isTransient ? event.seq < shown : event.seq <= shown) continue;
        shown = event.seq;
        events.push(event);
      }
      live = [];
      if (signal?.aborted) return;
      yield events;
      if (mustRead || live.length > 0 || signal?.aborted) continue;
      if (closed.aborted) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stop();
    signal?.removeEventListener("abort", onAbort);
    closed.removeEventListener("abort", onAbort);
  }
}
