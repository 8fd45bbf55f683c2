import { SessionError } from "../errors.ts";
import type { Storage } from "../ports/storage.ts";
import { decodePlaced, decodeRecord, encodeEvents, type FoldedRecord } from "./codec.ts";
import type { SessionEvent, SessionEventOf } from "./events.ts";

/** What is wrong with a stored log. What is right was read all the same. */
export interface LogDamage {
  /** Records that could not be read. They stay where they are, for whoever can make more of them. */
  damagedRecords: number;
  /** Records of a number that another one has, and that say something else; the first counts. */
  doubledRecords: number;
  /** Records that stood behind later ones, and were put back into their order. */
  misplacedRecords: number;
  /** Numbers that no readable record has. */
  missingEvents: number;
}

export interface LoadedLog extends LogDamage {
  /** In the order of their numbers, for folding: a run of deltas is one event with all its words and the last number. */
  events: SessionEvent[];
}

/** Of a log that is as it was written. */
export const UNDAMAGED: LogDamage = {
  damagedRecords: 0,
  doubledRecords: 0,
  misplacedRecords: 0,
  missingEvents: 0,
};

/** Whether anything is wrong with a log. */
export function isDamaged(damage: LogDamage): boolean {
  const { damagedRecords, doubledRecords, misplacedRecords, missingEvents } = damage;
  return damagedRecords + doubledRecords + misplacedRecords + missingEvents > 0;
}

/** A session's events in storage, and at which record to begin for those after a number. */
export class StoredEvents {
  readonly #storage: Storage;
  readonly #name: string;
  readonly #sessionId: string;
  /** By record, the first at 0: the highest number up to its end. Records that were not seen yet are missing at the end. */
  #highestSeqs: number[] = [];
  #lastSeq: number | undefined;
  /** Whether the records are in the order of their numbers, each once. */
  #isInOrder = true;

  constructor(storage: Storage, name: string, sessionId: string) {
    this.#storage = storage;
    this.#name = name;
    this.#sessionId = sessionId;
  }

  /** @throws {SessionError} `LOG_VERSION` @throws {StorageError} */
  async load(): Promise<LoadedLog> {
    this.#highestSeqs = [];
    const damage = { ...UNDAMAGED };
    const records: FoldedRecord[] = [];
    for await (const { seq: place, value } of this.#storage.read(this.#name)) {
      const record = unlessDamaged(() => decodePlaced(value, this.#sessionId));
      if (!record) damage.damagedRecords += 1;
      else if (record.firstSeq <= (this.#highestSeqs.at(-1) ?? 0)) damage.misplacedRecords += 1;
      if (record) records.push(record);
      this.#place(place, record?.event.seq ?? 0);
    }
    this.#isInOrder = damage.misplacedRecords === 0;
    const sound = this.#isInOrder ? records : inOrder(records, damage);
    damage.missingEvents = countMissing(sound);
    this.#lastSeq = sound.at(-1)?.event.seq ?? 0;
    return { ...damage, events: sound.map(({ event }) => event) };
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    const records = encodeEvents(events, this.#lastSeq);
    const last = await this.#storage.append(
      this.#name,
      records.map(({ bytes }) => bytes),
    );
    const first = last - records.length + 1;
    for (const [index, { lastSeq }] of records.entries()) this.#place(first + index, lastSeq);
    this.#lastSeq = records.at(-1)?.lastSeq ?? this.#lastSeq;
  }

  async *after(seq: number): AsyncGenerator<SessionEvent, void> {
    if (!this.#isInOrder) {
      yield* await this.#sorted(seq);
      return;
    }
    let highest = seq;
    for await (const { value } of this.#storage.read(this.#name, this.#firstPlaceAfter(seq))) {
      const events = unlessDamaged(() => decodeRecord(value, this.#sessionId)) ?? [];
      for (const event of events) {
        if (event.seq <= highest) continue;
        highest = event.seq;
        yield event;
      }
    }
  }

  async #sorted(seq: number): Promise<SessionEvent[]> {
    const bySeq = new Map<number, SessionEvent>();
    for await (const { value } of this.#storage.read(this.#name)) {
      const events = unlessDamaged(() => decodeRecord(value, this.#sessionId)) ?? [];
      for (const event of events)
        if (event.seq > seq && !bySeq.has(event.seq)) bySeq.set(event.seq, event);
    }
    return [...bySeq.values()].sort((one, other) => one.seq - other.seq);
  }

  #place(place: number, seq: number): void {
    // Behind a record that somebody else wrote, reading begins where the places are still known.
    if (place !== this.#highestSeqs.length + 1) return;
    this.#highestSeqs.push(Math.max(seq, this.#highestSeqs.at(-1) ?? 0));
  }

  #firstPlaceAfter(seq: number): number {
    let [low, high] = [0, this.#highestSeqs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#highestSeqs[middle] as number) > seq) high = middle;
      else low = middle + 1;
    }
    return low + 1;
  }
}

/** The records by their numbers, each once: a write that failed late is written again, and stands there twice then. */
function inOrder(records: readonly FoldedRecord[], damage: LogDamage): FoldedRecord[] {
  const sorted = [...records].sort((one, other) => one.firstSeq - other.firstSeq);
  const sound: FoldedRecord[] = [];
  for (const record of sorted) {
    const last = sound.at(-1);
    if (!last || record.firstSeq > last.event.seq) {
      sound.push(record);
      continue;
    }
    damage.misplacedRecords -= 1;
    const rest = restOf(record, last);
    if (rest) sound.push(rest);
    else if (!isSame(record, last)) damage.doubledRecords += 1;
  }
  damage.misplacedRecords = Math.max(0, damage.misplacedRecords);
  return sound;
}

/** What a run of streamed words says behind one that it overlaps. */
function restOf(record: FoldedRecord, last: FoldedRecord): FoldedRecord | undefined {
  const { event, firstSeq, deltas } = record;
  if (!deltas || !last.deltas || !isDelta(event) || event.seq <= last.event.seq) return undefined;
  const rest = deltas.slice(last.event.seq + 1 - firstSeq);
  const delta = rest.join("");
  return {
    event: { ...event, delta },
    firstSeq: last.event.seq + 1,
    deltas: rest,
    prev: last.event.seq,
  };
}

/** Whether a record is another one again, or a part of its words. */
function isSame(record: FoldedRecord, last: FoldedRecord): boolean {
  const { deltas } = record;
  if (deltas && last.deltas) {
    const from = record.firstSeq - last.firstSeq;
    return deltas.every((delta, index) => delta === last.deltas?.[from + index]);
  }
  return JSON.stringify(record.event) === JSON.stringify(last.event);
}

function isDelta(event: SessionEvent): event is SessionEventOf<"text_delta" | "thinking_delta"> {
  return event.type === "text_delta" || event.type === "thinking_delta";
}

function countMissing(records: readonly FoldedRecord[]): number {
  let missing = 0;
  let before = 0;
  for (const { event, prev } of records) {
    missing += Math.max(0, prev - before);
    before = event.seq;
  }
  return missing;
}

/** What `decode` makes of a record, or nothing when it is damaged. @throws {SessionError} `LOG_VERSION` */
export function unlessDamaged<Value>(decode: () => Value): Value | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof SessionError && error.code === "LOG_CORRUPT") return undefined;
    throw error;
  }
}
