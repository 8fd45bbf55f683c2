/**
 * Storage of a plugin's records: plain JSON data in order of arrival. Plugins need nothing else of a database, and
 * return the content as numbers and lists.
 */
export interface RecordStore<Item> {
  /** Adds without waiting. Later changes to `item` have no effect. */
  add(item: Item): void;
  /** Oldest first, with everything that was added before the call. */
  read(): AsyncIterable<Item>;
  /** Resolves when everything that was added before is where the store keeps it. */
  flush(): Promise<void>;
  /** Forgets every record. */
  clear(): Promise<void>;
  /** Flushes within a bounded time and stops timers; the store stays usable. */
  dispose(): Promise<void>;
  /** Records that were added and are lost. */
  readonly dropped: number;
}

/** The records of a store that came in a span of time, oldest first. */
export async function recordsBetween<Item extends { time: number }>(
  store: RecordStore<Item>,
  { from = -Infinity, to = Infinity }: TimeSpan = {},
): Promise<Item[]> {
  const found: Item[] = [];
  for await (const record of store.read()) {
    if (record.time >= from && record.time < to) found.push(record);
  }
  return found;
}

/** Milliseconds since the epoch; `from` included, `to` not. All of it when omitted. */
export interface TimeSpan {
  from?: number;
  to?: number;
}
