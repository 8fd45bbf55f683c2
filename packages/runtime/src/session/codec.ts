import { SessionError } from "../errors.ts";
import { messageForJson, messageFromJson } from "../messages/message-json.ts";
import type { Message } from "../messages/message.ts";
import { crc32 } from "./crc32.ts";
import type { SessionEvent } from "./events.ts";
import { migrate, type RecordFields } from "./migrations.ts";

/**
 * One line of JSON a record, readable with ordinary tools. A run of deltas of one message is one record with the deltas
 * as a list; `seq` and `time` are then those of the last one, and `ago` says how many milliseconds before it each came
 * (left out when all came at once). Numbers follow each other; where some are left out on purpose, `prev` is the last
 * one before the gap, so that a record that is lost shows. The last field, `crc`, is the CRC-32 of the bytes before it.
 */
type StreamDelta = Extract<SessionEvent, { type: "text_delta" | "thinking_delta" }>;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const CRC_FIELD = ',"crc":"';
/** `,"crc":"` + 8 hex digits + `"}` */
const CRC_LENGTH = CRC_FIELD.length + 8 + 2;

const WITH_MESSAGE = new Set<unknown>(["user_message", "assistant_message", "tool_end"]);

export interface EncodedRecord {
  bytes: Uint8Array;
  /** The number of the last event in it. */
  lastSeq: number;
}

/** What a record comes to, and which numbers it covers. */
export interface FoldedRecord {
  /** A run of deltas is one delta with all the words and the number of the last one. */
  event: SessionEvent;
  firstSeq: number;
  /** Of a run, its single pieces. */
  deltas?: string[];
  /** The last number before it. */
  prev: number;
}

/** Records for events, in order; runs of deltas become one record. `lastSeq`: the number of the event before them. */
export function encodeEvents(
  events: readonly SessionEvent[],
  lastSeq = (events[0]?.seq ?? 1) - 1,
): EncodedRecord[] {
  const records: EncodedRecord[] = [];
  let before = lastSeq;
  for (let index = 0; index < events.length; index++) {
    const event = events[index] as SessionEvent;
    const gap = event.seq === before + 1 ? {} : { prev: before };
    if (!isDelta(event)) {
      records.push({ bytes: encodeRecord({ ...event, ...gap }), lastSeq: event.seq });
      before = event.seq;
      continue;
    }
    const deltas = [event.delta];
    const times = [event.time];
    let last: StreamDelta = event;
    for (let next = events[index + 1]; next && continues(last, next); next = events[index + 1]) {
      deltas.push(next.delta);
      times.push(next.time);
      last = next;
      index += 1;
    }
    const { delta: _, ...rest } = last;
    const ago = times.map((time) => last.time - time);
    const hasOffsets = ago.some((offset) => offset !== 0);
    const bytes = encodeRecord({ ...rest, ...gap, deltas, ...(hasOffsets ? { ago } : {}) });
    records.push({ bytes, lastSeq: last.seq });
    before = last.seq;
  }
  return records;
}

/** The events of one record. @throws {SessionError} `LOG_CORRUPT` when it is damaged, `LOG_VERSION` when it is newer */
export function decodeRecord(bytes: Uint8Array, sessionId: string): SessionEvent[] {
  return eventsOf(readRecord(bytes), sessionId);
}

/** What a record comes to, as one event. Throws as `decodeRecord`. */
export function decodeFolded(bytes: Uint8Array, sessionId: string): SessionEvent {
  return decodePlaced(bytes, sessionId).event;
}

/** The same with its place among the numbers. Throws as `decodeRecord`. */
export function decodePlaced(bytes: Uint8Array, sessionId: string): FoldedRecord {
  const record = readRecord(bytes);
  // Most records are events as they are, and taking fields out of each of them would cost as much as reading it.
  if (!("deltas" in record) && !("prev" in record))
    return { event: event(record, sessionId), firstSeq: record.seq, prev: record.seq - 1 };
  const { deltas, ago: _, prev, ...fields } = record;
  const pieces = Array.isArray(deltas) ? deltas.map(String) : undefined;
  const firstSeq = fields.seq - (pieces?.length ?? 1) + 1;
  return {
    event: event(pieces ? { ...fields, delta: pieces.join("") } : fields, sessionId),
    firstSeq,
    ...(pieces ? { deltas: pieces } : {}),
    prev: typeof prev === "number" ? prev : firstSeq - 1,
  };
}

