import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { SessionEventOf, TurnRequest } from "../../session/log/events.ts";
import { digest } from "./digest.ts";
import { differentRequest, HttpProblem } from "./problem.ts";
import { type Submission, submissionOf } from "./submit-message.ts";

/** Keys per session: a client retries soon, or not at all. */
const MAX_KEYS = 1000;
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * The header's value, if the request has it.
 * @throws {HttpProblem} 400
 */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new HttpProblem(
    400,
    "VALIDATION_ERROR",
    "The Idempotency-Key is not 1 to 255 visible characters.",
  );
}

/** One message of a client, however often it is sent. */
export interface KeyedMessage {
  /** The client's key; without one, every request is a separate message. */
  key: string | undefined;
  /** Distinguishes it from another message under the same key. */
  content: string;
  /** `request` is recorded with its turn. */
  submit: (request?: TurnRequest) => Submission;
}

export type SubmitOnce = (
  session: InteractiveSession,
  message: KeyedMessage,
) => Promise<Submission>;

interface Sent {
  content: string;
  /** Milliseconds since the epoch. */
  time: number;
  submission: Submission;
}

/**
 * Submits each message once, for 24 hours. A waiting message is recorded with its key, and so is the start of its turn,
 * so that a retry finds either also after the session was reopened.
 * @throws {HttpProblem} 422 for a key that came with another message
 */
export function submitsOnce(): SubmitOnce {
  const sessions = new WeakMap<InteractiveSession, Promise<Map<string, Sent>>>();
  return async (session, { key, content, submit }) => {
    if (key === undefined) return submit();
    const request = { key: await digest(key), content: await digest(content) };
    let recording = sessions.get(session);
    if (!recording) {
      recording = recordedTurns(session);
      sessions.set(session, recording);
      // The next request tries again.
      recording.catch(() => sessions.delete(session));
    }
    const sent = await recording;
    // No await from here on: of two equal requests, the second one finds the first.
    forgetOld(sent);
    const before = sent.get(request.key);
    if (before) {
      if (before.content !== request.content) throw differentRequest();
      return before.submission;
    }
    // Waiting since before the restart: the session recognises it as its own.
    const waiting = session.getWaitingRequests().find(({ key: other }) => other === request.key);
    if (waiting && waiting.content !== request.content) throw differentRequest();
    const submission = submit(request);
    sent.set(request.key, { content: request.content, time: Date.now(), submission });
    // A refused message was not processed and may be sent again.
    submission.taken.catch(() => sent.delete(request.key));
    return submission;
  };
}

/** Commands per session whose outcomes are kept. */
const MAX_OUTCOMES = 100;

/** A command of a client, however often it is sent. */
interface KeyedCommand<Outcome> {
  key: string | undefined;
  /** Distinguishes it, and who may run it, from another one under the same key. */
  content: string;
  run: () => Promise<Outcome>;
}

/**
 * Runs each command once while this process has its outcome: a client whose answer was lost sends it again. One that failed
 * runs again.
 * @throws {HttpProblem} 422 for a key that came with another command
 */
export function runsOnce<Outcome>(): (
  session: InteractiveSession,
  command: KeyedCommand<Outcome>,
) => Promise<Outcome> {
  type Outcomes = Map<string, { content: string; outcome: Promise<Outcome> }>;
  const sessions = new WeakMap<InteractiveSession, Outcomes>();
  return (session, { key, content, run }) => {
    if (key === undefined) return run();
    const known: Outcomes = sessions.get(session) ?? new Map();
    sessions.set(session, known);
    const before = known.get(key);
    if (before && before.content !== content) throw differentRequest();
    if (before) return before.outcome;
    const outcome = run();
    known.set(key, { content, outcome });
    outcome.catch(() => known.delete(key));
    for (const oldest of known.keys()) if (known.size > MAX_OUTCOMES) known.delete(oldest);
    return outcome;
  };
}

/** The turns of the log that began with a client's request by key, oldest first. */
async function recordedTurns(session: InteractiveSession): Promise<Map<string, Sent>> {
  const sent = new Map<string, Sent>();
  // A message waiting since before starts behind any other, including one without a key.
  if (session.getWaitingRequests().length > 0) {
    session.on("event", (event) => {
      if (event.type === "turn_start" && event.request && !sent.has(event.request.key))
        note(sent, event, event.request);
    });
  }
  const last = session.getFullHistory().at(-1)?.seq;
  if (last === undefined) return sent;
  for await (const event of session.events()) {
    if (event.type === "turn_start" && event.request) note(sent, event, event.request);
    if (event.seq >= last) break;
  }
  return sent;
}

function note(
  sent: Map<string, Sent>,
  turn: SessionEventOf<"turn_start">,
  { key, content }: TurnRequest,
): void {
  sent.set(key, { content, time: turn.time, submission: submissionOf(turn) });
  forgetOld(sent);
}

function forgetOld(sent: Map<string, Sent>): void {
  for (const [key, { time }] of sent) {
    if (sent.size <= MAX_KEYS && Date.now() - time < KEPT_MS) break;
    sent.delete(key);
  }
}
