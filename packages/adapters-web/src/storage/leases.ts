import { type Lease, StorageError } from "@robota/runtime";
import { type AcquireOptions } from "@robota/runtime/ports";
import { type HeldLock, holdLock } from "../web-lock.ts";

/** A lease that can be lost before the browser reports it. */
export interface TabLease extends Lease {
  /** Aborts `lost`. */
  lose(): void;
}

/** Leases as Web Locks: the browser grants them in order, and frees those of a tab that dies. */
export class WebLockLeases {
  readonly #prefix: string;
  readonly #held = new Set<HeldLock>();
  readonly #closing = new AbortController();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  async acquire(
    name: string,
    options: Pick<AcquireOptions, "signal" | "steal"> = {},
  ): Promise<TabLease> {
    const { steal = false } = options;
    const signals = [this.#closing.signal, ...(options.signal ? [options.signal] : [])];
    const signal = AbortSignal.any(signals);
    if (signal.aborted) throw this.#gaveUp(name, signal);
    // The Locks API allows no signal with `steal`, which never waits.
    const lock = await holdLock(this.#prefix + name, steal ? { steal } : { signal }).catch(
      (error: unknown) => {
        throw signal.aborted ? this.#gaveUp(name, signal) : error;
      },
    );
    if (!lock || this.#closing.signal.aborted) {
      lock?.release();
      throw this.#gaveUp(name, signal);
    }
    return this.#lease(name, lock);
  }

  /** Releases everything and rejects waiters. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const lock of this.#held) lock.release();
    await Promise.all([...this.#held].map((lock) => lock.ended));
  }

  #lease(name: string, lock: HeldLock): TabLease {
    this.#held.add(lock);
    const lost = new AbortController();
    const lose = (): void =>
      lost.abort(new StorageError("FENCED", `The lease of ${name} was taken over`));
    const ended = lock.ended.then(({ stolen }) => {
      this.#held.delete(lock);
      if (stolen) lose();
    });
    const release = (): Promise<void> => {
      lock.release();
      return ended;
    };
    return { lost: lost.signal, lose, release, [Symbol.asyncDispose]: release };
  }

  #gaveUp(name: string, { reason }: AbortSignal): StorageError {
    return this.#closing.signal.aborted
      ? new StorageError("CLOSED", `The storage was closed before ${name} was free`)
      : new StorageError("ABORTED", `Gave up waiting for the lease of ${name}`, { cause: reason });
  }
}
