import { COMPACTION_PAUSED } from "../state/compacted.ts";
import type { PermissionDecisionRecord, SessionEvent, SessionEventBody } from "../log/events.ts";
import { isNote, type NoteKind, reasonOfAgentStop } from "../log/notes.ts";
import { LOG_DAMAGED } from "../log/crash-recovery.ts";
import { ANSWER_CHANGED } from "../turn/turn-events.ts";

/** Notes that follow from the session's own steps. */
const REPRODUCED_NOTES: readonly NoteKind[] = [
  ANSWER_CHANGED,
  "turn-refused",
  "hook-stopped",
  "auto-compact-failed",
  COMPACTION_PAUSED,
  LOG_DAMAGED,
];

/** True for external events without effect on the session: a replay copies them from the record, at their position. */
export function isFact(event: SessionEvent): boolean {
  // A subagent's request: its work is in the result of the call that started it.
  if (event.parentId !== undefined) return true;
  if (event.type === "note")
    return !isNote(event, ...REPRODUCED_NOTES) || reasonOfAgentStop(event) !== undefined;
  return event.type === "hook_run" || event.type === "files_before";
}

/** Written by an import behind everything else: outside of turns, also while the moved session has one open. */
export function isImportNote(event: SessionEvent): boolean {
  return isNote(event, "imported");
}

/** True for actions of a person or a program that are recorded verbatim. */
export function isPlainInput(event: SessionEvent): boolean {
  switch (event.type) {
    case "mode_change":
    case "name_change":
    case "model_change":
    case "language_change":
    case "queue_update":
    case "permission_revoked":
    case "history_cleared":
      return true;
    case "user_message":
    case "assistant_message":
      // Put in between turns.
      return event.turnId === undefined;
    default:
      return false;
  }
}

/** True for actions of a person or a program with consequences. */
export function isAction(event: SessionEvent): boolean {
  if (event.type === "note") return isNote(event, "turn-refused");
  if (event.type === "compaction") return event.trigger === "manual";
  return (
    event.type === "turn_start" ||
    event.type === "rewind" ||
    event.type === "session_shutdown" ||
    isPlainInput(event)
  );
}

export function bodyOf(event: SessionEvent): SessionEventBody {
  const { v: _v, seq: _seq, sessionId: _id, time: _time, turnId: _turn, ...body } = event;
  // A reader may have put the fields in another order; in a record the type is the first of them.
  return Object.assign({ type: event.type }, body);
}

/** An answer without the session's additions: the answerer, and the suggested pattern. */
export function answerOf(decision: PermissionDecisionRecord): Omit<PermissionDecisionRecord, "by"> {
  const names = Object.keys(decision);
  const isSuggested = names.indexOf("pattern") > names.indexOf("by");
  const answer: Partial<PermissionDecisionRecord> & { allow: boolean } = { ...decision };
  delete answer.by;
  if (isSuggested) delete answer.pattern;
  return answer;
}
