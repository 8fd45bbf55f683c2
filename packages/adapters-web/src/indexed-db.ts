import { promisifyRequest } from "idb-keyval";
import { InFlight } from "./in-flight.ts";

/** Durability of a write: handed to the operating system (`relaxed`) or flushed to disk (`strict`). */
export type Durability = "relaxed" | "strict";

export interface DatabaseOptions {
  /** 1 by default. */
  version?: number | undefined;
  /**
   * An object store included in every write, which serialises writes, including those of other tabs. When Chromium dies
   * while two transactions write to one database, the next start deletes all databases of the site: it undoes both,
   * requests both of their locks, and mistakes the shared ones for damage ("Invalid locks on disk").
   */
  lockStore: string;
  /** Makes the object stores of a new database, or of one of an older version, in the transaction that does so. */
  create(database: IDBDatabase, upgrade: { oldVersion: number; transaction: IDBTransaction }): void;
  /** Called when the browser closed the connection, or when somebody deletes the database. */
  onLost?(): void;
}

/** Pending before this page's first write: all databases of a site share one log. */
let newLog: Promise<void> | undefined;

/** One IndexedDB database: opened at first use, and reopened after the browser closed it. */
export class Database {
  readonly name: string;
  readonly #options: DatabaseOptions;
  readonly #uses = new InFlight();
  #connection: Promise<IDBDatabase> | undefined;
  #isClosed = false;

  constructor(name: string, options: DatabaseOptions) {
    this.name = name;
    this.#options = options;
  }

  /** Runs `work` in one readonly transaction, which sees one moment of all `stores`. */
  read<T>(stores: string[], work: (transaction: IDBTransaction) => Promise<T>): Promise<T> {
    return this.#use(async () => {
      const database = await this.#connect();
      return work(database.transaction(stores, "readonly"));
    });
  }

  /**
   * Runs `work` in one readwrite transaction and resolves when all of it is stored. When it rejects, nothing of it is.
   * Writes to one database wait for each other.
   * `work` starts in the same step that creates the transaction, so a transaction created after it sees its effect. When
   * `stores` is a function, it is called in that step too.
   */
  write<T>(
    stores: string[] | (() => string[]),
    durability: Durability,
    work: (transaction: IDBTransaction) => T | PromiseLike<T>,
  ): Promise<T> {
    return this.#use(async () => {
      newLog ??= startNewLog(`${this.name}:log`);
      await newLog;
      const database = await this.#connect();
      const names = typeof stores === "function" ? stores() : stores;
      const { lockStore } = this.#options;
      const locked = names.includes(lockStore) ? names : [lockStore, ...names];
      const transaction = database.transaction(locked, "readwrite", { durability });
      const stored = completion(transaction);
      // Not awaited when `work` throws synchronously.
      stored.catch(() => undefined);
      try {
        const [value] = await Promise.all([work(transaction), stored]);
        return value;
      } catch (error) {
        // idb-keyval rejects with null for a failed request: the transaction then ends by itself with the reason.
        if (error === null) await stored;
        abort(transaction);
        throw transaction.error ?? error;
      }
    });
  }

  /** Runs `attempt` a second time when the connection turned out to be closed; of the first nothing was stored. */
  async retrying<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (!isLostConnection(error)) throw error;
      this.#lose();
      return attempt();
    }
  }

  /** Waits for pending work and closes the connection for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#uses.ended();
    this.#disconnect();
  }

  async #use<T>(use: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new DOMException(`${this.name} is closed`, "InvalidStateError");
    return this.#uses.track(use());
  }

  #connect(): Promise<IDBDatabase> {
    this.#connection ??= this.#open().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #open(): Promise<IDBDatabase> {
    const request = indexedDB.open(this.name, this.#options.version ?? 1);
    request.onupgradeneeded = ({ oldVersion }) => {
      const { result, transaction } = request;
      if (transaction) this.#options.create(result, { oldVersion, transaction });
    };
    const database = await promisifyRequest(request);
    database.onclose = () => this.#lose();
    // Deleting a database, by a person or another tab, waits for its connections to close.
    database.onversionchange = () => this.#lose();
    return database;
  }

  #lose(): void {
    this.#disconnect();
    this.#options.onLost?.();
  }

  #disconnect(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    // A failed opening has been reported to its callers.
    connection?.then(
      (database) => database.close(),
      () => undefined,
    );
  }
}

/**
 * Makes the browser start a new log for the databases of this site, by creating and deleting a database with the given
 * name.
 *
 * Chromium keeps them in one LevelDB. When the browser dies while it writes to the log, the last record is torn, which
 * is harmless by itself. But the next start appends after it, and the start after that considers the log corrupt and
 * deletes all databases of the site (google/leveldb#1287). A new log has no torn record.
 */
async function startNewLog(name: string): Promise<void> {
  try {
    (await promisifyRequest(indexedDB.open(name))).close();
    await promisifyRequest(indexedDB.deleteDatabase(name));
  } catch {
    // No space, or no databases at all: the following write reports it better.
  }
}

/** Reports whether the quota is exceeded, under any browser's name for it. */
export function isQuotaError(error: unknown): boolean {
  return error instanceof DOMException && error.name === "QuotaExceededError";
}

/** `InvalidStateError` when a transaction is started on a closing connection, `AbortError` when it is cut by one. */
function isLostConnection(error: unknown): boolean {
  return (
    error instanceof DOMException &&
    (error.name === "InvalidStateError" || error.name === "AbortError")
  );
}

/** Uses listeners, not `oncomplete`: idb-keyval sets those of the transactions it gets. */
function completion(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () =>
      reject(transaction.error ?? new DOMException("The transaction was aborted", "AbortError")),
    );
  });
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // Already ended: there is nothing to abort.
  }
}
