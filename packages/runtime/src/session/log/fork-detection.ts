import type { Storage } from "../../ports/storage.ts";
import { decodePlaced, epochOf, type FoldedRecord, seqOf, unlessDamaged } from "./codec.ts";

/** Origin of a record: its writer, its last number, and the number it continued from. */
export interface RecordNumbers {
  epoch: number;
  seq: number;
  prev: number;
}

export function numbersOf({ epoch, prev, event: { seq } }: FoldedRecord): RecordNumbers {
  return { epoch, seq, prev };
}

/**
 * Finds records of former writers. A writer starts where it found the log: records of an earlier one with higher
 * numbers, before or after that, came from a holder who had lost the lease, and no holder has seen them.
 */
export function foreignAmong(
  records: readonly (RecordNumbers | undefined)[],
): (record: RecordNumbers) => boolean {
  /** The number that each writer continued from, by writer. */
  const begun = new Map<number, number>();
  for (const record of records) {
    // Records without a writer come from a version that named none.
    if (record && record.epoch > 0)
      begun.set(record.epoch, Math.min(begun.get(record.epoch) ?? Infinity, record.prev));
  }
  if (begun.size < 2) return () => false;
  /** The number above which a later writer has not seen a writer's records, by writer. */
  const ends = new Map<number, number>();
  let end = Infinity;
  for (const [epoch, from] of [...begun].sort(([one], [other]) => other - one)) {
    ends.set(epoch, end);
    end = Math.min(end, from);
  }
  return ({ epoch, seq }) => seq > (ends.get(epoch) ?? Infinity);
}

/** Checks whether writers and numbers are in order, as in nearly every log: then all of its records are its own. */
export class RecordOrder {
  isKept = true;
  #epoch = 0;
  #seq = 0;

  /** The next record. */
  see(bytes: Uint8Array): void {
    const [epoch, seq] = [epochOf(bytes), seqOf(bytes)];
    if (epoch < this.#epoch || (seq !== undefined && seq <= this.#seq)) this.isKept = false;
    [this.#epoch, this.#seq] = [epoch, seq ?? this.#seq];
  }
}

/**
 * Positions of foreign records in a stored session's log, for readers that found its records out of order.
 * @throws {StorageError}
 */
export async function foreignPlaces(
  storage: Pick<Storage, "read">,
  log: string,
): Promise<ReadonlySet<number>> {
  const places: { place: number; numbers: RecordNumbers }[] = [];
  for await (const { seq: place, value } of storage.read(log)) {
    const record = unlessDamaged(() => decodePlaced(value, ""));
    if (record) places.push({ place, numbers: numbersOf(record) });
  }
  const isForeign = foreignAmong(places.map(({ numbers }) => numbers));
  return new Set(places.filter(({ numbers }) => isForeign(numbers)).map(({ place }) => place));
}
