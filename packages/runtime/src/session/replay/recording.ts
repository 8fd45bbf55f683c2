import { SessionError, ValidationError } from "../../errors.ts";
import type { Storage } from "../../ports/storage.ts";
import { decodeRecord } from "../log/codec.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";
import { isNote } from "../log/notes.ts";
import { LOG_DAMAGED } from "../log/crash-recovery.ts";
import { type LogDamage, UNDAMAGED } from "../log/log-reader.ts";
import { soundRecords } from "../log/sound-records.ts";
import { sessionKey } from "../store/storage-keys.ts";

/** The output of `exportSession`, a session in a storage, or its events in order. */
export type ReplaySource =
  | ReadableStream<Uint8Array>
  | { storage: Pick<Storage, "read">; sessionId: string }
  | AsyncIterable<SessionEvent>
  | Iterable<SessionEvent>;

interface RecordLength {
  length: number;
  /** The number of the event before it. */
  prev: number;
  epoch: number;
}

export interface Recording {
  sessionId: string;
  events: readonly SessionEvent[];
  /**
   * Index from which the log is complete; 0 when omitted. Events before a gap can't be replayed; those after the next
   * resume can.
   */
  replayableFrom?: number;
  /** Number of events and owner of each record, where the source knows; otherwise all events are one record. */
  recordLengths?: readonly RecordLength[];
}

/**
 * Reads the events of a source.
 * @throws {SessionError} `NOT_FOUND` when there are no events, `LOG_CORRUPT`, `LOG_VERSION`
 * @throws {ValidationError} for anything but a session
 */
export async function readRecording(source: ReplaySource): Promise<Recording> {
  const recording = await read(source);
  if (recording.events.length > 0) return recording;
  throw new SessionError("NOT_FOUND", `The session ${recording.sessionId} has no record`, {
    hint: "List the sessions with listSessions(platform.storage).",
  });
}

async function read(source: ReplaySource): Promise<Recording> {
  if ("storage" in source) return readStored(source);
  if (!("getReader" in source)) return readEvents(source);
  const { exportedEvents } = await import("../transfer/exported-events.ts");
  return exportedEvents(source);
}

async function readStored({
  storage,
  sessionId,
}: Extract<ReplaySource, { storage: unknown }>): Promise<Recording> {
  const values: Uint8Array[] = [];
  for await (const { value } of storage.read(sessionKey(sessionId))) values.push(value);
  const { records, damage } = soundRecords(values, sessionId);
  const events: SessionEvent[] = [];
  const recordLengths: RecordLength[] = [];
  let last = 0;
  let gap: number | undefined;
  for (const { event, deltas, firstSeq, prev, epoch, bytes } of records) {
    if (prev > last) gap = events.length;
    const from = events.length;
    if (!deltas) events.push(event);
    // The rest of a record that overlaps the previous one.
    else events.push(...decodeRecord(bytes, sessionId).filter(({ seq }) => seq >= firstSeq));
    recordLengths.push({ length: events.length - from, prev, epoch });
    last = event.seq;
  }
  requireKnown(damage, events);
  const resumed = events.findIndex(
    ({ type }, index) => gap !== undefined && index >= gap && type === "session_resume",
  );
  return { sessionId, events, replayableFrom: Math.max(0, resumed), recordLengths };
}

/** Throws for damage that is not recorded in the session itself, as damage found at its opening is. */
function requireKnown({ damagedRecords }: LogDamage, events: readonly SessionEvent[]): void {
  if (damagedRecords === 0) return;
  const reported = events.findLast((event) => isNote(event, LOG_DAMAGED));
  if (damagedRecords <= damageIn(reported).damagedRecords) return;
  throw new SessionError("LOG_CORRUPT", "Records of the session's log can't be read", {
    hint: "Open the session once: it recovers the readable part, and can be replayed from there.",
  });
}

/** The damage of a log, from its note. */
export function damageIn(note: SessionEventOf<"note"> | undefined): LogDamage {
  const data = typeof note?.data === "object" ? note.data : undefined;
  return { ...UNDAMAGED, ...data };
}

async function readEvents(
  source: AsyncIterable<SessionEvent> | Iterable<SessionEvent>,
): Promise<Recording> {
  const events: SessionEvent[] = [];
  for await (const event of source) {
    if (typeof event.seq !== "number" || typeof event.type !== "string")
      throw new ValidationError("A recorded session consists of events", {
        hint: "Pass the stream of exportSession unchanged, { storage, sessionId }, or the events of a session.",
      });
    // Ephemeral events are not part of a record.
    if (event.type !== "tool_output" && event.type !== "context_update") events.push(event);
  }
  return { sessionId: events[0]?.sessionId ?? "", events };
}
