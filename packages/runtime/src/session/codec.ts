import { SessionError } from "../errors.ts";
import type { Message, MessageMetadata, MetadataValue } from "../messages/message.ts";
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

/** Records for events, in order; runs of deltas become one record. */
export function encodeEvents(events: readonly SessionEvent[]): Uint8Array[] {
  const records: Uint8Array[] = [];
  for (let index = 0; index < events.length; index++) {
    const event = events[index] as SessionEvent;
    if (!isDelta(event)) {
      records.push(encodeRecord(event));
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
    records.push(
      encodeRecord({ ...rest, deltas, ...(ago.some((offset) => offset !== 0) ? { ago } : {}) }),
    );
  }
  return records;
}

/** The events of one record. @throws {SessionError} `LOG_CORRUPT` when it is damaged, `LOG_VERSION` when it is newer */
export function decodeRecord(bytes: Uint8Array, sessionId: string): SessionEvent[] {
  const record = parse(bytes);
  if (
    typeof record.v !== "number" ||
    typeof record.seq !== "number" ||
    typeof record.type !== "string"
  ) {
    throw damaged("a record without v, seq or type");
  }
  if (record.v > SESSION_FORMAT) {
    throw new SessionError("LOG_VERSION", `The session was written in format ${record.v}`, {
      hint: `This version reads formats up to ${SESSION_FORMAT}. Update it to open the session.`,
    });
  }
  const { crc: _, deltas, ago, ...fields } = record;
  if (Array.isArray(deltas)) {
    const first = record.seq - deltas.length + 1;
    const offsets: unknown[] = Array.isArray(ago) ? ago : [];
    return deltas.map((delta, index) => {
      const time = Number(fields.time) - Number(offsets[index] ?? 0);
      return event({ ...fields, seq: first + index, time, delta }, sessionId);
    });
  }
  return [event(fields, sessionId)];
}

function event(fields: Record<string, unknown>, sessionId: string): SessionEvent {
  // The checksum vouches that these bytes are what `encodeEvents` wrote for an event.
  const decoded = { ...fields, sessionId } as SessionEvent;
  if ("message" in decoded) decoded.message = reviveMessage(decoded.message) as never;
  return decoded;
}

function encodeRecord(fields: { [key: string]: unknown } | SessionEvent): Uint8Array {
  const { sessionId: _, ...rest } = fields as Record<string, unknown>;
  const message = rest.message as Message | undefined;
  if (message?.metadata) rest.message = { ...message, metadata: encodeMetadata(message.metadata) };
  const json = JSON.stringify(rest);
  const body = encoder.encode(json.slice(0, -1));
  const record = new Uint8Array(body.length + CRC_LENGTH);
  record.set(body);
  const checksum = crc32(body).toString(16).padStart(8, "0");
  encoder.encodeInto(`${CRC_FIELD}${checksum}"}`, record.subarray(body.length));
  return record;
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  const body = bytes.subarray(0, Math.max(0, bytes.length - CRC_LENGTH));
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw damaged("a record that is no JSON", cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw damaged("a record that is no object");
  const record = value as Record<string, unknown>;
  if (record.crc !== crc32(body).toString(16).padStart(8, "0"))
    throw damaged("a record with a wrong checksum");
  return record;
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
    next.seq === last.seq + 1
  );
}

/** Gives a message its dates back after JSON. */
function reviveMessage(message: Message): Message {
  const revived = { ...message, timestamp: new Date(message.timestamp) };
  if (message.metadata) revived.metadata = decodeMetadata(message.metadata);
  return revived;
}

function encodeMetadata(metadata: MessageMetadata): MessageMetadata {
  const encode = (value: MetadataValue): MetadataValue =>
    // A date is the only value of metadata that can't be told from another type in JSON.
    value instanceof Date ? { $date: value.getTime() } : value;
  return mapValues(metadata, encode);
}

function decodeMetadata(metadata: MessageMetadata): MessageMetadata {
  return mapValues(metadata, (value) =>
    typeof value === "object" && "$date" in value && typeof value.$date === "number"
      ? new Date(value.$date)
      : value,
  );
}

function mapValues(
  metadata: MessageMetadata,
  map: (value: MetadataValue) => MetadataValue,
): MessageMetadata {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, map(value)]));
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
