import type { InteractiveSession } from "../../../interactive/interactive-session.ts";
import type { SessionEvent, SessionEventOf } from "../../../session/log/events.ts";
import type { EventSourceIterator } from "../event-stream.ts";
import { aborted, isEndOf } from "../session-streams.ts";
import type { Submission } from "../submit-message.ts";

/** How a protocol encodes a session's events. */
export interface ProfileFormat<Chunk> {
  encode: (event: SessionEvent) => Chunk[];
  /** The start of an answer that continues a turn. */
  resumed: (turn: Turn) => Chunk[];
  /** The end of an answer whose turn waits for an approval: the client answers with its next request. */
  paused: (request: SessionEventOf<"permission_request">) => Chunk[];
  /** The end of an answer to a message that was dropped from the queue. */
  dropped: () => Chunk[];
  /** The last block. */
  done?: string;
}

/** A turn that has begun. */
export interface Turn {
  turnId: string;
  /** Number of its first event. */
  seq: number;
}

/** The open turn, or the last one. */
export function lastTurn(session: InteractiveSession): Turn | undefined {
  const found = session.checkpoints().findLast(({ kind }) => kind === "turn");
  return found && { turnId: found.id, seq: found.seq };
}

/** Answers with a new turn, as soon as it begins. */
export async function* submittedTurn<Chunk>(
  session: InteractiveSession,
  format: ProfileFormat<Chunk>,
  started: Submission["started"],
  signal: AbortSignal,
): EventSourceIterator {
  const turn = await Promise.race([started, aborted(signal)]);
  if (signal.aborted) return;
  if (turn?.turnId === undefined) {
    yield blocksOf(format.dropped()) + (format.done ?? "");
    return;
  }
  yield* turnEvents(session, format, { turnId: turn.turnId, seq: turn.seq }, { signal });
}

/**
 * Answers with a turn up to its end, or to a request for approval. `known`: requests that the client has; only events
 * behind the last of them are sent.
 */
export async function* turnEvents<Chunk>(
  session: InteractiveSession,
  format: ProfileFormat<Chunk>,
  turn: Turn,
  { signal, known = [] }: { signal: AbortSignal; known?: readonly string[] | undefined },
): EventSourceIterator {
  const done = format.done ?? "";
  const left = new Set(known);
  const start = left.size > 0 ? blocksOf(format.resumed(turn)) : "";
  if (start !== "") yield start;
  for await (const event of session.events({ after: turn.seq - 1, signal })) {
    const isEnd = isEndOf(turn, event);
    const isKnown = left.size > 0;
    // The encoder has to see also what the client has already.
    const blocks = blocksOf(format.encode(event));
    if (blocks !== "" && (!isKnown || isEnd)) yield blocks;
    if (isEnd) {
      if (done !== "") yield done;
      return;
    }
    if (event.type !== "permission_request") continue;
    const { id } = event.request;
    if (!isKnown && session.pendingPermissions().some((request) => request.id === id)) {
      const end = blocksOf(format.paused(event)) + done;
      if (end !== "") yield end;
      return;
    }
    left.delete(id);
  }
}

/** Every event behind `after`, also of later turns; `id` is the `seq`, to go on from. */
export async function* followed<Chunk>(
  session: InteractiveSession,
  format: Pick<ProfileFormat<Chunk>, "encode">,
  after: number,
  signal: AbortSignal,
): EventSourceIterator {
  // The encoder has to see a turn from its start.
  const turn = session.checkpoints().findLast(({ kind, seq }) => kind === "turn" && seq <= after);
  const from = turn ? turn.seq - 1 : after;
  for await (const event of session.events({ after: from, signal })) {
    const chunks = format.encode(event);
    if (event.seq <= after) continue;
    const last = chunks.pop();
    if (last === undefined) continue;
    yield `${blocksOf(chunks)}id: ${event.seq}\n${blocksOf([last])}`;
  }
}

/** Chunks as server-sent events without ids. */
export function blocksOf(chunks: readonly unknown[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
}
