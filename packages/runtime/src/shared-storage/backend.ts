import type { LogEntry } from "../ports/storage.ts";

/** One acquisition of a lease. */
export interface LeaseClaim {
  name: string;
  /** Unique to the acquisition. */
  token: string;
}

export interface LeaseTerms {
  /** Milliseconds from now, by the store's clock, after which others may take the lease unless it is renewed. */
  ttlMs: number;
  /** Takes the lease from its holder. */
  steal: boolean;
}

export interface ValueWrite {
  /** The version of the value from now on. */
  version: string;
  /** Writes only over this version; `null`: only when there is no value. Without it, always. */
  ifMatch?: string | null | undefined;
}

/**
 * A database that several processes use, seen as the atomic operations that `sharedStorage` builds a `Storage` from. Names
 * have been checked and bytes are nobody else's. Every promise that resolves has made its effect durable, and one that
 * rejects has changed nothing or is reported as a failure of the store.
 */
export interface StorageBackend {
  get(key: string): Promise<Uint8Array | undefined>;
  version(key: string): Promise<string | undefined>;
  /** Resolves to false, and writes nothing, when `ifMatch` is not the current version. */
  set(key: string, value: Uint8Array, write: ValueWrite): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Keys that start with `prefix`, sorted by code units. */
  keys(prefix: string): Promise<string[]>;
  /**
   * Appends all entries and resolves to the number of the last one. With a `claim`, only while the lease of its name still
   * has that token, which is checked in the same atomic step; resolves to `undefined` when it has another or none.
   */
  append(
    log: string,
    entries: readonly Uint8Array[],
    claim?: LeaseClaim,
  ): Promise<number | undefined>;
  /** Resolves to false, and deletes nothing, when the lease no longer has the token of `claim`. */
  deleteLog(log: string, claim?: LeaseClaim): Promise<boolean>;
  /** The number of the last entry; 0 for a missing log. */
  lastSeq(log: string): Promise<number>;
  /** Entries from `from` to at most `to`, in order: the first one and as many more as the backend reads at once. */
  page(log: string, from: number, to: number): Promise<LogEntry[]>;
  /**
   * Gives the lease to the claim when nobody has it, when its term has ended, or when it is stolen. Resolves to whether
   * the claim has it. When it does, all appends under earlier tokens are stored or refused.
   */
  take(claim: LeaseClaim, terms: LeaseTerms): Promise<boolean>;
  /** Extends the terms of leases that still have their tokens, and resolves to those. */
  renew(claims: readonly LeaseClaim[], ttlMs: number): Promise<LeaseClaim[]>;
  /** Gives the lease up if it still has the token. */
  free(claim: LeaseClaim): Promise<void>;
  /**
   * Calls `listener` with the name of a lease soon after anybody has taken or freed it. Best effort: losses and free
   * leases are also found by asking. Resolves to the way to stop.
   */
  watch(listener: (name: string) => void): Promise<() => Promise<void>>;
  /** True for an error that says the store has no room left. */
  isFull(error: unknown): boolean;
  close(): Promise<void>;
}
