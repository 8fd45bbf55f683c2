import type { LeaseClaim, StorageBackend } from "./backend.ts";

/** Bytes that one request to the backend carries at most, unless a single append is larger. */
const MAX_BATCH_BYTES = 4_000_000;

interface Append {
  entries: readonly Uint8Array[];
  bytes: number;
  claim: LeaseClaim | undefined;
  resolve: (last: number | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Appends to each log in the order of their calls. Those that arrive while a request is under way share the next one, so
 * that the rate of a log is not bounded by the round trips of single events.
 */
export class AppendQueue {
  readonly #backend: Pick<StorageBackend, "append">;
  /** Resolves when what has to come before the next appends to a log is done. */
  readonly #ready: (log: string) => Promise<unknown>;
  readonly #waiting = new Map<string, Append[]>();
  readonly #working = new Map<string, Promise<void>>();

  constructor(backend: Pick<StorageBackend, "append">, ready: (log: string) => Promise<unknown>) {
    this.#backend = backend;
    this.#ready = ready;
  }

  /** Resolves to the number of the last entry, or to `undefined` when the lease no longer has the token of `claim`. */
  append(
    log: string,
    entries: readonly Uint8Array[],
    claim: LeaseClaim | undefined,
  ): Promise<number | undefined> {
    // Copied before anything is awaited: callers may use their buffers again.
    const copies = entries.map((entry) => entry.slice());
    const bytes = copies.reduce((sum, copy) => sum + copy.length, 0);
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const waiting = this.#waiting.get(log) ?? [];
    waiting.push({ entries: copies, bytes, claim, resolve, reject });
    this.#waiting.set(log, waiting);
    if (!this.#working.has(log)) this.#working.set(log, this.#work(log, waiting));
    return promise;
  }

  /** Resolves when all appends to the log that were called before are settled. */
  async settled(log: string): Promise<void> {
    await this.#working.get(log);
  }

  async #work(log: string, waiting: Append[]): Promise<void> {
    while (waiting.length > 0) {
      // Appends of the same tick share a request, too.
      await this.#ready(log);
      await this.#send(log, waiting.splice(0, batchLength(waiting)));
    }
    this.#working.delete(log);
    this.#waiting.delete(log);
  }

  async #send(log: string, batch: readonly Append[]): Promise<void> {
    const entries = batch.flatMap((append) => append.entries);
    try {
      const last = await this.#backend.append(log, entries, batch[0]?.claim);
      let number = last === undefined ? undefined : last - entries.length;
      for (const append of batch) {
        if (number !== undefined) number += append.entries.length;
        append.resolve(number);
      }
    } catch (error) {
      for (const append of batch) append.reject(error);
    }
  }
}

/** The number of appends from the first on that one request can carry: under one claim, and not too large. */
function batchLength(waiting: readonly Append[]): number {
  const token = waiting[0]?.claim?.token;
  let bytes = 0;
  for (const [index, append] of waiting.entries()) {
    bytes += append.bytes;
    const isOther = append.claim?.token !== token;
    if (index > 0 && (isOther || bytes > MAX_BATCH_BYTES)) return index;
  }
  return waiting.length;
}
