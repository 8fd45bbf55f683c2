import { StorageError } from "../errors.ts";
import { checkStorageKey } from "../ports/storage-key.ts";
import type { AcquireOptions, Lease, LogEntry, Storage } from "../ports/storage.ts";
import { LeaseTable } from "./lease-table.ts";

interface Store {
  readonly values: Map<string, { value: Uint8Array; version: string }>;
  readonly logs: Map<string, Uint8Array[]>;
  readonly leases: LeaseTable;
  /** Counts every `set`, so that no version comes twice, not even after a delete. */
  sets: number;
}

export interface MemoryStorageOptions {
  /** Opens the store of another `MemoryStorage` instead of a new one, as a second tab or process would. */
  sharedWith?: MemoryStorage | undefined;
}

/** Values, logs and leases in memory, shared by objects with the same store. */
export class MemoryStorage implements Storage {
  readonly #store: Store;
  /** The last lease acquired here that protects a log, by log, until it is released. */
  readonly #protecting = new Map<string, Lease>();

  constructor(options: MemoryStorageOptions = {}) {
    const { sharedWith } = options;
    this.#store = sharedWith
      ? sharedWith.#store
      : { values: new Map(), logs: new Map(), leases: new LeaseTable(), sets: 0 };
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    checkStorageKey(key);
    return this.#store.values.get(key)?.value.slice();
  }

  async set(
    key: string,
    value: Uint8Array,
    options: { ifMatch?: string | null } = {},
  ): Promise<string> {
    checkStorageKey(key);
    const { ifMatch } = options;
    const current = this.#store.values.get(key)?.version ?? null;
    if (ifMatch !== undefined && ifMatch !== current) {
      throw new StorageError("CONFLICT", `The value of ${key} was changed concurrently`, {
        hint: "Read it again and repeat the change on the present value.",
      });
    }
    const version = String(++this.#store.sets);
    this.#store.values.set(key, { value: value.slice(), version });
    return version;
  }

  async version(key: string): Promise<string | undefined> {
    checkStorageKey(key);
    return this.#store.values.get(key)?.version;
  }

  async delete(key: string): Promise<void> {
    checkStorageKey(key);
    this.#store.values.delete(key);
  }

  async keys(prefix: string): Promise<string[]> {
    return [...this.#store.values.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  async append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    checkStorageKey(log);
    this.#protecting.get(log)?.lost.throwIfAborted();
    const list = this.#store.logs.get(log) ?? [];
    for (const copy of copiesOf(entries)) list.push(copy);
    if (list.length > 0) this.#store.logs.set(log, list);
    return list.length;
  }

  read(log: string, from = 1): AsyncIterable<LogEntry> {
    const entries = this.#store.logs.get(log) ?? [];
    return readEntries(log, entries, from, entries.length);
  }

  async deleteLog(log: string): Promise<void> {
    checkStorageKey(log);
    this.#protecting.get(log)?.lost.throwIfAborted();
    this.#store.logs.delete(log);
  }

  async acquire(name: string, options: AcquireOptions = {}): Promise<Lease> {
    const logs = [name].concat(options.logs ?? []);
    for (const log of logs) checkStorageKey(log);
    const lease = await this.#store.leases.acquire(name, options);
    const release = (): Promise<void> => {
      for (const log of logs) if (this.#protecting.get(log) === held) this.#protecting.delete(log);
      return lease.release();
    };
    const held: Lease = { lost: lease.lost, release, [Symbol.asyncDispose]: release };
    for (const log of logs) this.#protecting.set(log, held);
    return held;
  }
}

/** Copies in one shared buffer: each buffer costs more than its content. */
function copiesOf(entries: readonly Uint8Array[]): Uint8Array[] {
  const bytes = new Uint8Array(entries.reduce((sum, entry) => sum + entry.length, 0));
  let end = 0;
  return entries.map((entry) => {
    const start = end;
    end += entry.length;
    bytes.set(entry, start);
    return bytes.subarray(start, end);
  });
}

async function* readEntries(
  log: string,
  entries: readonly Uint8Array[],
  from: number,
  last: number,
): AsyncGenerator<LogEntry> {
  checkStorageKey(log);
  for (let seq = Math.max(1, from); seq <= last; seq++) {
    yield { seq, value: entries[seq - 1]!.slice() };
  }
}
