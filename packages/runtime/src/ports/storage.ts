/** Exclusive ownership of a name over tabs, processes and isolates, until released or lost. */
export interface Lease extends AsyncDisposable {
  /** Aborts when another holder stole the lease; its owner must stop writing at once. */
  readonly lost: AbortSignal;
  /** Waits for this object's pending appends to the logs that the lease protects. Safe to call twice. */
  release(): Promise<void>;
}

export interface AcquireOptions {
  signal?: AbortSignal | undefined;
  /** Takes the lease from its holder. */
  steal?: boolean | undefined;
  /** Logs that the lease protects beside the one of its name. Every holder of one lease names the same. */
  logs?: readonly string[] | undefined;
}

/** An entry of an append-only log. */
export interface LogEntry {
  /** Sequence number from 1, without gaps. */
  seq: number;
  value: Uint8Array;
}

/**
 * Small values with compare-and-set, append-only logs and leases: sessions, settings and history are built from these.
 *
 * Keys and log names are non-empty, at most 512 characters, of segments separated by `/`, each matching
 * `[A-Za-z0-9_.-]{1,128}` and not `.` or `..`. A promise that resolves has made its effect durable. Every method
 * rejects with a `StorageError` and nothing else; `storageContract` in `testing/` is the executable form.
 */
export interface Storage {
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Resolves to the new version. With `ifMatch`, writes only when the current version is that one (`null`: when there is
   * no value yet).
   * @throws {StorageError} `CONFLICT`, `FULL`, `INVALID_KEY`
   */
  set(key: string, value: Uint8Array, options?: { ifMatch?: string | null }): Promise<string>;
  /** An opaque text that differs after every `set`; `undefined` when there is no value. */
  version(key: string): Promise<string | undefined>;
  /** Silent when nothing is there. */
  delete(key: string): Promise<void>;
  /** Keys of values (not logs) that start with `prefix`, sorted by code units. */
  keys(prefix: string): Promise<string[]>;
  /**
   * Appends all entries or none and resolves to the sequence number of the last one. Appends of one caller keep their
   * order. An empty list appends nothing and resolves to the current last number.
   * @throws {StorageError} `FULL`, `IO`; `FENCED` when this object held the lease that protects the log, had not released it
   *   at the time of the call, and another holder has taken it, which is looked up together with the writing
   */
  append(log: string, entries: readonly Uint8Array[]): Promise<number>;
  /** Reads from `from` (default 1) to the last entry at the time of the call; a missing log is empty. */
  read(log: string, from?: number): AsyncIterable<LogEntry>;
  /** Silent when nothing is there. @throws {StorageError} `FENCED` as `append` */
  deleteLog(log: string): Promise<void>;
  /**
   * Waits until the name is free. With `steal`, takes it at once, and the former holder's `lost` aborts. The lease
   * protects the log of its name and those in `logs`: when this resolves, every append acknowledged to a former holder
   * can be read, and nothing more of it is stored.
   * @throws {StorageError} `ABORTED` when `signal` aborts while waiting; `IO` when a former holder is stopped in the
   * middle of a write
   */
  acquire(name: string, options?: AcquireOptions): Promise<Lease>;
}
