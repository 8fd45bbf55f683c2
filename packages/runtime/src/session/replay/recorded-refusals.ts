import { StorageError } from "../../errors.ts";
import { NOT_RUN } from "../log/crash-recovery.ts";
import type { SessionEvent, SessionEventBody, SessionEventOf } from "../log/events.ts";
import { UNKNOWN_OUTCOME } from "../../messages/project.ts";
import type { ReplayCursor } from "./replay-cursor.ts";

/** The failure of a turn that ended because something could not be stored. */
export function storageFailureOf(end: SessionEventOf<"turn_end">): StorageError | undefined {
  const { error } = end;
  if (error?.code !== "FULL" && error?.code !== "IO") return undefined;
  return new StorageError(error.code, error.message, { hint: error.hint });
}

/**
 * Refuses the commits that the storage refused in the recording. They left no events, and the turn ended instead: with
 * what its run had used up, or without that when the refusal ended the run itself.
 */
export function recordedRefusals(
  cursor: ReplayCursor,
): (bodies: readonly SessionEventBody[]) => StorageError | undefined {
  return (bodies) => {
    const end = cursor.findOf("turn_end");
    const failure = end && storageFailureOf(end);
    if (!failure) return undefined;
    const own = bodies.find((body) => body.type === "turn_end");
    const isRefused = own ? own.error?.code !== failure.code : isRefusing(cursor);
    return isRefused ? failure : undefined;
  };
}

/** True where the storage refused whatever was next: nothing is left of the turn but the events that close it. */
export function isRefusing(cursor: ReplayCursor): boolean {
  const end = cursor.findOf("turn_end");
  if (!end || end.usage || !storageFailureOf(end)) return false;
  for (let at = cursor.next; ; at++) {
    const event = cursor.at(at);
    if (event === end) return true;
    if (!event || !closes(event)) return false;
  }
}

/** True for what closes a step of a turn that can't be recorded to its own end. */
function closes(event: SessionEvent): boolean {
  if (event.type === "assistant_message")
    return event.message.state === "interrupted" && !event.message.error;
  if (event.type !== "tool_end") return false;
  const { content } = event.message;
  return content === UNKNOWN_OUTCOME || content === NOT_RUN;
}
