import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import { differentRequest, HttpProblem } from "./problem.ts";
import type { Submission } from "./submit-message.ts";

/** Of one session: a client tries again soon, or not at all. */
const MAX_KEYS = 1000;

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
  /** Without one, every request is a message of its own. */
  key: string | undefined;
  /** Tells it from another message under the same key. */
  content: string;
  submit: () => Submission;
}

interface Sent {
  content: string;
  submission: Submission;
}

/**
 * Submits each message once. Keys are remembered as long as the session is open in this process.
 * @throws {HttpProblem} 422 for a key that came with another message
 */
export function submitsOnce(): (session: InteractiveSession, message: KeyedMessage) => Submission {
  const sessions = new WeakMap<InteractiveSession, Map<string, Sent>>();
  return (session, { key, content, submit }) => {
    if (key === undefined) return submit();
    const sent = sessions.get(session) ?? new Map<string, Sent>();
    sessions.set(session, sent);
    const before = sent.get(key);
    if (before) {
      if (before.content !== content) throw differentRequest();
      return before.submission;
    }
    const submission = submit();
    sent.set(key, { content, submission });
    for (const oldest of sent.keys()) {
      if (sent.size <= MAX_KEYS) break;
      sent.delete(oldest);
    }
    // What was refused was not done: it may be sent again.
    submission.taken.catch(() => sent.delete(key));
    return submission;
  };
}
