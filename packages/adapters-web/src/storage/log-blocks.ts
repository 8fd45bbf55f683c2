import type { LogEntry } from "@robota/runtime/ports";

/** Entries of a block, whose last number is a multiple of it. */
export const BLOCK = 64;
/** A block of more bytes is kept as single entries: beside so many, a record of its own for each costs little. */
const MAX_BLOCK_BYTES = 512 * 1024;

/** One entry of a log, under `[log, seq]`. */
export interface StoredEntry extends LogEntry {
  log: string;
}

/**
 * A whole block of a log as one record: to hand one over takes a browser about as long as 4 kB of it, and most entries are
 * much smaller. It stands under the number of its last entry, so that the last key names the end of a log either way. Without
 * a `value`, so that a page of an earlier version fails and does not take a block for an entry.
 */
interface StoredBlock {
  log: string;
  seq: number;
  /** The entries, one behind the other. */
  bytes: Uint8Array;
  /** The end of each entry in them. */
  ends: Uint32Array;
}

export type StoredRecord = StoredEntry | StoredBlock;

/** The number of the last entry of the block that has this one. */
export function blockEnd(seq: number): number {
  return Math.ceil(seq / BLOCK) * BLOCK;
}

/** Records for entries behind `last`. Those that are whole blocks become such. */
export function recordsFor(
  log: string,
  last: number,
  values: readonly Uint8Array[],
): StoredRecord[] {
  const entries = values.map((value, index) => ({ log, seq: last + index + 1, value }));
  const records: StoredRecord[] = [];
  for (let at = 0; at < entries.length;) {
    const count = blockEnd(last + at + 1) - last - at;
    const some = entries.slice(at, at + count);
    const block = blockOf(some);
    if (block) records.push(block);
    else records.push(...some);
    at += count;
  }
  return records;
}

/** The block of these entries; `undefined` when they are not all of one, or too large. */
export function blockOf(entries: readonly StoredRecord[]): StoredBlock | undefined {
  const last = entries.at(-1);
  if (!last || entries.length !== BLOCK || last.seq % BLOCK !== 0) return undefined;
  const ends = new Uint32Array(BLOCK);
  const values: Uint8Array[] = [];
  let end = 0;
  for (const [index, entry] of entries.entries()) {
    if (!("value" in entry)) return undefined;
    values.push(entry.value);
    end += entry.value.length;
    ends[index] = end;
  }
  if (end > MAX_BLOCK_BYTES) return undefined;
  const bytes = new Uint8Array(end);
  for (const [index, value] of values.entries())
    bytes.set(value, (ends[index] ?? 0) - value.length);
  return { log: last.log, seq: last.seq, bytes, ends };
}

/** The entries of stored records from one number to another, both included. */
export function entriesOf(records: readonly StoredRecord[], from: number, to: number): LogEntry[] {
  const entries: LogEntry[] = [];
  for (const record of records) {
    if ("value" in record) {
      const { seq, value } = record;
      if (seq >= from && seq <= to) entries.push({ seq, value });
      continue;
    }
    const { seq: last, bytes, ends } = record;
    const before = last - ends.length;
    for (let index = Math.max(0, from - before - 1); index < ends.length; index++) {
      const seq = before + index + 1;
      if (seq > to) break;
      entries.push({ seq, value: bytes.subarray(ends[index - 1] ?? 0, ends[index]) });
    }
  }
  return entries;
}
