import { ConfigurationError, RobotaError, StorageError } from "../errors.ts";
import { checkStorageKey } from "../ports/storage-key.ts";
import type { AcquireOptions, Lease, LogEntry, Storage } from "../ports/storage.ts";
import { AppendQueue } from "./append-queue.ts";
import type { LeaseClaim, StorageBackend } from "./backend.ts";
import { SharedLeases } from "./shared-leases.ts";

/** Default of `leaseSeconds`: three renewals are missed before a lease can be taken. */
const LEASE_SECONDS = 10;
/** More is a mistake, and more than a timer can wait for. */
const MAX_LEASE_SECONDS = 86_400;

export interface SharedStorageOptions {
  /** Seconds for which a lease outlives a holder that has died; 10 by default. */
  leaseSeconds?: number | undefined;
}

/** A storage over a database that several processes and machines use. */
export interface SharedStorage extends Storage, AsyncDisposable {
  /** Releases the leases and closes the connection. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a `Storage` from a database's atomic operations. It orders and batches appends, waits for leases in order, renews
 * them and fences off writers that lost theirs; `storageContract` of `@robota/runtime/testing` then holds for it.
 * @throws {ConfigurationError} A time for leases that is none.
 */
export function sharedStorage(
  backend: StorageBackend,
  options: SharedStorageOptions = {},
): SharedStorage {
  const { leaseSeconds = LEASE_SECONDS } = options;
  if (!(leaseSeconds > 0 && leaseSeconds <= MAX_LEASE_SECONDS)) {
    throw new ConfigurationError(`Not valid for leaseSeconds: ${leaseSeconds}`, {
      hint: `Pass a number of seconds, at most ${MAX_LEASE_SECONDS}.`,
    });
  }
  return new BackendStorage(backend, leaseSeconds);
}

class BackendStorage implements SharedStorage {
  readonly #backend: StorageBackend;
  readonly #appends: AppendQueue;
  readonly #leases: SharedLeases;
  /** Reads that look up the end of a log: an append called later comes behind it, on whichever connection. */
  readonly #reading = new Map<string, Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(backend: StorageBackend, leaseSeconds: number) {
    this.#backend = backend;
    this.#appends = new AppendQueue(backend, async (log) => this.#reading.get(log));
    this.#leases = new SharedLeases(backend, {
      ttlMs: leaseSeconds * 1000,
      settled: (log) => this.#appends.settled(log),
    });
  }

  get(key: string): Promise<Uint8Array | undefined> {
    return this.#attempt(key, () => this.#backend.get(key));
  }

  version(key: string): Promise<string | undefined> {
    return this.#attempt(key, () => this.#backend.version(key));
  }

  set(
    key: string,
    value: Uint8Array,
    { ifMatch }: { ifMatch?: string | null } = {},
  ): Promise<string> {
    const copy = value.slice();
    return this.#attempt(key, async () => {
      const version = crypto.randomUUID();
      if (await this.#backend.set(key, copy, { version, ifMatch })) return version;
      throw new StorageError("CONFLICT", `"${key}" has another version.`);
    });
  }

  delete(key: string): Promise<void> {
    return this.#attempt(key, () => this.#backend.delete(key));
  }

  keys(prefix: string): Promise<string[]> {
    return this.#attempt(undefined, () => this.#backend.keys(prefix));
  }

  append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    return this.#attempt(log, () =>
      this.#underClaim(log, (claim) => this.#appends.append(log, entries, claim)),
    );
  }

  read(log: string, from = 1): AsyncIterable<LogEntry> {
    // The end is determined at the call; errors surface on reading.
    const end = this.#attempt(log, () => this.#backend.lastSeq(log));
    const before = this.#reading.get(log);
    const looked = Promise.allSettled([before, end]).then(() => {
      if (this.#reading.get(log) === looked) this.#reading.delete(log);
    });
    this.#reading.set(log, looked);
    return this.#pages(log, from, end);
  }

  async deleteLog(log: string): Promise<void> {
    await this.#attempt(log, () =>
      this.#underClaim(log, async (claim) => {
        await this.#appends.settled(log);
        return (await this.#backend.deleteLog(log, claim)) || undefined;
      }),
    );
  }

  acquire(name: string, options: AcquireOptions = {}): Promise<Lease> {
    return this.#attempt(name, () => {
      for (const log of options.logs ?? []) checkStorageKey(log);
      return this.#leases.acquire(name, options);
    });
  }

  dispose(): Promise<void> {
    this.#closing ??= (async () => {
      try {
        await this.#leases.close();
      } finally {
        await this.#backend.close();
      }
    })();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async *#pages(log: string, from: number, end: Promise<number>): AsyncGenerator<LogEntry> {
    const to = await end;
    for (let next = Math.max(1, from); next <= to;) {
      const entries = await this.#attempt(log, () => this.#backend.page(log, next, to));
      // Deleted meanwhile.
      if (entries.length === 0) return;
      yield* entries;
      next = (entries.at(-1)?.seq ?? to) + 1;
    }
  }

  /** Writes under the lease that protects the log at the time of the call. @throws {StorageError} `FENCED` */
  async #underClaim<Result>(
    log: string,
    write: (claim: LeaseClaim | undefined) => Promise<Result | undefined>,
  ): Promise<Result> {
    const claim = this.#leases.claimOf(log);
    const result = await write(claim);
    if (result !== undefined) return result;
    if (claim) throw this.#leases.fenced(claim);
    throw new StorageError("IO", `The store refused a write to ${log} that no lease protects`);
  }

  /** Runs `work` with a checked name, and converts errors to the port's. */
  async #attempt<Result>(name: string | undefined, work: () => Promise<Result>): Promise<Result> {
    try {
      if (name !== undefined) checkStorageKey(name);
      if (this.#closing) throw new StorageError("CLOSED", "The storage was closed.");
      return await work();
    } catch (error) {
      if (error instanceof StorageError) throw error;
      throw this.#toStorageError(error, name);
    }
  }

  #toStorageError(cause: unknown, name: string | undefined): StorageError {
    // The backend's own hints, such as how to set up its server, stay readable.
    if (cause instanceof RobotaError) {
      return new StorageError("IO", cause.message, { cause, hint: cause.hint });
    }
    const code = this.#backend.isFull(cause) ? "FULL" : "IO";
    const what = name === undefined ? "The keys" : `"${name}"`;
    return new StorageError(code, `${what} could not be read or written.`, { cause });
  }
}
