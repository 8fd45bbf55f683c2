import type { LogEntry } from "@robota/runtime/ports";
import { joined, rowsOf } from "./value-rows.ts";

/** Bytes of log entries that one look at the database takes into memory. */
const PAGE_BYTES = 1024 * 1024;
const PAGE_ENTRIES = 1000;

export function lastSeq(sql: SqlStorage, log: string): number {
  const question = "SELECT MAX(seq) AS last FROM robota_logs WHERE log = ?";
  return sql.exec<{ last: number | null }>(question, log).one().last ?? 0;
}

/** Returns the number of the last entry. */
export function appendEntries(
  sql: SqlStorage,
  log: string,
  entries: readonly Uint8Array[],
): number {
  let seq = lastSeq(sql, log);
  for (const entry of entries) {
    seq += 1;
    for (const [position, data] of rowsOf(entry)) {
      sql.exec("INSERT INTO robota_logs VALUES (?, ?, ?, ?)", log, seq, position, data);
    }
  }
  return seq;
}

/** Entries from `from` to at most `to`: at least one, and no more than fit a page. */
export function readPage(sql: SqlStorage, log: string, from: number, to: number): LogEntry[] {
  const sizes = sql
    .exec<{ seq: number; bytes: number }>(
      `SELECT seq, SUM(length(data)) AS bytes FROM robota_logs
       WHERE log = ? AND seq BETWEEN ? AND ? GROUP BY seq ORDER BY seq LIMIT ?`,
      log,
      from,
      to,
      PAGE_ENTRIES,
    )
    .toArray();
  let room = PAGE_BYTES;
  const end = sizes.find(({ bytes }) => (room -= bytes) <= 0) ?? sizes.at(-1);
  if (!end) return [];
  const rows = sql
    .exec<{ seq: number; data: ArrayBuffer }>(
      `SELECT seq, data FROM robota_logs
       WHERE log = ? AND seq BETWEEN ? AND ? ORDER BY seq, position`,
      log,
      from,
      end.seq,
    )
    .toArray();
  return [...Map.groupBy(rows, ({ seq }) => seq)].map(([seq, parts]) => ({
    seq,
    value: joined(parts.map(({ data }) => data)),
  }));
}
