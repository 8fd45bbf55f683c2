import { StorageError } from "../errors.ts";
import type { AcquireOptions, Lease } from "../ports/storage.ts";

/** Leases within one process, granted in the order of requests. */
export class LeaseTable {
  readonly #holders = new Map<string, AbortController>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** As `Storage.acquire`. @throws {StorageError} `ABORTED` */
  async acquire(
    name: string,
    options: Pick<AcquireOptions, "signal" | "steal"> = {},
  ): Promise<Lease> {
    const { signal, steal } = options;
    if (signal?.aborted) throw aborted(name, signal);
    const holder = this.#holders.get(name);
    if (holder && !steal) return this.#wait(name, signal);
    holder?.abort(new StorageError("FENCED", `The lease of ${name} was taken over`));
    return this.#hold(name);
  }

  #wait(name: string, signal: AbortSignal | undefined): Promise<Lease> {
    const queue = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, queue);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        queue.delete(enter);
        signal?.removeEventListener("abort", giveUp);
      };
      const enter = (): void => {
        leave();
        resolve(this.#hold(name));
      };
      const giveUp = (): void => {
        leave();
        reject(aborted(name, signal));
      };
      queue.add(enter);
      signal?.addEventListener("abort", giveUp);
    });
  }

  #hold(name: string): Lease {
    const holder = new AbortController();
    this.#holders.set(name, holder);
    const release = async (): Promise<void> => {
      // Released before, or stolen: another holder has the name now.
      if (this.#holders.get(name) !== holder) return;
      this.#holders.delete(name);
      const [next] = this.#waiting.get(name) ?? [];
      if (next) next();
      else this.#waiting.delete(name);
    };
    return { lost: holder.signal, release, [Symbol.asyncDispose]: release };
  }
}

function aborted(name: string, signal: AbortSignal | undefined): StorageError {
  return new StorageError("ABORTED", `Gave up waiting for the lease of ${name}`, {
    cause: signal?.reason,
  });
}
