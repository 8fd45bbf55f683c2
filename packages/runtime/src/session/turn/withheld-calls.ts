import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { SessionEvent, SessionEventBody } from "../log/events.ts";
import { withheldCallsIn } from "../log/notes.ts";
import type { SessionState } from "../state/state.ts";

const NOT_RUN =
  "The call was not run: its arguments contained a secret, which stayed on the host that the session came from. Ask the person to make the secret available here before you repeat it.";
const UNKNOWN =
  "The call was interrupted and its outcome is unknown. It was not repeated: its arguments contained a secret, which stayed on the host that the session came from. Check the state first.";
const REASON = "Its arguments contained a secret, which did not come along.";

/** The calls of an open turn that arrived without a secret of their arguments: they are never run as they are. */
export interface WithheldCalls {
  has(callId: string): boolean;
  /** True when everything that the turn waits for are such calls. */
  readonly areAllAwaited: boolean;
  /** Denies the requests for them, which nobody could answer in earnest. */
  readonly denials: readonly SessionEventBody[];
  /** The end of a call as it is reported; any other event as it is. */
  explain(end: SessionEventBody): SessionEventBody;
}

/** Reads them from the events of the turn, whose last one tells of its arrival before it was opened here. */
export function withheldCalls(state: SessionState, turn: readonly SessionEvent[]): WithheldCalls {
  const ids = new Set(withheldCallsIn(turn.at(-1)));
  const pending = [...state.pendingRequests.values()].filter(({ agent }) => agent === undefined);
  const denied = pending.filter(({ toolCallId }) => ids.has(toolCallId));
  return {
    has: (callId) => ids.has(callId),
    areAllAwaited: denied.length === pending.length,
    denials: denied.map(({ id: requestId, toolCallId }) => ({
      type: "permission_decision",
      requestId,
      toolCallId,
      decision: { allow: false, by: "default", reason: REASON },
    })),
    explain(end) {
      if (end.type !== "tool_end" || !ids.has(end.toolCallId)) return end;
      const hasStarted = state.activeTools.has(end.toolCallId);
      const errorCode: ToolErrorCode = hasStarted ? "unknown_outcome" : "secret_withheld";
      return {
        ...end,
        message: { ...end.message, content: hasStarted ? UNKNOWN : NOT_RUN, errorCode },
        outcome: { ...end.outcome, errorCode },
      };
    },
  };
}
