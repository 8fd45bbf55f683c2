import type { LogEntry } from "../../ports/storage.ts";
import { decodeRecord, type FoldedRecord, unlessDamaged } from "./codec.ts";
import type { SessionEvent, SessionEventOf } from "./events.ts";
import type { LogDamage } from "./log-reader.ts";

/** Sorts records by number and drops duplicates: a write that failed late is repeated, and is then stored twice. */
export function inOrder(records: readonly FoldedRecord[], damage: LogDamage): FoldedRecord[] {
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

/** The rest of a run of deltas after one that it overlaps. */
function restOf(record: FoldedRecord, last: FoldedRecord): FoldedRecord | undefined {
  const { event, deltas, ago = [], firstSeq } = record;
  if (!deltas || !last.deltas || !isDelta(event) || event.seq <= last.event.seq) return undefined;
  const known = last.event.seq + 1 - firstSeq;
  const rest = deltas.slice(known);
  const delta = rest.join("");
  return {
    ...record,
    event: { ...event, delta },
    firstSeq: last.event.seq + 1,
    deltas: rest,
    ago: ago.slice(known),
    prev: last.event.seq,
  };
}

/** Reports whether a record repeats another one, or a part of its text. */
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

interface SortedOptions {
  sessionId: string;
  /** Positions of records that are not part of the session. */
  foreign: ReadonlySet<number>;
  /** The number after which the events begin. */
  seq: number;
}

/** The events of a log whose records are out of order, each once. */
export async function sortedEvents(
  entries: AsyncIterable<LogEntry>,
  { sessionId, foreign, seq }: SortedOptions,
): Promise<SessionEvent[]> {
  const bySeq = new Map<number, SessionEvent>();
  for await (const { seq: place, value } of entries) {
    if (foreign.has(place)) continue;
    const events = unlessDamaged(() => decodeRecord(value, sessionId)) ?? [];
    for (const event of events)
      if (event.seq > seq && !bySeq.has(event.seq)) bySeq.set(event.seq, event);
  }
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq);
}
