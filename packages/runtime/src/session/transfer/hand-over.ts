import { ConfigurationError, ValidationError, requireArgument } from "../../errors.ts";
import { disposeSessionState } from "../../tools/session-state.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionPlace } from "../log/notes.ts";
import { busy, handedOver } from "../log/refusals.ts";
import type { SessionWriter } from "../log/session-writer.ts";
import { queueUpdate } from "../queue.ts";
import type { SessionState } from "../state/state.ts";
import type { TurnRunner } from "../turn/turn-runner.ts";
import { requireSessionId } from "../session-id.ts";
import { keepHeader } from "../store/header-writer.ts";

/** Milliseconds for calls that run to end. */
const WAIT_MS = 5_000;

export interface HandOverOptions {
  /** The only session that may go on with this one's turn and queue. */
  to: SessionPlace;
  /** True when it is at another host, where it may have this session's id; `to.url` says the same. False when omitted. */
  isElsewhere?: boolean | undefined;
  /**
   * Milliseconds that running calls get to end; 5,000 when omitted. A call that takes longer is aborted. Where the session
   * goes on, it runs again if it only reads; of any other, the model reads that its outcome is unknown.
   */
  waitMs?: number | undefined;
}

export interface HandOverParts {
  readonly hasStorage: boolean;
  readonly sessionId: string;
  readonly log: SessionLog;
  readonly state: SessionState;
  readonly writer: SessionWriter;
  readonly toolState: Map<string, unknown>;
  pause: Promise<void> | undefined;
}

/** Implements `Session.handOver`. */
export async function handOver(
  parts: HandOverParts,
  turns: TurnRunner,
  options: HandOverOptions,
): Promise<SessionPlace> {
  requireArgument("options", options, "object");
  requireArgument("options.to", options.to, "object");
  const { to, isElsewhere = to.url !== undefined, waitMs = WAIT_MS } = options;
  const { log, state, writer, toolState } = parts;
  requireSessionId(to.sessionId);
  if (to.sessionId === parts.sessionId && !isElsewhere)
    throw new ValidationError("A session can't be handed over to itself", {
      hint: "Name a new session, or say that the one of this id is elsewhere.",
    });
  checkPossible(parts, to);
  if (state.handedOverTo) return state.handedOverTo;
  if (turns.work && !turns.unread) throw busy(turns.work);
  const paused = Promise.withResolvers<void>();
  parts.pause = paused.promise;
  try {
    await callsEnded(parts, waitMs);
    // Another call may have been faster.
    checkPossible(parts, to);
    if (state.handedOverTo) return state.handedOverTo;
    const unread = (turns.unread ?? []).map((input) => ({ input }));
    const queue = unread.length > 0 ? [queueUpdate([...unread, ...state.queue])] : [];
    const note = { type: "note", kind: "handed-over", data: { to } } as const;
    await log.seal(handedOver(to.sessionId), ...queue, note);
  } finally {
    parts.pause = undefined;
    paused.resolve();
  }
  writer.saveHeader(keepHeader);
  turns.abort();
  await turns.settled();
  await disposeSessionState(toolState);
  return to;
}

function checkPossible({ hasStorage, state }: HandOverParts, to: SessionPlace): void {
  if (!hasStorage)
    throw new ConfigurationError("A session without storage can't be handed over", {
      hint: "Pass a platform with storage.",
    });
  if (!state.isInitialised)
    throw new ValidationError("There is nothing yet to hand over", {
      hint: "Send it a prompt first.",
    });
  const known = state.handedOverTo;
  if (known && known.sessionId !== to.sessionId) throw handedOver(known.sessionId);
}

/** Resolves when no call runs, and none can begin; or `ms` milliseconds later. */
async function callsEnded({ log, state }: HandOverParts, ms: number): Promise<void> {
  if (state.activeTools.size === 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const unsubscribe = log.subscribe(() => {
    if (state.activeTools.size === 0) resolve();
  });
  await promise;
  clearTimeout(timer);
  unsubscribe();
}
