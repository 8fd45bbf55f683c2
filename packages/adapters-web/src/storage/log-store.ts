import { promisifyRequest } from "idb-keyval";
import { type LogEntry, StorageError } from "@robota/runtime";
import { GroupCommit, type Outcome } from "../group-commit.ts";
import type { Database } from "../indexed-db.ts";

export const STORE = "logs";
/** Before the name of a lease, where its epoch is kept: no log has such a name. */
const LEASE = "~lease/";
/** Entries that one page holds at most. */
const PAGE = 256;

interface Append {
  log: string;
  entries: readonly Uint8Array[];
}

interface LogRecord extends LogEntry {
  log: string;
}

/** One record per entry under `[log, seq]`, so an append costs what it adds, however long the log is. */
export class LogStore {
  readonly #database: Database;
  /** By lease: which of its holders this storage was last, until it let go. */
  readonly #epochs = new Map<string, number>();
  readonly #appends = new GroupCommit<Append, number>((appends) => this.#store(appends));

  constructor(database: Database) {
    this.#database = database;
  }

  static create(database: IDBDatabase): void {
    database.createObjectStore(STORE, { keyPath: ["log", "seq"] });
  }

  /** Resolves, to the number of the last entry, when all of `entries` are on the disk. */
  append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    return this.#appends.add({ log, entries: entries.map((entry) => new Uint8Array(entry)) });
  }

  /**
   * Counts a new holder of the lease that protects the log of that name: earlier ones append nothing to it any more.
   * Resolves to what lets go of it.
   */
  async raise(name: string): Promise<() => void> {
    const epoch = await this.#database.retrying(() =>
      this.#database.write([STORE], "relaxed", async (transaction) => {
        const store = transaction.objectStore(STORE);
        const next = (await epochOf(store, name)) + 1;
        const record: LeaseRecord = { log: LEASE + name, seq: 1, epoch: next };
        store.put(record);
        return next;
      }),
    );
    this.#epochs.set(name, epoch);
    return () => {
      if (this.#epochs.get(name) === epoch) this.#epochs.delete(name);
    };
  }

  /** The number of the last entry; 0 for a log without entries. */
  last(log: string): Promise<number> {
    return this.#read((store) => lastSeq(store, log));
  }

  /** The first entries of those from `from` to `to`, as many as are taken into memory at once. */
  page(log: string, from: number, to: number): Promise<LogEntry[]> {
    const range = IDBKeyRange.bound([log, from], [log, Math.min(to, from + PAGE - 1)]);
    return this.#read(async (store) => {
      const records = await promisifyRequest<LogRecord[]>(store.getAll(range));
      return records.map(({ seq, value }) => ({ seq, value }));
    });
  }

  async delete(log: string): Promise<void> {
    await this.#database.retrying(() =>
      this.#database.write([STORE], "strict", (transaction) => {
        transaction.objectStore(STORE).delete(entriesOf(log));
      }),
    );
  }

  /** Resolves when everything appended so far is stored or refused. */
  idle(): Promise<void> {
    return this.#appends.idle();
  }

  #store(appends: readonly Append[]): Promise<Outcome<number>[]> {
    return this.#database.retrying(() =>
      this.#database.write([STORE], "strict", async (transaction) => {
        const store = transaction.objectStore(STORE);
        const logs = [...new Set(appends.map(({ log }) => log))];
        // Asked in the transaction that writes: another tab may have appended to the log or deleted it.
        const ends = await Promise.all(logs.map((log) => lastSeq(store, log)));
        const last = new Map(logs.map((log, index) => [log, ends[index] ?? 0]));
        const foreign = await this.#takenOver(store, logs);
        return appends.map(({ log, entries }) => {
          if (foreign.has(log)) return { error: fenced(log) };
          let seq = last.get(log) ?? 0;
          for (const value of entries) {
            seq += 1;
            const record: LogRecord = { log, seq, value };
            store.add(record);
          }
          last.set(log, seq);
          return { value: seq };
        });
      }),
    );
  }

  /** Those of the logs whose lease this storage held and somebody else has taken. */
  async #takenOver(store: IDBObjectStore, logs: readonly string[]): Promise<Set<string>> {
    const taken = new Set<string>();
    for (const log of logs) {
      const epoch = this.#epochs.get(log);
      if (epoch !== undefined && (await epochOf(store, log)) !== epoch) taken.add(log);
    }
    return taken;
  }

  #read<T>(look: (store: IDBObjectStore) => Promise<T>): Promise<T> {
    return this.#database.retrying(() =>
      this.#database.read([STORE], (transaction) => look(transaction.objectStore(STORE))),
    );
  }
}

interface LeaseRecord {
  log: string;
  seq: 1;
  epoch: number;
}

async function epochOf(store: IDBObjectStore, name: string): Promise<number> {
  const record = await promisifyRequest<LeaseRecord | undefined>(store.get([LEASE + name, 1]));
  return record?.epoch ?? 0;
}

function fenced(name: string): StorageError {
  return new StorageError("FENCED", `The lease of ${name} was taken over`, {
    hint: "Close this view of it, or take it back.",
  });
}

function lastSeq(store: IDBObjectStore, log: string): Promise<number> {
  const request = store.openKeyCursor(entriesOf(log), "prev");
  return promisifyRequest(request).then((cursor) => (cursor ? seqOf(cursor.primaryKey) : 0));
}

function seqOf(key: IDBValidKey): number {
  return Array.isArray(key) && typeof key[1] === "number" ? key[1] : 0;
}

function entriesOf(log: string): IDBKeyRange {
  return IDBKeyRange.bound([log], [log, []]);
}
