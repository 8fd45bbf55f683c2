import { SessionError } from "../errors.ts";
import type { Storage } from "../ports/storage.ts";
import { decodeFolded, decodeRecord, encodeEvents } from "./codec.ts";
import type { SessionEvent } from "./events.ts";

export interface LoadedLog {
  /** For folding: a run of deltas is one event with all its words and the number of the last one. */
  events: SessionEvent[];
  /** Records that could not be read; what they said is lost, and the rest is there. */
  damagedRecords: number;
}

/** A session's events in storage, and at which record to begin for those after a number. */
export class StoredEvents {
  readonly #storage: Storage;
  readonly #name: string;
  readonly #sessionId: string;
  /** By record, the first at 0: the highest number up to its end. Records that were not seen yet are missing at the end. */
  #highestSeqs: number[] = [];

  constructor(storage: Storage, name: string, sessionId: string) {
    this.#storage = storage;
    this.#name = name;
    this.#sessionId = sessionId;
  }

  async load(): Promise<LoadedLog> {
    this.#highestSeqs = [];
    const loaded: LoadedLog = { events: [], damagedRecords: 0 };
    for await (const { seq: place, value } of this.#storage.read(this.#name)) {
      const event = unlessDamaged(() => decodeFolded(value, this.#sessionId));
      if (event) loaded.events.push(event);
      else loaded.damagedRecords += 1;
      this.#place(place, event?.seq ?? 0);
    }
    return loaded;
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    const records = encodeEvents(events);
    const last = await this.#storage.append(
      this.#name,
      records.map(({ bytes }) => bytes),
    );
    const first = last - records.length + 1;
    for (const [index, { lastSeq }] of records.entries()) this.#place(first + index, lastSeq);
  }

  async *after(seq: number): AsyncGenerator<SessionEvent, void> {
    for await (const { value } of this.#storage.read(this.#name, this.#firstPlaceAfter(seq))) {
      const events = unlessDamaged(() => decodeRecord(value, this.#sessionId)) ?? [];
      for (const event of events) if (event.seq > seq) yield event;
    }
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

function unlessDamaged<Value>(decode: () => Value): Value | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof SessionError && error.code === "LOG_CORRUPT") return undefined;
    throw error;
  }
}
