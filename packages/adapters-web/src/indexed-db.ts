import { promisifyRequest } from "idb-keyval";

/** How far a write goes before it counts as done: into the operating system (`relaxed`) or onto the disk (`strict`). */
export type Durability = "relaxed" | "strict";

export interface DatabaseOptions {
  /** Creates the object stores of a new database. */
  create(database: IDBDatabase): void;
  /** Called when the browser closed the connection, or when somebody deletes the database. */
  onLost?(): void;
}

/** One IndexedDB database: opened at first use, and again after the browser closed it. */
export class Database {
  readonly name: string;
  readonly #options: DatabaseOptions;
  #connection: Promise<IDBDatabase> | undefined;
  #isNew = false;

  constructor(name: string, options: DatabaseOptions) {
    this.name = name;
    this.#options = options;
  }

  /** Whether this object created the database: there was none of that name before. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Runs `work` in one readonly transaction, which sees one moment of all `stores`. */
  async read<T>(stores: string[], work: (transaction: IDBTransaction) => Promise<T>): Promise<T> {
    const database = await this.#connect();
    return work(database.transaction(stores, "readonly"));
  }

  /**
   * Runs `work` in one readwrite transaction and resolves when all of it is stored. When it rejects, nothing of it is.
   * `work` starts in the same step that creates the transaction, so a transaction created after it sees its effect.
   */
  async write<T>(
    stores: string[],
    durability: Durability,
    work: (transaction: IDBTransaction) => T | PromiseLike<T>,
  ): Promise<T> {
    const database = await this.#connect();
    const transaction = database.transaction(stores, "readwrite", { durability });
    const stored = completion(transaction);
    try {
      const [value] = await Promise.all([runNow(() => work(transaction)), stored]);
      return value;
    } catch (error) {
      // idb-keyval rejects with null when a request failed: the transaction then ends by itself and knows why.
      if (error === null) await stored;
      abort(transaction);
      throw transaction.error ?? error;
    }
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

  /** Closes the connection once its running transactions have ended. A later call opens it again. */
  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    (await connection)?.close();
  }

  #connect(): Promise<IDBDatabase> {
    this.#connection ??= this.#open().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #open(): Promise<IDBDatabase> {
    const request = indexedDB.open(this.name, 1);
    request.onupgradeneeded = () => {
      this.#isNew = true;
      this.#options.create(request.result);
    };
    const database = await promisifyRequest(request);
    database.onclose = () => this.#lose();
    // A database that is to be deleted, by a person or by another tab, waits for its connections to close.
    database.onversionchange = () => {
      database.close();
      this.#lose();
    };
    return database;
  }

  #lose(): void {
    this.#connection = undefined;
    this.#options.onLost?.();
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

async function runNow<T>(work: () => T | PromiseLike<T>): Promise<T> {
  return work();
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended by itself: there is nothing left to abort.
  }
}
