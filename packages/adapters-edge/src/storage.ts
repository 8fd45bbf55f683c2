import { type Storage, StorageError } from "@robota/runtime";
import { checkStorageKey, type LogEntry } from "@robota/runtime/ports";
import type { LeaseTable } from "@robota/runtime/virtual";
import { chunks, type Database, first, isFull } from "./database.ts";
import { createLeases } from "./leases.ts";

/** Bytes of log entries that one look at the database takes into memory. */
const PAGE_BYTES = 1024 * 1024;
const PAGE_ENTRIES = 1000;

/** A `Storage` that can be closed: it then refuses everything with `CLOSED`. */
export interface EdgeStorage extends Storage {
  close(): Promise<void>;
}

/** Values, logs and leases in the SQLite of a Durable Object; what is over 1.9 MB takes several rows. */
export function edgeStorage(database: Database, leaseTable: LeaseTable): EdgeStorage {
  const { sql } = database;
  sql.exec(
    `CREATE TABLE IF NOT EXISTS robota_values (
       key TEXT NOT NULL, position INTEGER NOT NULL, version TEXT NOT NULL, data BLOB NOT NULL,
       PRIMARY KEY (key, position));
     CREATE TABLE IF NOT EXISTS robota_logs (
       log TEXT NOT NULL, seq INTEGER NOT NULL, position INTEGER NOT NULL, data BLOB NOT NULL,
       PRIMARY KEY (log, seq, position));`,
  );
  const leases = createLeases(leaseTable, database);
  let closed = false;

  const attempt = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      if (closed) throw new StorageError("CLOSED", "The platform was disposed.");
      return await work();
    } catch (error) {
      throw storageError(error, name);
    }
  };
  const look = <Result>(key: string, read: () => Result): Promise<Result> =>
    attempt(key, () => {
      checkStorageKey(key);
      return database.look(read);
    });
  /** A write to what the lease of the same name protects. */
  const change = <Result>(key: string, write: () => Result): Promise<Result> =>
    attempt(key, () => {
      checkStorageKey(key);
      return database.change(() => {
        leases.check(key);
        return write();
      });
    });

  const currentVersion = (key: string): string | undefined =>
    first<{ version: string }>(
      sql,
      "SELECT version FROM robota_values WHERE key = ? AND position = 0",
      key,
    )?.version;
  const lastSeq = (log: string): number =>
    sql
      .exec<{ last: number | null }>("SELECT MAX(seq) AS last FROM robota_logs WHERE log = ?", log)
      .one().last ?? 0;

  /** Entries from `from` to `to` at the most: at least one, and no more than fit a page. */
  const page = (log: string, from: number, to: number): LogEntry[] => {
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
  };

  return {
    get: (key) =>
      look(key, () => {
        const rows = sql
          .exec<{ data: ArrayBuffer }>(
            "SELECT data FROM robota_values WHERE key = ? ORDER BY position",
            key,
          )
          .toArray();
        return rows.length === 0 ? undefined : joined(rows.map((row) => row.data));
      }),

    set: (key, value, options = {}) =>
      change(key, () => {
        const { ifMatch } = options;
        if (ifMatch !== undefined && ifMatch !== (currentVersion(key) ?? null)) {
          const hint = "Somebody else has written it since; read it again and repeat the change.";
          throw new StorageError("CONFLICT", `"${key}" has another version.`, { hint });
        }
        const version = crypto.randomUUID();
        sql.exec("DELETE FROM robota_values WHERE key = ?", key);
        for (const [position, data] of rowsOf(value)) {
          sql.exec("INSERT INTO robota_values VALUES (?, ?, ?, ?)", key, position, version, data);
        }
        return version;
      }),

    version: (key) => look(key, () => currentVersion(key)),

    delete: (key) =>
      change(key, () => {
        sql.exec("DELETE FROM robota_values WHERE key = ?", key);
      }),

    keys: (prefix) =>
      attempt(prefix, () =>
        // Keys are ASCII, so SQLite's order of bytes is the order of code units.
        database.look(() =>
          sql
            .exec<{ key: string }>(
              `SELECT key FROM robota_values
               WHERE position = 0 AND substr(key, 1, length(?1)) = ?1 ORDER BY key`,
              prefix,
            )
            .toArray()
            .map(({ key }) => key),
        ),
      ),

    append: (log, entries) =>
      change(log, () => {
        let seq = lastSeq(log);
        for (const entry of entries) {
          seq += 1;
          for (const [position, data] of rowsOf(entry)) {
            sql.exec("INSERT INTO robota_logs VALUES (?, ?, ?, ?)", log, seq, position, data);
          }
        }
        return seq;
      }),

    read(log, from = 1) {
      // The end is taken now; what goes wrong is told when somebody reads.
      const end = look(log, () => lastSeq(log));
      end.catch(() => undefined);
      return (async function* () {
        const to = await end;
        for (let next = from; next <= to;) {
          const entries = await look(log, () => page(log, next, to));
          if (entries.length === 0) return;
          yield* entries;
          next = (entries.at(-1)?.seq ?? to) + 1;
        }
      })();
    },

    deleteLog: (log) =>
      change(log, () => {
        sql.exec("DELETE FROM robota_logs WHERE log = ?", log);
      }),

    acquire: (name, options) =>
      attempt(name, () => {
        for (const key of [name, ...(options?.logs ?? [])]) checkStorageKey(key);
        return leases.acquire(name, options);
      }),

    async close() {
      closed = true;
      await leases.releaseAll();
      await database.look(() => undefined);
    },
  };
}

/** The rows of a value, numbered; one empty row for an empty value, because a value of no bytes is a value. */
function* rowsOf(value: Uint8Array): Generator<[position: number, data: Uint8Array]> {
  let position = 0;
  for (const data of value.length === 0 ? [value] : chunks(value)) {
    yield [position, data];
    position += 1;
  }
}

function joined(parts: readonly ArrayBuffer[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return new Uint8Array(only);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(new Uint8Array(part), offset);
    offset += part.byteLength;
  }
  return bytes;
}

function storageError(error: unknown, key: string): StorageError {
  if (error instanceof StorageError) return error;
  const code = isFull(error) ? "FULL" : "IO";
  return new StorageError(code, `"${key}" could not be read or written.`, { cause: error });
}