/** The events that a record's fields stand for. */
export function eventsOf(record: StoredFields, sessionId: string): SessionEvent[] {
  const { deltas, ago, prev: _, ...fields } = record;
  if (!Array.isArray(deltas)) return [event(fields, sessionId)];
  const first = fields.seq - deltas.length + 1;
  const offsets: unknown[] = Array.isArray(ago) ? ago : [];
  return deltas.map((delta: unknown, index) => {
    const time = Number(fields["time"]) - Number(offsets[index] ?? 0);
    return event({ ...fields, seq: first + index, time, delta }, sessionId);
  });
}

/** Makes an event of fields that are nobody else's. */
function event(fields: Record<string, unknown>, sessionId: string): SessionEvent {
  fields["sessionId"] = sessionId;
  // The checksum vouches that these bytes are what `encodeEvents` wrote for an event.
  const decoded = fields as unknown as SessionEvent;
  if ("message" in decoded && WITH_MESSAGE.has(decoded.type))
    decoded.message = messageFromJson(decoded.message) as never;
  return decoded;
}

function encodeRecord(fields: { [key: string]: unknown } | SessionEvent): Uint8Array {
  const { sessionId: _, ...rest } = fields as Record<string, unknown>;
  if (WITH_MESSAGE.has(rest.type)) rest.message = messageForJson(rest.message as Message);
  const json = JSON.stringify(rest);
  const body = encoder.encode(json.slice(0, -1));
  const record = new Uint8Array(body.length + CRC_LENGTH);
  record.set(body);
  const checksum = crc32(body).toString(16).padStart(8, "0");
  encoder.encodeInto(`${CRC_FIELD}${checksum}"}`, record.subarray(body.length));
  return record;
}

/** A record's fields, of the present version. */
export interface StoredFields extends RecordFields {
  v: number;
  seq: number;
  type: string;
}

/** What a record says, without its checksum. Throws as `decodeRecord`. */
export function readRecord(bytes: Uint8Array): StoredFields {
  const body = bytes.subarray(0, Math.max(0, bytes.length - CRC_LENGTH));
  const end = `${CRC_FIELD}${crc32(body).toString(16).padStart(8, "0")}"}`;
  if (!isText(bytes.subarray(body.length), end)) throw damaged("a record with a wrong checksum");
  const record = storedFields(parseObject(body));
  if (!record) throw damaged("a record without v, seq or type");
  return record;
}

/** Fields as the present version has them; `undefined` when they are no record's. @throws {SessionError} `LOG_VERSION` */
export function storedFields(fields: RecordFields): StoredFields | undefined {
  if (typeof fields["v"] !== "number") return undefined;
  const record = migrate(fields, fields["v"]);
  return isStored(record) ? record : undefined;
}

/** Whether the bytes are a text of ASCII characters. */
function isText(bytes: Uint8Array, text: string): boolean {
  if (bytes.length !== text.length) return false;
  for (let at = 0; at < text.length; at++) if (bytes[at] !== text.charCodeAt(at)) return false;
  return true;
}

function isStored(fields: RecordFields): fields is StoredFields {
  const { v, seq, type } = fields;
  return typeof v === "number" && typeof type === "string" && Number.isSafeInteger(seq);
}

/** `body`: without the brace that ends it. */
function parseObject(body: Uint8Array): RecordFields {
  let value: unknown;
  try {
    value = JSON.parse(`${decoder.decode(body)}}`);
  } catch (cause) {
    throw damaged("a record that is no JSON", cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw damaged("a record that is no object");
  return value as RecordFields;
}

function damaged(what: string, cause?: unknown): SessionError {
  return new SessionError("LOG_CORRUPT", `The session's log has ${what}`, {
    cause,
    hint: "What could be read is there; export the session and check the storage it is kept in.",
  });
}

function isDelta(event: SessionEvent): event is StreamDelta {
  return event.type === "text_delta" || event.type === "thinking_delta";
}

function continues(last: StreamDelta, next: SessionEvent): next is StreamDelta {
  return (
    isDelta(next) &&
    next.type === last.type &&
    next.messageId === last.messageId &&
    next.turnId === last.turnId &&
    next.parentId === last.parentId &&
    next.seq === last.seq + 1
  );
}
