import { promisifyRequest } from "idb-keyval";
import { InFlight } from "./in-flight.ts";

/** How far a write goes before it counts as done: into the operating system (`relaxed`) or onto the disk (`strict`). */
export type Durability = "relaxed" | "strict";

export interface DatabaseOptions {
  /** 1 unless told. */
  version?: number | undefined;
  /**
   * The object store that every write includes, so that they are stored one after the other, those of other tabs too.
   * When Chromium dies while two transactions write to one database, the next start deletes all databases of the site:
   * it undoes both, asks for both of their locks, and takes what they share for damage ("Invalid locks on disk").
   */
  lockStore: string;
  /** Makes the object stores of a new database, or of one of an older version, in the transaction that does so. */
  create(database: IDBDatabase, upgrade: { oldVersion: number; transaction: IDBTransaction }): void;
  /** Called when the browser closed the connection, or when somebody deletes the database. */
  onLost?(): void;
}

/** Before this page writes for the first time: one log is that of all databases of the site. */
let newLog: Promise<void> | undefined;

/** One IndexedDB database: opened at first use, and again after the browser closed it. */
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
      // Nobody waits for it when `work` throws at once.
      stored.catch(() => undefined);
      try {
        const [value] = await Promise.all([work(transaction), stored]);
        return value;
      } catch (error) {
        // idb-keyval rejects with null when a request failed: the transaction then ends by itself and knows why.
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

  /** Waits for what is under way and closes the connection for good. */
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
    // A database that is to be deleted, by a person or by another tab, waits for its connections to close.
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
    // One that failed to open has told whoever asked for it.
    connection?.then(
      (database) => database.close(),
      () => undefined,
    );
  }
}

/**
 * Makes the browser begin a new log for the databases of this site, by making and deleting one of the given name.
 *
 * Chromium keeps them in one LevelDB. When the browser dies while it writes to the log, the last record is cut, which
 * does no harm by itself. But the next start goes on behind it, and the start after that takes the log for corrupt and
 * deletes all databases of the site (google/leveldb#1287). Behind a new log nothing is cut.
 */
async function startNewLog(name: string): Promise<void> {
  try {
    (await promisifyRequest(indexedDB.open(name))).close();
    await promisifyRequest(indexedDB.deleteDatabase(name));
  } catch {
    // No room, or no databases at all: the write that follows tells it better.
  }
}

/** Whether there is no more room, by whatever name this browser says it. */
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

/** By listeners, not by `oncomplete`: idb-keyval sets those of the transactions it is given. */
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
    // It has ended by itself: there is nothing left to abort.
  }
}
