import { SessionError } from "../../errors.ts";
import { messageFromJson } from "../../messages/message-json.ts";
import { crc32 } from "../../crc32.ts";
import { SESSION_FORMAT, type SessionEvent } from "./events.ts";
import { migrate, type RecordFields } from "./migrations.ts";

/**
 * One record is a line of JSON, readable with ordinary tools. A run of deltas of one message is one record with
 * the deltas as a list; `seq` and `time` are then those of the last one, and `ago` says how many milliseconds before it
 * each came (left out when all came at once). Numbers are consecutive; at an intentional gap, `prev` is the last number
 * before it, so that a lost record shows. The last fields are `epoch`, the number of the record's writer, and `crc`,
 * the CRC-32 of the bytes before it.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const EPOCH_FIELD = encoder.encode(',"epoch":');
export const CRC_FIELD = ',"crc":"';
/** `,"crc":"` + 8 hex digits + `"}` */
export const CRC_LENGTH = CRC_FIELD.length + 8 + 2;
/** The digits of a checksum that is still to come. */
export const NO_DIGITS = "        ";
/** The checksum of a record with its digits still to come. */
const CRC_FRAME = `${CRC_FIELD}${NO_DIGITS}"}`;
const HEX = "0123456789abcdef";

/** Permitted message roles by type of record. */
export const ROLES: ReadonlyMap<unknown, readonly unknown[]> = new Map([
  ["user_message", ["user", "system"]],
  ["assistant_message", ["assistant"]],
  ["tool_end", ["tool"]],
]);

/** A record as one event, and the numbers it covers. */
interface PlacedEvent {
  /** A run of deltas is one delta with all the words and the number of the last one. */
  event: SessionEvent;
  firstSeq: number;
  /** The single deltas of a run. */
  deltas?: string[];
  /** How many milliseconds before the last one each of them came; empty when all came at once. */
  ago?: number[];
  /** The last number before it. */
  prev: number;
}

/** The same with its writer and its checksum. */
export interface FoldedRecord extends PlacedEvent {
  /** The number of its event. */
  seq: number;
  /** The writer whose record it is; 0 where none is named. */
  epoch: number;
  checksum: number;
  /** The record itself. */
  bytes: Uint8Array;
}

/** The events of one record. @throws {SessionError} `LOG_CORRUPT` when it is damaged, `LOG_VERSION` when it is newer */
export function decodeRecord(bytes: Uint8Array, sessionId: string): SessionEvent[] {
  return singleEvents(decodePlaced(bytes, sessionId));
}

/** Decodes a record as one event. Throws as `decodeRecord`. */
export function decodeFolded(bytes: Uint8Array, sessionId: string): SessionEvent {
  return decodePlaced(bytes, sessionId).event;
}

/** The same with its place among the numbers. `text`: the bytes as text, if they are decoded. Throws as `decodeRecord`. */
export function decodePlaced(bytes: Uint8Array, sessionId: string, text?: string): FoldedRecord {
  const { record, epoch, checksum } = readWhole(bytes, text);
  return { ...placed(record, sessionId), seq: record.seq, epoch, checksum, bytes };
}

/** The events of a record's fields. */
export function eventsOf(record: StoredFields, sessionId: string): SessionEvent[] {
  return singleEvents(placed(record, sessionId));
}

/** The events of a record, which `decodeRecord` yields. */
export function singleEvents({ event: run, firstSeq, deltas, ago }: PlacedEvent): SessionEvent[] {
  if (!deltas || !("delta" in run)) return [run];
  return deltas.map((delta, index) => {
    const time = run.time - (ago?.[index] ?? 0);
    return { ...run, seq: firstSeq + index, time, delta };
  });
}

