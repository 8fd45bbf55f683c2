import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { SessionEventOf } from "../../session/log/events.ts";

export interface Submission {
  /** Resolves as soon as the session has accepted the message: with its turn, or queued behind another one. */
  taken: Promise<{ turnId: string | null; queued: boolean }>;
  /** Resolves when its turn begins; to `undefined` when it was dropped from the queue instead. */
  started: Promise<SessionEventOf<"turn_start"> | undefined>;
  /** Resolves when its turn ended. Without the outcome, which holds the history of that moment. */
  finished: Promise<void>;
}

/** Beginnings of turns that belong to a submission already: of two equal messages, the first takes the first turn. */
const claimed = new WeakSet<SessionEventOf<"turn_start">>();

/**
 * Submits `text` to the session by `send` and reports its turn's id early; the session itself does so only at the end.
 */
export function submitMessage(
  session: InteractiveSession,
  text: string,
  send: () => Promise<unknown>,
): Submission {
  const started = Promise.withResolvers<SessionEventOf<"turn_start"> | undefined>();
  const queued = Promise.withResolvers<{ turnId: null; queued: true }>();
  const stop = session.on("event", (event) => {
    if (event.type === "queue_update" && event.queue.includes(text)) {
      queued.resolve({ turnId: null, queued: true });
    }
    if (event.type !== "turn_start" || event.input !== text || claimed.has(event)) return;
    claimed.add(event);
    started.resolve(event);
    stop();
  });
  const finished = send().then(
    () => {
      stop();
      started.resolve(undefined);
    },
    (error: unknown) => {
      stop();
      started.reject(error);
      throw error;
    },
  );
  const taken = Promise.race([
    queued.promise,
    started.promise.then((turn) => ({ turnId: turn?.turnId ?? null, queued: false })),
  ]);
  // Callers may use only some of the three promises; the failure is the same one.
  taken.catch(() => undefined);
  started.promise.catch(() => undefined);
  return { taken, started: started.promise, finished };
}

/** The submission that a turn of the log came of, once more. */
export function submissionOf(turn: SessionEventOf<"turn_start">): Submission {
  return {
    taken: Promise.resolve({ turnId: turn.turnId ?? null, queued: false }),
    started: Promise.resolve(turn),
    finished: Promise.resolve(),
  };
}
