import { type Lease, type Storage, StorageError } from "@robota/runtime";
import { type AcquireOptions, checkStorageKey, type LogEntry } from "@robota/runtime/ports";
import { del, get, promisifyRequest, update, type UseStore } from "idb-keyval";
import { Database } from "../indexed-db.ts";
import { storageError } from "./errors.ts";
import { WebLockLeases } from "./leases.ts";
import { blockEnd } from "./log-blocks.ts";
import { LogStore, STORE as LOGS } from "./log-store.ts";

const VALUES = "values";
/** Entries of a log's first page, and the most of a later one. */
const FIRST_PAGE = 256;
const MAX_PAGE = 2048;
/** Size of later pages: each is a transaction of its own. In bytes. */
const PAGE_BYTES = 1024 * 1024;

interface StoredValue {
  value: Uint8Array;
  version: string;
}

/**
 * Values, logs and leases of one workspace: IndexedDB for data, Web Locks for leases. All tabs of a browser that open
 * the same workspace share them. Resolved writes are on disk, not only in the system's memory. Requires a secure
 * context: https or localhost.
 */
export class BrowserStorage implements Storage, AsyncDisposable {
  readonly #database: Database;
  readonly #logs: LogStore;
  readonly #leases: WebLockLeases;
  #closed: Promise<void> | undefined;

  constructor(workspace: string) {
    this.#database = new Database(`robota-storage:${workspace}`, {
      lockStore: LOGS,
      create(database) {
        database.createObjectStore(VALUES);
        LogStore.create(database);
      },
    });
    this.#logs = new LogStore(this.#database);
    this.#leases = new WebLockLeases(`robota-lease:${workspace}/`);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return (await this.#stored(key))?.value;
  }

  async version(key: string): Promise<string | undefined> {
    return (await this.#stored(key))?.version;
  }

  set(key: string, value: Uint8Array, options: { ifMatch?: string | null } = {}): Promise<string> {
    const { ifMatch } = options;
    const next: StoredValue = { value: new Uint8Array(value), version: crypto.randomUUID() };
    return this.#attempt(key, async () => {
      await update<StoredValue>(
        key,
        (current) => {
          if (ifMatch !== undefined && ifMatch !== (current?.version ?? null)) throw conflict(key);
          return next;
        },
        this.#values,
      );
      return next.version;
    });
  }

  delete(key: string): Promise<void> {
    return this.#attempt(key, () => del(key, this.#values));
  }

  async keys(prefix: string): Promise<string[]> {
    // Keys are ASCII: nothing that starts with the prefix sorts after this. IndexedDB sorts by code units.
    const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
    const keys = await this.#run(prefix, () =>
      this.#values("readonly", (store) => promisifyRequest(store.getAllKeys(range))),
    );
    return keys.map(String);
  }

  append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    return this.#attempt(log, () => this.#logs.append(log, entries));
  }

  read(log: string, from = 1): AsyncIterable<LogEntry> {
    // The end is determined at the call, to exclude later appends; errors reach the reader.
    const last = this.#attempt(log, () => this.#logs.last(log));
    last.catch(() => undefined);
    return this.#entries(log, from, last);
  }

  deleteLog(log: string): Promise<void> {
    return this.#attempt(log, () => this.#logs.delete(log));
  }

  acquire(name: string, options: AcquireOptions = {}): Promise<Lease> {
    return this.#attempt(name, async () => {
      const logs = [name, ...(options.logs ?? [])];
      for (const log of logs) checkStorageKey(log);
      const lease = await this.#leases.acquire(name, options);
      const letGo = await this.#logs.raise(lease, { name, logs }).catch(async (error: unknown) => {
        await lease.release();
        throw error;
      });
      const release = async (): Promise<void> => {
        await letGo();
        await lease.release();
      };
      return { lost: lease.lost, release, [Symbol.asyncDispose]: release };
    });
  }

  /** Stores pending data, releases every lease and closes the database. Safe to call twice. */
  dispose(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** The store through which idb-keyval operates: its own can't request durability and opens the database only once. */
  readonly #values: UseStore = (mode, callback) =>
    this.#database.retrying(async () =>
      mode === "readonly"
        ? this.#database.read([VALUES], async (each) => callback(each.objectStore(VALUES)))
        : this.#database.write([VALUES], "strict", (each) => callback(each.objectStore(VALUES))),
    );

  #stored(key: string): Promise<StoredValue | undefined> {
    return this.#attempt(key, () => get<StoredValue>(key, this.#values));
  }

  async *#entries(log: string, from: number, last: Promise<number>): AsyncGenerator<LogEntry> {
    const to = await last;
    const first = Math.max(1, from);
    let count = FIRST_PAGE;
    let ahead: Promise<LogEntry[]> | undefined;
    for (let next = first; next <= to;) {
      const page = await (ahead ?? this.#page(log, next, Math.min(to, blockEnd(next + count - 1))));
      // The log was deleted meanwhile.
      if (page.length === 0) return;
      // Many readers want no more than the first page.
      const isFirst = next === first;
      next += page.length;
      count = nextPage(page);
      // The database looks for the next page while the reader has this one.
      ahead =
        isFirst || next > to
          ? undefined
          : this.#page(log, next, Math.min(to, blockEnd(next + count - 1)));
      // A failure concerns those who read that far.
      ahead?.catch(() => undefined);
      for (const entry of page) yield entry;
    }
  }

  #page(log: string, from: number, to: number): Promise<LogEntry[]> {
    return this.#attempt(log, () => this.#logs.page(log, from, to));
  }

  #attempt<T>(name: string, attempt: () => Promise<T>): Promise<T> {
    return this.#run(name, () => {
      checkStorageKey(name);
      return attempt();
    });
  }

  async #run<T>(name: string, attempt: () => Promise<T>): Promise<T> {
    try {
      if (this.#closed) throw closedError();
      return await attempt();
    } catch (error) {
      throw storageError(error, name);
    }
  }

  async #close(): Promise<void> {
    await this.#logs.idle();
    await this.#database.close();
    await this.#leases.close();
  }
}

/** Number of entries in the page behind one, by the size of that one's entries. */
function nextPage(page: readonly LogEntry[]): number {
  const bytes = page.reduce((sum, { value }) => sum + value.length, 0);
  const fitting = Math.floor((PAGE_BYTES * page.length) / Math.max(1, bytes));
  return Math.min(MAX_PAGE, Math.max(1, fitting));
}

function conflict(key: string): StorageError {
  return new StorageError("CONFLICT", `The value of ${key} was changed concurrently`, {
    hint: "Read it again and repeat the change on the present value.",
  });
}

function closedError(): StorageError {
  return new StorageError("CLOSED", "This storage was closed", {
    hint: "Create a new platform to go on.",
  });
}
