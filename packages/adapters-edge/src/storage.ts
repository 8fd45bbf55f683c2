import { type Storage, StorageError } from "@robota/runtime";
import {
  type AcquireOptions,
  checkStorageKey,
  type Lease,
  type LogEntry,
} from "@robota/runtime/ports";
import type { LeaseTable } from "@robota/runtime/virtual";
import { type SqlDatabase, first, isFull } from "./database.ts";
import { createLeases } from "./leases.ts";
import { appendEntries, lastSeq, readPage } from "./log-rows.ts";
import { joined, rowsOf } from "./value-rows.ts";

/**
 * Values, logs and leases in the SQLite of a Durable Object; data over 1.9 MB takes several rows. Once closed,
 * everything fails with `CLOSED`.
 */
export class EdgeStorage implements Storage {
  readonly #database: SqlDatabase;
  readonly #sql: SqlStorage;
  readonly #leases: ReturnType<typeof createLeases>;
  #isClosed = false;

  constructor(database: SqlDatabase, leaseTable: LeaseTable) {
    this.#database = database;
    this.#sql = database.sql;
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS robota_values (
         key TEXT NOT NULL, position INTEGER NOT NULL, version TEXT NOT NULL, data BLOB NOT NULL,
         PRIMARY KEY (key, position));
       CREATE TABLE IF NOT EXISTS robota_logs (
         log TEXT NOT NULL, seq INTEGER NOT NULL, position INTEGER NOT NULL, data BLOB NOT NULL,
         PRIMARY KEY (log, seq, position));`,
    );
    this.#leases = createLeases(leaseTable, database);
  }

  get(key: string): Promise<Uint8Array | undefined> {
    return this.#look(key, () => {
      const question = "SELECT data FROM robota_values WHERE key = ? ORDER BY position";
      const rows = this.#sql.exec<{ data: ArrayBuffer }>(question, key).toArray();
      return rows.length === 0 ? undefined : joined(rows.map((row) => row.data));
    });
  }

  set(
    key: string,
    value: Uint8Array,
    { ifMatch }: { ifMatch?: string | null } = {},
  ): Promise<string> {
    return this.#change(key, () => {
      if (ifMatch !== undefined && ifMatch !== (this.#currentVersion(key) ?? null)) {
        const hint = "It was changed concurrently; read it again and repeat the change.";
        throw new StorageError("CONFLICT", `"${key}" has another version.`, { hint });
      }
      const version = crypto.randomUUID();
      this.#deleteValue(key);
      for (const [position, data] of rowsOf(value)) {
        const row = [key, position, version, data];
        this.#sql.exec("INSERT INTO robota_values VALUES (?, ?, ?, ?)", ...row);
      }
      return version;
    });
  }

  version(key: string): Promise<string | undefined> {
    return this.#look(key, () => this.#currentVersion(key));
  }

  delete(key: string): Promise<void> {
    return this.#change(key, () => this.#deleteValue(key));
  }

  keys(prefix: string): Promise<string[]> {
    return this.#attempt(prefix, () =>
      // Keys are ASCII, so SQLite's order of bytes is the order of code units.
      this.#database.look(() =>
        this.#sql
          .exec<{ key: string }>(
            `SELECT key FROM robota_values
             WHERE position = 0 AND substr(key, 1, length(?1)) = ?1 ORDER BY key`,
            prefix,
          )
          .toArray()
          .map(({ key }) => key),
      ),
    );
  }

  append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    return this.#change(log, () => appendEntries(this.#sql, log, entries));
  }

  read(log: string, from = 1): AsyncIterable<LogEntry> {
    // The end is determined at the call; errors surface on reading.
    const end = this.#look(log, () => lastSeq(this.#sql, log));
    end.catch(() => undefined);
    return this.#pages(log, from, end);
  }

  deleteLog(log: string): Promise<void> {
    return this.#change(log, () => {
      this.#sql.exec("DELETE FROM robota_logs WHERE log = ?", log);
    });
  }

  acquire(name: string, options?: AcquireOptions): Promise<Lease> {
    return this.#attempt(name, () => {
      for (const key of [name, ...(options?.logs ?? [])]) checkStorageKey(key);
      return this.#leases.acquire(name, options);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#leases.releaseAll();
    await this.#database.look(() => undefined);
  }

  async *#pages(log: string, from: number, end: Promise<number>): AsyncGenerator<LogEntry> {
    const to = await end;
    for (let next = from; next <= to;) {
      const entries = await this.#look(log, () => readPage(this.#sql, log, next, to));
      if (entries.length === 0) return;
      yield* entries;
      next = (entries.at(-1)?.seq ?? to) + 1;
    }
  }

  #look<Result>(key: string, read: () => Result): Promise<Result> {
    return this.#attempt(key, () => {
      checkStorageKey(key);
      return this.#database.look(read);
    });
  }

  /** Writes a value that the lease of the same name protects. */
  #change<Result>(key: string, write: () => Result): Promise<Result> {
    return this.#attempt(key, () => {
      checkStorageKey(key);
      return this.#database.change(() => {
        this.#leases.check(key);
        return write();
      });
    });
  }

  async #attempt<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    try {
      if (this.#isClosed) throw new StorageError("CLOSED", "The platform was disposed.");
      return await work();
    } catch (error) {
      throw storageError(error, name);
    }
  }

  #currentVersion(key: string): string | undefined {
    const question = "SELECT version FROM robota_values WHERE key = ? AND position = 0";
    return first<{ version: string }>(this.#sql, question, key)?.version;
  }

  #deleteValue(key: string): void {
    this.#sql.exec("DELETE FROM robota_values WHERE key = ?", key);
  }
}

function storageError(error: unknown, key: string): StorageError {
  if (error instanceof StorageError) return error;
  const code = isFull(error) ? "FULL" : "IO";
  return new StorageError(code, `"${key}" could not be read or written.`, { cause: error });
}