function placed(record: StoredFields, sessionId: string): PlacedEvent {
  const { seq } = record;
  // Most records are events as they are, and taking fields out of each of them would cost as much as reading it.
  if (!("deltas" in record) && !("prev" in record))
    return { event: event(record, sessionId), firstSeq: seq, prev: seq - 1 };
  const { deltas, ago, prev, ...fields } = record;
  if (!Array.isArray(deltas))
    return { event: event(fields, sessionId), firstSeq: seq, prev: numberOr(prev, seq - 1) };
  const pieces = deltas.map(String);
  const firstSeq = seq - pieces.length + 1;
  return {
    event: event({ ...fields, delta: pieces.join("") }, sessionId),
    firstSeq,
    deltas: pieces,
    ago: Array.isArray(ago) ? ago.map(Number) : [],
    prev: numberOr(prev, firstSeq - 1),
  };
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** Turns unshared fields into an event. */
function event(fields: Record<string, unknown>, sessionId: string): SessionEvent {
  fields["sessionId"] = sessionId;
  // The checksum proves that these bytes are an event's encoding by `encodeEvents`.
  const decoded = fields as unknown as SessionEvent;
  const roles = ROLES.get(decoded.type);
  if (roles && "message" in decoded) {
    const message = messageFromJson(decoded.message);
    // A text under another role would have other rights.
    if (!roles.includes(message.role)) throw damaged("a message of a role that its record has not");
    decoded.message = message as never;
  }
  return decoded;
}

/** A record's fields, of the present version. */
export interface StoredFields extends RecordFields {
  v: number;
  seq: number;
  type: string;
}

/** A record for export. */
export interface ReadRecord {
  /** The record's fields without its writer and its checksum. */
  fields: StoredFields;
  /** The same as JSON on one line, but for the brace at its end; absent when it was written otherwise. */
  json?: Uint8Array;
}

/** Throws as `decodeRecord`. */
export function readRecord(bytes: Uint8Array): ReadRecord {
  const { record: fields, end } = readWhole(bytes);
  const body = bytes.subarray(0, end);
  const isAsWritten = seqOf(bytes) !== undefined && !body.includes(LINE_FEED);
  return isAsWritten ? { fields, json: body } : { fields };
}

/** The checksum of an intact record; `undefined` for any other. */
export function checksumOf(bytes: Uint8Array): number | undefined {
  const length = bytes.length - CRC_LENGTH;
  if (length < 0) return undefined;
  const crc = crc32(bytes, length);
  for (let at = 0; at < CRC_LENGTH; at++) {
    const digit = at - CRC_FIELD.length;
    const expected = digit >= 0 && digit < 8 ? hexDigit(crc, digit) : CRC_FRAME.charCodeAt(at);
    if (bytes[length + at] !== expected) return undefined;
  }
  return crc;
}

/** The character of one of a checksum's eight digits, from the left. */
export function hexDigit(checksum: number, digit: number): number {
  return HEX.charCodeAt((checksum >>> (28 - 4 * digit)) & 15);
}

/** The writer whose record it is; 0 where none is named. */
export function epochOf(bytes: Uint8Array): number {
  return withoutEpoch(bytes).epoch;
}

interface WholeRecord {
  record: StoredFields;
  epoch: number;
  checksum: number;
  /** The end of its other fields. */
  end: number;
}

function readWhole(bytes: Uint8Array, text?: string): WholeRecord {
  const checksum = checksumOf(bytes);
  if (checksum === undefined) throw damaged("a record with a wrong checksum");
  const { end, epoch } = withoutEpoch(bytes);
  // All behind them is ASCII.
  const record = storedFields(
    parseObject(text?.slice(0, end - bytes.length) ?? bytes.subarray(0, end)),
  );
  if (!record) throw damaged("a record without v, seq or type");
  return { record, epoch, checksum, end };
}

/** Splits writer and checksum off the end of a record, so that its other fields are an event's and no more. */
function withoutEpoch(bytes: Uint8Array): { end: number; epoch: number } {
  const body = Math.max(0, bytes.length - CRC_LENGTH);
  let [epoch, scale, at] = [0, 1, body - 1];
  for (; isDigit(bytes[at]); at--) {
    epoch += ((bytes[at] as number) - ZERO) * scale;
    scale *= 10;
  }
  const end = at + 1 - EPOCH_FIELD.length;
  const isNamed = scale > 1 && EPOCH_FIELD.every((byte, index) => bytes[end + index] === byte);
  return isNamed ? { end, epoch } : { end: body, epoch: 0 };
}

const ZERO = 0x30;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

const LINE_FEED = 10;
const HEAD = encoder.encode(`{"v":${SESSION_FORMAT},"seq":`);

/** The number of an intact record of this version, read at its position. */
export function seqOf(bytes: Uint8Array): number | undefined {
  return numberBehind(HEAD, bytes, 0)?.number;
}

const TIME_FIELD = encoder.encode(',"time":');
const TURN_FIELD = encoder.encode(',"turnId":"');
const TYPE_FIELD = encoder.encode(',"type":"');
const QUOTE = 0x22;

/**
 * Time and type of an intact record of this version, read at their position; `undefined` when its fields are in another
 * order.
 */
export function headOf(bytes: Uint8Array): { time: number; type: string } | undefined {
  const seq = numberBehind(HEAD, bytes, 0);
  const time = seq && numberBehind(TIME_FIELD, bytes, seq.end);
  if (!time) return undefined;
  let at = time.end;
  if (isAt(TURN_FIELD, bytes, at)) at = bytes.indexOf(QUOTE, at + TURN_FIELD.length) + 1;
  if (!isAt(TYPE_FIELD, bytes, at)) return undefined;
  const from = at + TYPE_FIELD.length;
  const type = decoder.decode(bytes.subarray(from, bytes.indexOf(QUOTE, from)));
  return { time: time.number, type };
}

function numberBehind(
  field: Uint8Array,
  bytes: Uint8Array,
  start: number,
): { number: number; end: number } | undefined {
  if (!isAt(field, bytes, start)) return undefined;
  let [number, end] = [0, start + field.length];
  for (; isDigit(bytes[end]); end++) number = number * 10 + (bytes[end] as number) - ZERO;
  return { number, end };
}

function isAt(field: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < field.length; at++) if (bytes[start + at] !== field[at]) return false;
  return true;
}

/**
 * Fields migrated to the present version; `undefined` when they are not a record's. @throws {SessionError}
 * `LOG_VERSION`
 */
export function storedFields(fields: RecordFields): StoredFields | undefined {
  if (typeof fields["v"] !== "number") return undefined;
  const record = migrate(fields, fields["v"]);
  return isStored(record) ? record : undefined;
}

function isStored(fields: RecordFields): fields is StoredFields {
  const { v, seq, type } = fields;
  return typeof v === "number" && typeof type === "string" && Number.isSafeInteger(seq);
}

/** `body`: without the brace that ends it. */
function parseObject(body: Uint8Array | string): RecordFields {
  let value: unknown;
  try {
    value = JSON.parse(`${typeof body === "string" ? body : decoder.decode(body)}}`);
  } catch (cause) {
    throw damaged("a record that is not JSON", cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw damaged("a record that is not an object");
  return value as RecordFields;
}

function damaged(what: string, cause?: unknown): SessionError {
  return new SessionError("LOG_CORRUPT", `The session's log has ${what}`, {
    cause,
    hint: "The readable part was recovered; export the session and check its storage.",
  });
}

/** The result of `decode`, or `undefined` for a damaged record. @throws {SessionError} `LOG_VERSION` */
export function unlessDamaged<Value>(decode: () => Value): Value | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof SessionError && error.code === "LOG_CORRUPT") return undefined;
    throw error;
  }
}
