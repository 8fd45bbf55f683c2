import { StorageError } from "../errors.ts";
import type { AcquireOptions, Lease } from "../ports/storage.ts";
import type { LeaseClaim, StorageBackend } from "./backend.ts";

/** Milliseconds between two attempts at a lease that somebody holds, where no notification arrives. */
const POLL_MS = 250;

interface Held {
  claim: LeaseClaim;
  logs: readonly string[];
  lost: AbortController;
}

export interface LeaseOptions {
  /** Milliseconds for which a lease outlives a holder that has died. */
  ttlMs: number;
  /** Resolves when all appends to a log that were called before are settled. */
  settled: (log: string) => Promise<void>;
}

/** The leases of one storage over a backend: waiting for them in order, renewing them, and noticing their loss. */
export class SharedLeases {
  readonly #backend: StorageBackend;
  readonly #options: LeaseOptions;
  /** Held leases by token. */
  readonly #held = new Map<string, Held>();
  /** The last lease acquired here that protects a log, by log, until it is released. */
  readonly #protecting = new Map<string, Held>();
  /** The last in line for each name, so that callers of this storage are served in order. */
  readonly #line = new Map<string, Promise<unknown>>();
  readonly #changes = new EventTarget();
  readonly #closing = new AbortController();
  #renewing: ReturnType<typeof setInterval> | undefined;
  #watching: Promise<() => Promise<void>> | undefined;

  constructor(backend: StorageBackend, options: LeaseOptions) {
    this.#backend = backend;
    this.#options = options;
  }

  /** As `Storage.acquire`, for names that have been checked. */
  async acquire(name: string, options: AcquireOptions): Promise<Lease> {
    const signal = AbortSignal.any([
      this.#closing.signal,
      ...(options.signal ? [options.signal] : []),
    ]);
    if (signal.aborted) throw this.#gaveUp(name, signal);
    this.#start();
    const logs = [name, ...(options.logs ?? [])];
    const claim = { name, token: crypto.randomUUID() };
    if (options.steal) {
      await this.#take(claim, true);
      for (const held of this.#held.values()) if (held.claim.name === name) this.#lose(held);
    } else {
      await this.#inLine(name, signal, () => this.#waitFor(claim, signal));
    }
    if (signal.aborted) {
      await this.#backend.free(claim);
      throw this.#gaveUp(name, signal);
    }
    return this.#hold({ claim, logs, lost: new AbortController() });
  }

  /** The claim under which this storage writes to a log, when it holds a lease that protects it. */
  claimOf(log: string): LeaseClaim | undefined {
    return this.#protecting.get(log)?.claim;
  }

  /** The error of a write under a claim that another holder has taken; its lease is lost. */
  fenced(claim: LeaseClaim): StorageError {
    const held = this.#held.get(claim.token);
    if (held) this.#lose(held);
    return takenOver(claim.name);
  }

  /** Releases everything and rejects those who wait. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#renewing);
    const released = [...this.#held.values()].map((held) => this.#release(held));
    await Promise.allSettled(released);
    await (
      await this.#watching?.catch(() => undefined)
    )?.();
    // A lease that could not be freed ends by itself, but its owner should know.
    await Promise.all(released);
  }

  #hold(held: Held): Lease {
    this.#held.set(held.claim.token, held);
    for (const log of held.logs) this.#protecting.set(log, held);
    const release = (): Promise<void> => this.#release(held);
    return { lost: held.lost.signal, release, [Symbol.asyncDispose]: release };
  }

  async #release(held: Held): Promise<void> {
    const { claim, logs } = held;
    for (const log of logs) {
      if (this.#protecting.get(log) === held) this.#protecting.delete(log);
    }
    await Promise.all(logs.map((log) => this.#options.settled(log)));
    // Released before, or lost to another holder.
    if (!this.#held.delete(claim.token)) return;
    await this.#backend.free(claim);
    this.#notice(claim.name);
  }

  /** The log stays fenced off until the former holder releases, as it may not know yet. */
  #lose(held: Held): void {
    if (!this.#held.delete(held.claim.token)) return;
    held.lost.abort(takenOver(held.claim.name));
  }

  /** Does `work` after those who came before have had the name or have given up. */
  async #inLine(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const before = this.#line.get(name);
    const turn = (async () => {
      await before;
      await work();
    })();
    const settled = turn.catch(() => undefined);
    this.#line.set(name, settled);
    void settled.then(() => {
      if (this.#line.get(name) === settled) this.#line.delete(name);
    });
    // One who gives up need not wait for those before.
    const { promise: gaveUp, reject } = Promise.withResolvers<never>();
    const giveUp = (): void => reject(this.#gaveUp(name, signal));
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await Promise.race([turn, gaveUp]);
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  async #waitFor(claim: LeaseClaim, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Listening begins before asking, so that a release in between is not missed.
      const change = this.#nextChange(claim.name, signal);
      if (await this.#take(claim, false)) {
        // Nobody waits for it any more.
        if (signal.aborted) await this.#backend.free(claim);
        return;
      }
      await change;
    }
  }

  #take(claim: LeaseClaim, steal: boolean): Promise<boolean> {
    return this.#backend.take(claim, { ttlMs: this.#options.ttlMs, steal });
  }

  #nextChange(name: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#changes.removeEventListener(name, done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, POLL_MS);
      this.#changes.addEventListener(name, done);
      signal.addEventListener("abort", done);
    });
  }

  #notice(name: string): void {
    this.#changes.dispatchEvent(new Event(name));
    const held = [...this.#held.values()].filter(({ claim }) => claim.name === name);
    if (held.length > 0) void this.#renew(held);
  }

  #start(): void {
    this.#watching ??= this.#backend.watch((name) => this.#notice(name));
    // A store that can't notify is asked instead; it may be able to later.
    this.#watching.catch(() => (this.#watching = undefined));
    if (this.#renewing !== undefined) return;
    this.#renewing = setInterval(
      () => void this.#renew([...this.#held.values()]),
      this.#options.ttlMs / 3,
    );
    // A lease by itself keeps no process alive.
    if (typeof this.#renewing === "object" && "unref" in this.#renewing) {
      (this.#renewing as { unref(): void }).unref();
    }
  }

  async #renew(held: readonly Held[]): Promise<void> {
    if (held.length === 0) return;
    try {
      const claims = held.map(({ claim }) => claim);
      const kept = await this.#backend.renew(claims, this.#options.ttlMs);
      const tokens = new Set(kept.map(({ token }) => token));
      for (const each of held) if (!tokens.has(each.claim.token)) this.#lose(each);
    } catch {
      // The store can't be reached: the next attempt, or a refused write, will tell who holds the lease.
    }
  }

  #gaveUp(name: string, signal: AbortSignal): StorageError {
    return this.#closing.signal.aborted
      ? new StorageError("CLOSED", `The storage was closed before ${name} was free`)
      : new StorageError("ABORTED", `Gave up waiting for the lease of ${name}`, {
          cause: signal.reason,
        });
  }
}

function takenOver(name: string): StorageError {
  return new StorageError("FENCED", `The lease of ${name} was taken over`);
}
