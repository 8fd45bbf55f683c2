import { loadOnce } from "../../load-once.ts";
import type { Storage } from "../../ports/storage.ts";
import {
  checksumOf,
  decodeFolded,
  decodeRecord,
  type FoldedRecord,
  seqOf,
  singleEvents,
  unlessDamaged,
} from "./codec.ts";
import { type EncodedRecord, encodeEvents } from "./encode-events.ts";
import type { SessionEvent } from "./events.ts";
import { foreignAmong } from "./fork-detection.ts";
import { RecordBatch } from "./record-batch.ts";

/** The damage of a stored log. The rest was read all the same. */
export interface LogDamage {
  /** Unreadable records. They stay in place, for better readers. */
  damagedRecords: number;
  /** Records of a number that another one has, and that say something else; the first counts. */
  doubledRecords: number;
  /** Records that stood behind later ones, and were put back into their order. */
  misplacedRecords: number;
  /** Numbers that no readable record has. */
  missingEvents: number;
  /** Records that a writer appended after the session was taken over. They are not part of it. */
  foreignRecords: number;
}

/** A position in a log. */
export interface LogPosition {
  records: number;
  /** The highest number. */
  seq: number;
  /** The highest writer's. */
  epoch: number;
  /** A checksum of all records. */
  check: number;
}

export interface LoadedLog extends LogDamage {
  /**
   * Events in the order of their numbers, for folding: a run of deltas is one event with its whole text and the last
   * number.
   */
  events: SessionEvent[];
  /** The earlier events, when only those after a position were requested and the records up to there are unchanged. */
  older?: (() => Iterable<SessionEvent>) | undefined;
}

export const BEGINNING: LogPosition = { records: 0, seq: 0, epoch: 0, check: 0 };

/** The damage of an intact log. */
export const UNDAMAGED: LogDamage = {
  damagedRecords: 0,
  doubledRecords: 0,
  misplacedRecords: 0,
  missingEvents: 0,
  foreignRecords: 0,
};

/** True when a log is damaged. */
export function isDamaged(damage: LogDamage): boolean {
  return Object.keys(UNDAMAGED).some((count) => damage[count as keyof LogDamage] > 0);
}

/** A record as it is stored, or decoded. */
type LoadedRecord = Uint8Array | FoldedRecord;

const NONE: ReadonlySet<number> = new Set();
/** Loaded records that are decoded at a time. */
const SLICE_BYTES = 1024 * 1024;
/** The exact numbers of records are known in the last group alone: a reader that lags further behind decodes some in vain. */
const GROUP_SIZE = 16;

/** Hardly any log is out of order. */
const loadRepair = loadOnce(() => import("./log-repair.ts"));

/** Reads and appends a session's events in storage, and knows the record at which to continue after a number. */
export class LogReader {
  readonly #storage: Storage;
  readonly #name: string;
  readonly #sessionId: string;
  readonly #now: () => number;
  /** The highest number up to the end of each group of `GROUP_SIZE` records. */
  #groupEnds: number[] = [];
  /** The same up to each record behind the last whole group. Records not read yet are missing at the end. */
  #lastEnds: number[] = [];
  #lastSeq: number | undefined;
  /** True when the records are in the order of their numbers, without duplicates. */
  #isInOrder = true;
  /** Positions of records that are not part of the session. */
  #foreign: ReadonlySet<number> = NONE;
  /** The epoch of this writer: later ones have higher numbers, even if one between them wrote nothing. */
  #epoch: number | undefined;
  #position: LogPosition | undefined;
  #size = 0;
  /**
   * The loaded records, until the first reader has them or a turn begins: whoever shows an opened session reads it from
   * the beginning at once. Decoded where loading has done that.
   */
  #loaded: readonly LoadedRecord[] = [];

  constructor(storage: Storage, name: string, sessionId: string, now: () => number = Date.now) {
    this.#storage = storage;
    this.#name = name;
    this.#sessionId = sessionId;
    this.#now = now;
  }

  /** The position of the log's end; `undefined` when it is damaged, or others have written in between. */
  get position(): LogPosition | undefined {
    return this.#position && { ...this.#position };
  }

  /** Bytes of the events loaded or appended, excluding those before the starting position. */
  get size(): number {
    return this.#size;
  }

