import { promisifyRequest } from "idb-keyval";
import { StorageError } from "@robota/runtime";
import { type LogEntry } from "@robota/runtime/ports";
import { GroupCommit, type Outcome } from "@robota/runtime/virtual";
import { InFlight } from "../in-flight.ts";
import type { Database } from "../indexed-db.ts";
import { BLOCK, blockEnd, entriesOf, type StoredRecord } from "./log-blocks.ts";
import type { TabLease } from "./leases.ts";

export const STORE = "logs";
/** Key prefix of a lease's epoch: no log has such a name. */
const LEASE = "~lease/";

/** A holder of a lease that this storage was or is. */
interface Holder {
  name: string;
  /** Epoch of the holder: later ones have higher numbers. */
  epoch: number;
  /** Appends requested under the lease. */
  appends: InFlight;
  lose(): void;
}

interface Append {
  log: string;
  entries: readonly Uint8Array[];
  /** The requesting holder, when a lease of this storage protected the log. */
  holder: Holder | undefined;
}

/**
 * Stores one record per entry under `[log, seq]`, so an append costs only its own size, however long the log is. Once the
 * entries of a block are there, they become one record, which readers have much sooner.
 */
export class LogStore {
  readonly #database: Database;
  /** The last holder in this storage of the lease that protects a log, by log, until its release. */
  readonly #protecting = new Map<string, Holder>();
  readonly #appends = new GroupCommit<Append, number>((appends) => this.#store(appends));
  readonly #merges = new InFlight();

  constructor(database: Database) {
    this.#database = database;
  }

  static create(database: IDBDatabase): void {
    database.createObjectStore(STORE, { keyPath: ["log", "seq"] });
  }

