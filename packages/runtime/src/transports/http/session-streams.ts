import type { SessionEvent } from "../../session/log/events.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import { DONE, type EventSourceIterator, eventStream, formatEvent } from "./event-stream.ts";
import { HttpProblem } from "./problem.ts";
import type { Submission } from "./submit-message.ts";

export interface SessionStreamsOptions {
  /** Open at a time; one more ends the oldest. */
  streamsPerSession: number;
  pingIntervalMs: number;
  /** Ends all of them. */
  stopped: AbortSignal | undefined;
  onError: (error: unknown) => void;
}

/** Answers with an event stream, which ends when the session does or when too many newer ones are open. */
export type SessionStreams = (
  session: InteractiveSession,
  source: (signal: AbortSignal) => EventSourceIterator,
  headers?: Readonly<Record<string, string>>,
) => Response;

export function sessionStreams({
  streamsPerSession,
  pingIntervalMs,
  stopped,
  onError,
}: SessionStreamsOptions): SessionStreams {
  /** Open ones, oldest first. */
  const streams = new WeakMap<InteractiveSession, Set<AbortController>>();
  return (session, source, headers) => {
    const closed = new AbortController();
    const open = streams.get(session) ?? new Set();
    streams.set(session, open);
    const [oldest] = open;
    // The oldest ends, not the newest: some hosts notice only at the next ping that the reader of an old one has hung
    // up.
    if (oldest && open.size >= streamsPerSession) {
      open.delete(oldest);
      oldest.abort();
    }
    open.add(closed);
    const stop = session.on("event", ({ type }) => {
      if (type === "session_shutdown") closed.abort();
    });
    return eventStream({
      pingIntervalMs,
      source,
      headers,
      closed: AbortSignal.any(stopped ? [closed.signal, stopped] : [closed.signal]),
      onError,
      onEnd() {
        stop();
        open.delete(closed);
      },
    });
  };
}

export async function* allEvents(
  session: InteractiveSession,
  after: number,
  signal: AbortSignal,
): EventSourceIterator {
  for await (const event of session.events({ after, signal })) yield formatEvent(event);
}

/** Silent until the turn begins, which for a queued message may take long. */
export async function* eventsOfTurn(
  session: InteractiveSession,
  started: Submission["started"],
  signal: AbortSignal,
): EventSourceIterator {
  const turn = await Promise.race([started, aborted(signal)]);
  if (signal.aborted) return;
  if (turn) {
    for await (const event of session.events({ after: turn.seq - 1, signal })) {
      yield formatEvent(event);
      if (isEndOf(turn, event)) return yield DONE;
    }
    return;
  }
  yield DONE;
}

/** True for the event that ends the turn. */
export function isEndOf({ turnId }: { turnId?: string | undefined }, event: SessionEvent): boolean {
  return event.type === "turn_end" && event.turnId === turnId;
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** @throws {HttpProblem} 400 */
export function eventNumber(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new HttpProblem(400, "VALIDATION_ERROR", `"${text}" is not an event number.`, {
    hint: "Send the `id` of the last event that arrived, or 0 for all of them.",
  });
}
