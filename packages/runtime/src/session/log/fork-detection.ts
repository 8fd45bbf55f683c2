/** Origin of a record: its writer, its last number, and the number it continued from. */
export interface RecordNumbers {
  epoch: number;
  seq: number;
  prev: number;
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
