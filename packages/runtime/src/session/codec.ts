import { SessionError } from "../errors.ts";
import { messageForJson, messageFromJson } from "../messages/message-json.ts";
import type { Message } from "../messages/message.ts";
import { SESSION_FORMAT, type SessionEvent } from "./events.ts";

/**
 * One line of JSON a record, readable with ordinary tools. A run of deltas of one message is one record with the deltas
 * as a list; `seq` and `time` are then those of the last one, and `ago` says how many milliseconds before it each came
 * (left out when all came at once). The last field, `crc`, is the CRC-32 of the bytes before it.
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

/** Records for events, in order; runs of deltas become one record. */
export function encodeEvents(events: readonly SessionEvent[]): EncodedRecord[] {
  const records: EncodedRecord[] = [];
  for (let index = 0; index < events.length; index++) {
    const event = events[index] as SessionEvent;
    if (!isDelta(event)) {
      records.push({ bytes: encodeRecord(event), lastSeq: event.seq });
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
    const bytes = encodeRecord({ ...rest, deltas, ...(hasOffsets ? { ago } : {}) });
    records.push({ bytes, lastSeq: last.seq });
  }
  return records;
}

/** The events of one record. @throws {SessionError} `LOG_CORRUPT` when it is damaged, `LOG_VERSION` when it is newer */
export function decodeRecord(bytes: Uint8Array, sessionId: string): SessionEvent[] {
  const { deltas, ago, fields } = parse(bytes);
  if (!deltas) return [event(fields, sessionId)];
  const first = fields.seq - deltas.length + 1;
  const offsets: unknown[] = Array.isArray(ago) ? ago : [];
  return deltas.map((delta, index) => {
    const time = Number(fields.time) - Number(offsets[index] ?? 0);
    return event({ ...fields, seq: first + index, time, delta }, sessionId);
  });
}

/** What a record comes to, as one event: a run of deltas is one delta with all the words. Throws as `decodeRecord`. */
export function decodeFolded(bytes: Uint8Array, sessionId: string): SessionEvent {
  const { deltas, fields } = parse(bytes);
  return event(deltas ? { ...fields, delta: deltas.join("") } : fields, sessionId);
}

function event(fields: Record<string, unknown>, sessionId: string): SessionEvent {
  // The checksum vouches that these bytes are what `encodeEvents` wrote for an event.
  const decoded = { ...fields, sessionId } as SessionEvent;
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

interface ParsedRecord {
  fields: Record<string, unknown> & { seq: number };
  deltas?: unknown[];
  ago?: unknown;
}

function parse(bytes: Uint8Array): ParsedRecord {
  const { crc, v, seq, type, deltas, ago, ...rest } = parseObject(bytes);
  const body = bytes.subarray(0, Math.max(0, bytes.length - CRC_LENGTH));
  if (crc !== crc32(body).toString(16).padStart(8, "0"))
    throw damaged("a record with a wrong checksum");
  if (typeof v !== "number" || typeof seq !== "number" || typeof type !== "string") {
    throw damaged("a record without v, seq or type");
  }
  if (v > SESSION_FORMAT) {
    throw new SessionError("LOG_VERSION", `The session was written in format ${v}`, {
      hint: `This version reads formats up to ${SESSION_FORMAT}. Update it to open the session.`,
    });
  }
  const fields = { v, seq, type, ...rest };
  return Array.isArray(deltas) ? { fields, deltas, ago } : { fields };
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw damaged("a record that is no JSON", cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw damaged("a record that is no object");
  return value as Record<string, unknown>;
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

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 as in zip and gzip (polynomial 0x04C11DB7, reflected), so that other programs can check a log. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let index = 0; index < bytes.length; index++) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ (bytes[index] as number)) & 0xff] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
