import { unansweredCalls, UNKNOWN_OUTCOME } from "../../messages/project.ts";
import type { PermissionMode } from "../../permissions/permission.ts";
import type { ToolMessage } from "../../messages/message.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { SessionEvent, SessionEventBody } from "./events.ts";
import type { SessionState } from "../state/state.ts";
import { isDamaged, type LoadedLog, type LogDamage } from "./log-reader.ts";
import { isNote } from "./notes.ts";

/** Kind of the note about unreadable parts of the log. */
export const LOG_DAMAGED = "log-damaged";

/** The result of a call that a cut turn had not begun. */
export const NOT_RUN = "The turn was cut before this call ran.";

/**
 * The events that close a turn which was cut by a crash: the words that had arrived become an interrupted message, a
 * tool that had started gets a result that says its outcome is unknown, and one that had not says that it never ran.
 * Nothing is run again.
 */
export function closeCutTurn(
  state: SessionState,
  by: { now(): number; randomUUID(): string; provider: string; model: string },
): SessionEventBody[] {
  if (!state.turn) return [];
  const timestamp = new Date(by.now());
  const closing: SessionEventBody[] = [];
  const { messageId, text } = state.streaming;
  if (text !== "") {
    const { provider, model } = by;
    closing.push({
      type: "assistant_message",
      message: {
        role: "assistant",
        id: messageId,
        timestamp,
        content: text,
        state: "interrupted",
        provider,
        model,
      },
    });
  }
  for (const call of unansweredCalls(state.messages)) {
    const hasStarted = state.activeTools.has(call.id);
    const errorCode: ToolErrorCode = hasStarted ? "unknown_outcome" : "aborted";
    const message: ToolMessage = {
      role: "tool",
      id: by.randomUUID(),
      timestamp,
      toolCallId: call.id,
      name: call.name,
      content: hasStarted ? UNKNOWN_OUTCOME : NOT_RUN,
      isError: true,
      errorCode,
    };
    const outcome = { success: false, errorCode, durationMs: 0 };
    closing.push({ type: "tool_end", toolCallId: call.id, tool: call.name, message, outcome });
  }
  closing.push({ type: "turn_end", state: "interrupted", response: text });
  return closing;
}

/** Events for opening a stored session: found damage, and a mode that its opener requests. */
export function reportsAtOpening(
  state: SessionState,
  { events, ...damage }: LoadedLog,
  permissionMode: PermissionMode | undefined,
): SessionEventBody[] {
  const bodies: SessionEventBody[] = [];
  if (isDamaged(damage) && !isKnown(events, damage))
    bodies.push({ type: "note", kind: LOG_DAMAGED, data: damage });
  if (permissionMode && permissionMode !== state.mode) {
    bodies.push({ type: "mode_change", mode: permissionMode });
  }
  return bodies;
}

/** True when the same damage was reported at an earlier opening. */
function isKnown(events: readonly SessionEvent[], damage: LogDamage): boolean {
  const reported = events.findLast((event) => isNote(event, LOG_DAMAGED));
  return reported !== undefined && JSON.stringify(reported.data) === JSON.stringify(damage);
}
