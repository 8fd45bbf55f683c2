import type { LogEntry } from "@robota/runtime/ports";

/** Entries of a block, whose last number is a multiple of it. */
export const BLOCK = 64;

/** One entry of a log, under `[log, seq]`. */
export interface StoredEntry extends LogEntry {
  log: string;
}

/**
 * A whole block of a log as one record: to hand one over takes a browser about as long as 4 kB of it, and most entries are
 * much smaller. It stands under the number of its last entry, so that the last key names the end of a log either way. Without
 * a `value`, so that a page of an earlier version fails and does not take a block for an entry.
 */
export interface StoredBlock {
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

/** The entries of stored records from one number to another, both included. */
export function entriesOf(records: readonly StoredRecord[], from: number, to: number): LogEntry[] {
  return records.flatMap(entriesIn).filter(({ seq }) => seq >= from && seq <= to);
}

function entriesIn(record: StoredRecord): LogEntry[] {
  const { seq } = record;
  if ("value" in record) return [{ seq, value: record.value }];
  const { bytes, ends } = record;
  return Array.from(ends, (end, index) => ({
    seq: seq - ends.length + index + 1,
    value: bytes.subarray(ends[index - 1] ?? 0, end),
  }));
}
