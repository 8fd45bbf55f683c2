import type { Storage } from "../../ports/storage.ts";
import { decodePlaced, epochOf, seqOf, unlessDamaged } from "./codec.ts";
import { foreignAmong, type RecordNumbers } from "./fork-detection.ts";

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
    if (!record) continue;
    const { epoch, seq, prev } = record;
    places.push({ place, numbers: { epoch, seq, prev } });
  }
  const isForeign = foreignAmong(places.map(({ numbers }) => numbers));
  return new Set(places.filter(({ numbers }) => isForeign(numbers)).map(({ place }) => place));
}