  /** Resolves, to the number of the last entry, when all of `entries` are on the disk. */
  append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    const holder = this.#protecting.get(log);
    const appended = this.#appends.add({
      log,
      entries: entries.map((entry) => new Uint8Array(entry)),
      holder,
    });
    return holder ? holder.appends.track(appended) : appended;
  }

  /**
   * Registers a new holder of the lease called `name`, which protects `logs`: earlier ones can no longer append.
   * Resolves to the release function, which waits for appends requested under the lease.
   *
   * The epoch is raised in a transaction on the store of the logs; appends check it in their own write transaction.
   * IndexedDB serialises such transactions of all tabs. So an append of an earlier holder comes before, and is visible
   * to the new one, or after, and is refused.
   */
  async raise(
    { lose }: Pick<TabLease, "lose">,
    { name, logs }: { name: string; logs: readonly string[] },
  ): Promise<() => Promise<void>> {
    const epoch = await this.#database.retrying(() =>
      this.#database.write([STORE], "relaxed", async (transaction) => {
        const store = transaction.objectStore(STORE);
        const next = (await epochOf(store, name)) + 1;
        const record: LeaseRecord = { log: LEASE + name, seq: 1, epoch: next };
        store.put(record);
        return next;
      }),
    );
    const holder: Holder = { name, epoch, appends: new InFlight(), lose };
    for (const log of logs) {
      // A former holder in this very tab must know before it can request another append.
      this.#protecting.get(log)?.lose();
      this.#protecting.set(log, holder);
    }
    return () => {
      for (const log of logs)
        if (this.#protecting.get(log) === holder) this.#protecting.delete(log);
      return holder.appends.ended();
    };
  }

  /** The number of the last entry; 0 for a log without entries. */
  last(log: string): Promise<number> {
    return this.#read((store) => lastSeq(store, log));
  }

  /** The entries from `from` to `to`, both included. */
  page(log: string, from: number, to: number): Promise<LogEntry[]> {
    // The last one may be in the middle of a block.
    const range = IDBKeyRange.bound([log, from], [log, blockEnd(to)]);
    return this.#read(async (store) => {
      const records = await promisifyRequest<StoredRecord[]>(store.getAll(range));
      return entriesOf(records, from, to);
    });
  }

  async delete(log: string): Promise<void> {
    const holder = this.#protecting.get(log);
    await this.#database.retrying(() =>
      this.#database.write([STORE], "strict", async (transaction) => {
        const store = transaction.objectStore(STORE);
        if (holder && (await isTakenOver(store, holder))) throw fenced(log);
        store.delete(rangeOf(log));
      }),
    );
  }

  /** Resolves when everything appended so far is stored or refused, and nothing is being merged. */
  async idle(): Promise<void> {
    await this.#appends.idle();
    await this.#merges.ended();
  }

  async #store(appends: readonly Append[]): Promise<Outcome<number>[]> {
    const outcomes = await this.#append(appends);
    for (const [index, { log, entries }] of appends.entries()) {
      const outcome = outcomes[index];
      if (!outcome || "error" in outcome) continue;
      const before = outcome.value - entries.length;
      // A block that an earlier append began, and that has its last entry now.
      if (before % BLOCK > 0 && outcome.value % BLOCK < entries.length)
        void this.#merges.track(this.#merge(log, before));
    }
    return outcomes;
  }

  async #append(appends: readonly Append[]): Promise<Outcome<number>[]> {
    const isLarge = appends.some(({ entries }) => entries.length >= BLOCK);
    const merging = isLarge ? await loadMerging() : undefined;
    return this.#database.retrying(() =>
      this.#database.write([STORE], "strict", async (transaction) => {
        const store = transaction.objectStore(STORE);
        const logs = [...new Set(appends.map(({ log }) => log))];
        // Asked in the transaction that writes: another tab may have appended to the log or deleted it.
        const ends = await Promise.all(logs.map((log) => lastSeq(store, log)));
        const last = new Map(logs.map((log, index) => [log, ends[index] ?? 0]));
        const lost = await lostAmong(store, new Set(appends.map(({ holder }) => holder)));
        return appends.map(({ log, entries, holder }) => {
          if (lost.has(holder)) return { error: fenced(log) };
          const before = last.get(log) ?? 0;
          const added = entries.map((value, index) => ({ log, seq: before + index + 1, value }));
          for (const record of merging?.withBlocks(added) ?? added) store.add(record);
          const seq = before + entries.length;
          last.set(log, seq);
          return { value: seq };
        });
      }),
    );
  }

  /** Makes one record of the block that has this number. */
  async #merge(log: string, seq: number): Promise<void> {
    const merging = await loadMerging();
    await merging?.mergeBlock(this.#database, STORE, { log, end: blockEnd(seq) });
  }

  #read<T>(look: (store: IDBObjectStore) => Promise<T>): Promise<T> {
    return this.#database.retrying(() =>
      this.#database.read([STORE], (transaction) => look(transaction.objectStore(STORE))),
    );
  }
}

/** The code that makes blocks, which a page does without until a log is long; without it, entries stay single. */
function loadMerging() {
  return import("./merge-entries.ts").catch(() => undefined);
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

async function lostAmong(
  store: IDBObjectStore,
  holders: ReadonlySet<Holder | undefined>,
): Promise<Set<Holder | undefined>> {
  const lost = new Set<Holder | undefined>();
  for (const holder of holders) if (holder && (await isTakenOver(store, holder))) lost.add(holder);
  return lost;
}

async function isTakenOver(store: IDBObjectStore, { name, epoch }: Holder): Promise<boolean> {
  return (await epochOf(store, name)) !== epoch;
}

function fenced(name: string): StorageError {
  return new StorageError("FENCED", `The lease of ${name} was taken over`, {
    hint: "Close this view of it, or take it back.",
  });
}

function lastSeq(store: IDBObjectStore, log: string): Promise<number> {
  const request = store.openKeyCursor(rangeOf(log), "prev");
  return promisifyRequest(request).then((cursor) => (cursor ? seqOf(cursor.primaryKey) : 0));
}

function seqOf(key: IDBValidKey): number {
  return Array.isArray(key) && typeof key[1] === "number" ? key[1] : 0;
}

function rangeOf(log: string): IDBKeyRange {
  return IDBKeyRange.bound([log], [log, []]);
}
