import type { SessionEvent } from "./events.ts";

/** A reader that is further behind than this reads on from storage instead. */
const MAX_LIVE_EVENTS = 10_000;

/** Is told of an event when it is shown; `isTransient`: it is not kept, and has the number of the event before it. */
export type LogListener = (event: SessionEvent, isTransient: boolean) => void;

/** Where events come from. */
export interface EventSource {
  subscribe: (listener: LogListener) => () => void;
  /** What is stored behind a number; `undefined` when nothing is kept. */
  stored: ((after: number) => AsyncIterable<SessionEvent>) | undefined;
  /** What was shown already and is not in storage yet. */
  unwritten: () => SessionEvent[];
  /** Nothing comes after its abort. */
  closed: AbortSignal;
}

/** The stored events after `after`, then those that follow, each once, until `signal` aborts or the source is closed. */
export async function* followEvents(
  { subscribe, stored, unwritten, closed }: EventSource,
  { after = 0, signal }: { after?: number; signal?: AbortSignal },
): AsyncGenerator<SessionEvent, void> {
  // What is kept nowhere else must wait here.
  const limit = stored ? MAX_LIVE_EVENTS : Infinity;
  let live: { event: SessionEvent; isTransient: boolean }[] = [];
  let mustRead = true;
  let wake: () => void = () => {};
  const onAbort = (): void => wake();
  const stop = subscribe((event, isTransient) => {
    // Nothing may follow a gap: the reader would take it for the next event, and what is missing for old.
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
        for await (const event of stored?.(shown) ?? []) {
          if (signal?.aborted) return;
          shown = event.seq;
          yield event;
        }
      }
      const batch = live;
      live = [];
      for (const { event, isTransient } of batch) {
        if (signal?.aborted) return;
        if (isTransient ? event.seq < shown : event.seq <= shown) continue;
        shown = event.seq;
        yield event;
      }
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
