import type { FoldedRecord } from "./codec.ts";
import { BEGINNING, countMissing, decodeAll, type LogDamage, readRecords } from "./log-reader.ts";
import { inOrder } from "./log-repair.ts";

/** All valid records of a log in the order of their numbers, without duplicates, and its damage. */
export function soundRecords(
  values: readonly Uint8Array[],
  sessionId: string,
): { records: FoldedRecord[]; damage: LogDamage } {
  const { records: read, damage } = readRecords(values, BEGINNING, decodeAll(values, sessionId));
  const records = damage.misplacedRecords === 0 ? read : inOrder(read, damage);
  damage.missingEvents = countMissing(records, BEGINNING.seq);
  return { records, damage };
}