  /**
   * Loads all events, or with `since` those after it, if everything up to there is unchanged.
   * @throws {SessionError} `LOG_VERSION` @throws {StorageError}
   */
  async load(since: LogPosition = BEGINNING): Promise<LoadedLog> {
    const values: Uint8Array[] = [];
    const later = new RecordBatch(this.#sessionId);
    let check: number | undefined = BEGINNING.check;
    for await (const { value } of this.#storage.read(this.#name)) {
      values.push(value);
      // Storage looks for the next records meanwhile.
      if (values.length > since.records) later.add(value);
      else check = checkBehind(check, value);
    }
    if (values.length === 0) return this.#begin();
    const isUnchanged = values.length >= since.records && check === since.check;
    const loaded = isUnchanged ? await this.#loadSince(values, since, later.finish()) : undefined;
    return loaded ?? ((await this.#loadSince(values, BEGINNING)) as LoadedLog);
  }

  /** As `#loadSince` without records, the most common case. */
  #begin(): LoadedLog {
    this.#foreign = NONE;
    this.#forgetPlaces();
    this.#isInOrder = true;
    this.#lastSeq = BEGINNING.seq;
    this.#epoch = Math.max(BEGINNING.epoch + 1, this.#now());
    this.#size = 0;
    this.#position = BEGINNING;
    return { ...UNDAMAGED, events: [] };
  }

  /** `undefined` when later records show that earlier ones are foreign. */
  async #loadSince(
    values: readonly Uint8Array[],
    since: LogPosition,
    decoded = decodeAll(values, this.#sessionId),
  ): Promise<LoadedLog | undefined> {
    const read = readRecords(values, since, decoded);
    const { records, damage, epoch } = read;
    if (since.records > 0 && isDamaged(damage)) return undefined;
    this.#foreign = read.foreign.size > 0 ? read.foreign : NONE;
    this.#forgetPlaces();
    for (const [index, value] of values.slice(0, since.records).entries())
      this.#place(index + 1, seqOf(value) ?? 0);
    for (const [index, seq] of read.seqs.entries()) this.#place(since.records + index + 1, seq);
    this.#isInOrder = damage.misplacedRecords === 0;
    const sound = this.#isInOrder ? records : (await loadRepair()).inOrder(records, damage);
    damage.missingEvents = countMissing(sound, since.seq);
    if (since.records > 0 && isDamaged(damage)) return undefined;
    this.#lastSeq = sound.at(-1)?.event.seq ?? since.seq;
    this.#epoch = Math.max(epoch + 1, this.#now());
    this.#size = 0;
    const position = { ...since, records: values.length, seq: this.#lastSeq, epoch };
    for (const value of values.slice(since.records)) this.#size += value.length;
    for (const checksum of read.checksums) position.check = checkAfter(position.check, checksum);
    this.#position = isDamaged(damage) ? undefined : position;
    const older = values.slice(0, since.records);
    this.#loaded = [...older, ...read.placed];
    return {
      ...damage,
      events: sound.map(({ event }) => event),
      older: older.length > 0 ? () => decodeEach(older, this.#sessionId) : undefined,
    };
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    this.#epoch ??= Math.max(1, this.#now());
    if (events.some(({ type }) => type === "turn_start")) this.#loaded = [];
    const records = encodeEvents(events, this.#lastSeq, this.#epoch);
    const last = await this.#storage.append(
      this.#name,
      records.map(({ bytes }) => bytes),
    );
    this.#follow(records, last, this.#epoch);
  }

  /** `last`: the place of the last of the records. */
  #follow(records: readonly EncodedRecord[], last: number, epoch: number): void {
    const first = last - records.length + 1;
    const position = this.#position ?? (first === 1 ? BEGINNING : undefined);
    let check = position?.check ?? 0;
    let place = first;
    for (const { bytes, checksum, lastSeq } of records) {
      this.#place(place++, lastSeq);
      this.#lastSeq = lastSeq;
      this.#size += bytes.length;
      check = checkAfter(check, checksum);
    }
    this.#position =
      position?.records === first - 1
        ? { records: last, seq: this.#lastSeq ?? position.seq, epoch, check }
        : undefined;
  }

  /** The stored events behind a number, as lists: to pass on each by itself takes longer than to decode it. */
  async *after(seq: number): AsyncGenerator<readonly SessionEvent[], void> {
    if (!this.#isInOrder) {
      const { sortedEvents } = await loadRepair();
      yield await sortedEvents(this.#storage.read(this.#name), {
        sessionId: this.#sessionId,
        foreign: this.#foreign,
        seq,
      });
      return;
    }
    let highest = seq;
    const laterIn = (place: number, record: LoadedRecord): SessionEvent[] => {
      if (this.#foreign.has(place)) return [];
      return this.#eventsOf(record).filter((event) => {
        const isLater = event.seq > highest;
        if (isLater) highest = event.seq;
        return isLater;
      });
    };
    const loaded = this.#loaded;
    this.#loaded = [];
    const from = this.#firstPlaceAfter(seq);
    // Requested now, so that all appended later reaches the reader once, by other ways.
    const others = this.#storage.read(this.#name, Math.max(from, loaded.length + 1));
    let events: SessionEvent[] = [];
    let bytes = 0;
    for (const [index, record] of loaded.slice(from - 1).entries()) {
      for (const event of laterIn(from + index, record)) events.push(event);
      bytes += bytesOf(record).length;
      if (bytes < SLICE_BYTES) continue;
      yield events;
      // Storage, too, would let the host do other work meanwhile.
      [events, bytes] = [[], 0];
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    yield events;
    for await (const { seq: place, value } of others) yield laterIn(place, value);
  }

  #eventsOf(record: LoadedRecord): SessionEvent[] {
    if ("event" in record) return singleEvents(record);
    return unlessDamaged(() => decodeRecord(record, this.#sessionId)) ?? [];
  }

  #place(place: number, seq: number): void {
    // After a foreign record, reading restarts at the last known position.
    if (place !== this.#groupEnds.length * GROUP_SIZE + this.#lastEnds.length + 1) return;
    const highest = Math.max(seq, this.#lastEnds.at(-1) ?? this.#groupEnds.at(-1) ?? 0);
    this.#lastEnds.push(highest);
    if (this.#lastEnds.length < GROUP_SIZE) return;
    this.#groupEnds.push(highest);
    this.#lastEnds = [];
  }

  #forgetPlaces(): void {
    this.#groupEnds = [];
    this.#lastEnds = [];
  }

  /** A place that no later event is before. */
  #firstPlaceAfter(seq: number): number {
    let [low, high] = [0, this.#groupEnds.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#groupEnds[middle] as number) > seq) high = middle;
      else low = middle + 1;
    }
    const start = low * GROUP_SIZE + 1;
    if (low < this.#groupEnds.length) return start;
    const index = this.#lastEnds.findIndex((highest) => highest > seq);
    return start + (index < 0 ? this.#lastEnds.length : index);
  }
}

function bytesOf(record: LoadedRecord): Uint8Array {
  return "event" in record ? record.bytes : record;
}

/** A checksum of many records: with each, it follows from that before it and the record's own. */
function checkAfter(before: number, checksum = 0): number {
  return (Math.imul(before, 31) + checksum) >>> 0;
}

/** The same for a stored record; `undefined` behind one that is not intact. */
function checkBehind(before: number | undefined, record: Uint8Array): number | undefined {
  const checksum = before === undefined ? undefined : checksumOf(record);
  return before === undefined || checksum === undefined ? undefined : checkAfter(before, checksum);
}

function* decodeEach(values: readonly Uint8Array[], sessionId: string): Generator<SessionEvent> {
  for (const value of values) yield decodeFolded(value, sessionId);
}

export interface ReadRecords {
  /** Valid, readable records at their positions. */
  records: FoldedRecord[];
  /** All of them, in their order: damaged ones as they are stored. */
  placed: LoadedRecord[];
  /** The highest number up to each position, or 0. */
  seqs: number[];
  checksums: (number | undefined)[];
  foreign: Set<number>;
  damage: LogDamage;
  /** The highest of all writers. */
  epoch: number;
}

/** Decodes stored records; `undefined` for damaged ones. @throws {SessionError} `LOG_VERSION` */
export function decodeAll(
  values: readonly Uint8Array[],
  sessionId: string,
): (FoldedRecord | undefined)[] {
  const batch = new RecordBatch(sessionId);
  for (const value of values) batch.add(value);
  return batch.finish();
}

/** `read`: the records behind `since`, decoded; `undefined` for damaged ones. */
export function readRecords(
  values: readonly Uint8Array[],
  since: LogPosition,
  read: readonly (FoldedRecord | undefined)[],
): ReadRecords {
  const damage = { ...UNDAMAGED };
  const isForeign = foreignAmong(read);
  const records: FoldedRecord[] = [];
  const foreign = new Set<number>();
  let highest = since.seq;
  const seqs = read.map((record, index) => {
    if (!record) damage.damagedRecords += 1;
    else if (isForeign(record)) {
      damage.foreignRecords += 1;
      foreign.add(since.records + index + 1);
    } else {
      if (record.firstSeq <= highest || record.prev < since.seq) damage.misplacedRecords += 1;
      records.push(record);
      highest = Math.max(highest, record.event.seq);
      return record.event.seq;
    }
    return 0;
  });
  const epoch = read.reduce((most, record) => Math.max(most, record?.epoch ?? 0), since.epoch);
  const checksums = read.map((record) => record?.checksum);
  const placed = values
    .slice(since.records)
    .map((value, index): LoadedRecord => read[index] ?? value);
  return { records, placed, seqs, checksums, foreign, damage, epoch };
}

export function countMissing(records: readonly FoldedRecord[], since: number): number {
  let missing = 0;
  let before = since;
  for (const { event, prev } of records) {
    missing += Math.max(0, prev - before);
    before = event.seq;
  }
  return missing;
}
