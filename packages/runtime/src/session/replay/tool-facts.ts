import type { ToolArgs } from "../../messages/message.ts";
import { hasErrorCode } from "../../messages/tool-error-code.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";
import type { ReplayCursor } from "./replay-cursor.ts";
import { NEVER_RUN } from "./texts.ts";

/** Index of the next recorded event of a call. */
export function indexOfCall(cursor: ReplayCursor, callId: string): number | undefined {
  return cursor.find((event) => callOf(event) === callId);
}

export function endOfCall(
  cursor: ReplayCursor,
  callId: string,
): { index: number; end: SessionEventOf<"tool_end"> } | undefined {
  const index = cursor.find((event) => event.type === "tool_end" && event.toolCallId === callId);
  const end = index === undefined ? undefined : cursor.at(index);
  return index !== undefined && end?.type === "tool_end" ? { index, end } : undefined;
}

/** The arguments of a call from here on, when the recording shows them. */
export function argsOfCall(cursor: ReplayCursor, callId: string): ToolArgs | undefined {
  const index = cursor.find(
    (event) =>
      (event.type === "permission_request" && event.request.toolCallId === callId) ||
      ((event.type === "tool_start" || event.type === "tool_end") && event.toolCallId === callId),
  );
  const event = index === undefined ? undefined : cursor.at(index);
  if (event?.type === "permission_request") return event.request.args;
  return event?.type === "tool_start" ? event.args : undefined;
}

/** The reason of a coming call's recorded decision. */
export function reasonOfCall(cursor: ReplayCursor, callId: string): string | undefined {
  const index = cursor.find(
    (event) =>
      callOf(event) === callId &&
      (event.type === "permission_decision" ||
        event.type === "permission_auto" ||
        event.type === "tool_end"),
  );
  const event = index === undefined ? undefined : cursor.at(index);
  if (event?.type === "permission_decision") return event.decision.reason;
  return event?.type === "permission_auto" ? event.reason : undefined;
}

/** True for a call that was aborted before it could begin; a running one ends with its partial result. */
export function wasNeverRun({ outcome, message }: SessionEventOf<"tool_end">): boolean {
  if (!hasErrorCode(outcome, "aborted") || typeof message.content !== "string") return false;
  return message.content.startsWith(NEVER_RUN);
}

function callOf(event: SessionEvent): string | undefined {
  if (event.type === "permission_request") return event.request.toolCallId;
  return "toolCallId" in event ? event.toolCallId : undefined;
}
