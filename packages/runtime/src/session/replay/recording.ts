import { SessionError } from "../../errors.ts";
import type { Storage } from "../../ports/storage.ts";
import { decodeRecord, epochOf } from "../codec.ts";
import type { SessionEvent } from "../events.ts";
import { foreignPlaces } from "../foreign-records.ts";
import { sessionKey } from "../log.ts";

/** A session in a storage, or its events in their order, such as those of an export. */
export type ReplaySource =
  | { storage: Pick<Storage, "read">; sessionId: string }
  | AsyncIterable<SessionEvent>
  | Iterable<SessionEvent>;

interface RecordLength {
  length: number;
  epoch: number;
}

export interface Recording {
  sessionId: string;
  events: readonly SessionEvent[];
  /** How many events each record has, and whose it is, when the source knows; else records are made as large as they can be. */
  recordLengths?: readonly RecordLength[];
}

/** @throws {SessionError} `NOT_FOUND` when there are no events, `LOG_CORRUPT`, `LOG_VERSION` */
export async function readRecording(source: ReplaySource): Promise<Recording> {
  const recording = "storage" in source ? await readStored(source) : await readEvents(source);
  if (recording.events.length > 0) return recording;
  throw new SessionError("NOT_FOUND", `The session ${recording.sessionId} has no record`, {
    hint: "List the sessions with listSessions(platform.storage).",
  });
}

async function readStored({
  storage,
  sessionId,
}: Extract<ReplaySource, { storage: unknown }>): Promise<Recording> {
  const events: SessionEvent[] = [];
  const recordLengths: RecordLength[] = [];
  const foreign = await foreignPlaces(storage, sessionKey(sessionId));
  for await (const { seq: place, value } of storage.read(sessionKey(sessionId))) {
    if (foreign.has(place)) continue;
    const decoded = decodeRecord(value, sessionId);
    events.push(...decoded);
    recordLengths.push({ length: decoded.length, epoch: epochOf(value) });
  }
  return { sessionId, events, recordLengths };
}

async function readEvents(
  source: AsyncIterable<SessionEvent> | Iterable<SessionEvent>,
): Promise<Recording> {
  const events: SessionEvent[] = [];
  // What is only shown is not part of a record.
  for await (const event of source)
    if (event.type !== "tool_output" && event.type !== "context_update") events.push(event);
  return { sessionId: events[0]?.sessionId ?? "", events };
}
