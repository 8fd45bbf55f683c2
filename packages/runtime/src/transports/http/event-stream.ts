import type { SessionEvent } from "../../session/log/events.ts";

/** Bytes buffered for a slow reader; beyond it, the session's events are not read further. */
const BUFFER_BYTES = 256 * 1024;
const RETRY_MS = 2000;
const encoder = new TextEncoder();

/** The final block, which tells the client not to reconnect. */
export const DONE = "event: done\ndata: {}\n\n";

/** Blocks of server-sent events to send, none of them empty. */
export type EventSourceIterator = AsyncGenerator<string, void>;

export interface EventStreamOptions {
  /** Milliseconds between comments that keep the connection open and detect a lost one. */
  pingIntervalMs: number;
  /** Called once, with a signal that aborts when the reader is gone or `closed` aborts. */
  source: (signal: AbortSignal) => EventSourceIterator;
  /** Ends the stream; the client may come back. */
  closed: AbortSignal;
  headers?: Readonly<Record<string, string>> | undefined;
  onError: (error: unknown) => void;
  onEnd: () => void;
}

/**
 * An answer of server-sent events.
 *
 * Pull-based backpressure: unread events stay in the log, and the session's event source resumes from there when a
 * reader falls too far behind. So a slow reader costs a bounded buffer, and never the session's speed.
 */
export function eventStream(options: EventStreamOptions): Response {
  const gone = new AbortController();
  const events = options.source(AbortSignal.any([gone.signal, options.closed]));
  let ping: ReturnType<typeof setInterval> | undefined;
  const end = (): void => {
    clearInterval(ping);
    gone.abort();
    // A waiting source is woken by the signal; an idle one is ended by this.
    events.return(undefined).catch(options.onError);
    options.onEnd();
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
        ping = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": ping\n\n"));
        }, options.pingIntervalMs);
      },
      async pull(controller) {
        try {
          const next = await events.next();
          if (gone.signal.aborted) return;
          if (!next.done) {
            controller.enqueue(encoder.encode(next.value));
            return;
          }
          controller.close();
          end();
        } catch (error) {
          options.onError(error);
          controller.error(error);
          end();
        }
      },
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
  );

  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // Reverse proxies would collect the events otherwise.
      "x-accel-buffering": "no",
      ...options.headers,
    },
  });
}

/** An event as a server-sent event: `id` is the `seq`, `event` the type, `data` the event as JSON. */
export function formatEvent(event: SessionEvent): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
