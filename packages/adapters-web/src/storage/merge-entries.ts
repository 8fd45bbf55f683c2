import { promisifyRequest } from "idb-keyval";
import type { Database } from "../indexed-db.ts";
import {
  BLOCK,
  blockEnd,
  type StoredBlock,
  type StoredEntry,
  type StoredRecord,
} from "./log-blocks.ts";

/** A block of more bytes is kept as single entries: beside so many, a record of its own for each costs little. */
const MAX_BLOCK_BYTES = 512 * 1024;

/** Records for entries in their order. Those that are whole blocks become such. */
export function withBlocks(entries: readonly StoredEntry[]): StoredRecord[] {
  const records: StoredRecord[] = [];
  for (let at = 0, next: number; at < entries.length; at = next) {
    const seq = entries[at]?.seq ?? 0;
    next = at + blockEnd(seq) - seq + 1;
    const some = entries.slice(at, next);
    const block = blockOf(some);
    if (block) records.push(block);
    else records.push(...some);
  }
  return records;
}

/**
 * Makes one record of the entries of a block, in one transaction, so that readers find them before it and after it. They are
 * durable already, so this is not flushed, and where it fails they stay as they are. A block that is one record stays so.
 */
export async function mergeBlock(
  database: Database,
  name: string,
  { log, end }: { log: string; end: number },
): Promise<void> {
  const range = IDBKeyRange.bound([log, end - BLOCK + 1], [log, end]);
  try {
    await database.write([name], "relaxed", async (transaction) => {
      const store = transaction.objectStore(name);
      const block = blockOf(await promisifyRequest<StoredRecord[]>(store.getAll(range)));
      if (!block) return;
      store.delete(range);
      store.put(block);
    });
  } catch {
    // As without room.
  }
}

/** The block of these entries; `undefined` when they are not all of one, or too large. */
function blockOf(entries: readonly StoredRecord[]): StoredBlock | undefined {
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
