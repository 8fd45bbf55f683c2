import { lstatSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
import { StorageError, type Lease } from "@robota/runtime";
import { unlessMissing } from "../files/at-once.ts";
import { KeyedQueue } from "../files/keyed-queue.ts";
import { FileWatch } from "./file-watch.ts";
import { createMark, fateOf, type Holder } from "./holder.ts";
import { exclusively, readMark } from "./mutex.ts";
import { attempt } from "./storage-error.ts";

const LOOK_AGAIN_MS = 100;
/** A look that has begun when the waiting ends may take this long, and no longer: somebody else's may be stuck before it. */
const LAST_LOOK_MS = 1_000;

/**
 * Exclusive ownership by lock files. Like the lock of a mutex, a lock file is a symlink that names its holder; every
 * change of it is made inside a mutex, so that a release, a theft and the removal of a dead holder's lock can't meet.
 * The lock of a holder on another machine or in another container stays until it is released or stolen.
 */
export class Leases {
  readonly #self: () => Promise<Holder>;
  readonly #watch = new FileWatch();
  /** Those of this process that wait for the same file stand in line, and only the first of them looks. */
  readonly #lines = new KeyedQueue();
  readonly #held = new Set<Lease>();
  /** By lock file: the holder's mark that was taken last, until it is released. */
  readonly #marks = new Map<string, Taken>();
  readonly #closing = new AbortController();

  constructor(self: () => Promise<Holder>) {
    this.#self = self;
  }

  /** @throws {StorageError} `ABORTED`; `CLOSED` when `close` was called meanwhile */
  async acquire(
    file: string,
    options: { signal?: AbortSignal | undefined; steal?: boolean | undefined },
  ): Promise<Lease> {
    const { signal, steal = false } = options;
    const stop = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const turn = { isLooking: false };
    let isGivenUp = false;
    const giveUp = (): void => {
      isGivenUp = true;
      reject(this.#stopped(file));
    };
    // Time may be up before the first look has ended, when the disk or the machine is busy: it says nothing of the holder then.
    let lastLook: ReturnType<typeof setTimeout> | undefined;
    const onAbort = (): void => {
      if (!turn.isLooking || this.#closing.signal.aborted) giveUp();
      else lastLook = setTimeout(giveUp, LAST_LOOK_MS);
    };
    const take = async (): Promise<void> => {
      const mark = steal ? await this.#take(file, true) : await this.#wait(file, stop, turn);
      if (mark === undefined) giveUp();
      else if (isGivenUp || this.#closing.signal.aborted) await this.#free(file, mark);
      else resolve(this.#hold(file, mark));
    };

    if (stop.aborted) throw this.#stopped(file);
    stop.addEventListener("abort", onAbort);
    // Whoever stops waiting is told at once, wherever it stands in the line.
    const taking = steal ? take() : this.#lines.run(file, take);
    taking.catch(reject).finally(() => {
      clearTimeout(lastLook);
      stop.removeEventListener("abort", onAbort);
    });
    return promise;
  }

  /**
   * To be called inside the mutex of a write to what the lease protects, which the holder may not know yet to have lost.
   * @throws {StorageError} `FENCED` when it was held here and somebody else has taken it since
   */
  check(file: string): void {
    const taken = this.#marks.get(file);
    if (!taken || readMark(file) === taken.mark) return;
    taken.lose();
    throw fenced(file);
  }

  /** Releases what is held and ends every wait. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(Array.from(this.#held, (lease) => lease.release()));
    await this.#lines.idle();
  }

  /** Resolves to nothing when `stop` aborted first. */
  async #wait(
    file: string,
    stop: AbortSignal,
    turn: { isLooking: boolean },
  ): Promise<string | undefined> {
    let lookAgain = (): void => {};
    const wake = (): void => lookAgain();
    const stopWatching = this.#watch.add(file, wake);
    stop.addEventListener("abort", wake);
    try {
      while (!stop.aborted) {
        const changed = new Promise<void>((resolve) => (lookAgain = resolve));
        turn.isLooking = true;
        const mark = await this.#take(file, false);
        turn.isLooking = false;
        if (mark !== undefined) return mark;
        if (stop.aborted) return undefined;
        const timer = setTimeout(wake, LOOK_AGAIN_MS);
        await changed;
        clearTimeout(timer);
      }
      return undefined;
    } finally {
      stop.removeEventListener("abort", wake);
      stopWatching();
    }
  }

  /** Puts a new mark into the lock file when it is free, abandoned or to be stolen. */
  async #take(file: string, steal: boolean): Promise<string | undefined> {
    const self = await this.#self();
    return exclusively(`${file}~lock`, self, async () => {
      const current = readMark(file);
      const isFree = current === undefined || steal || (await fateOf(current, self)) === "dead";
      if (!isFree) return undefined;
      const mark = createMark(self);
      const next = `${file}~new`;
      // Left by one that was killed.
      if (lstatSync(next, { throwIfNoEntry: false })) unlinkSync(next);
      symlinkSync(mark, next);
      renameSync(next, file);
      return mark;
    });
  }

  async #free(file: string, mark: string): Promise<void> {
    await exclusively(`${file}~lock`, await this.#self(), async () => {
      if (readMark(file) === mark) unlessMissing(() => unlinkSync(file));
    });
  }

  #stopped(file: string): StorageError {
    return this.#closing.signal.aborted
      ? new StorageError("CLOSED", "the storage was closed")
      : new StorageError("ABORTED", `stopped waiting for ${file}`);
  }

  #hold(file: string, mark: string): Lease {
    const loss = new AbortController();
    let released: Promise<void> | undefined;
    const lose = (): void => {
      stopWatching();
      this.#held.delete(lease);
      loss.abort(fenced(file));
    };
    const look = (): void => {
      try {
        if (readMark(file) !== mark && !released) lose();
      } catch {
        // That says nothing about the holder, and the next look comes soon.
      }
    };
    const stopWatching = this.#watch.add(file, look);
    const release = (): Promise<void> => {
      stopWatching();
      this.#held.delete(lease);
      if (this.#marks.get(file)?.mark === mark) this.#marks.delete(file);
      return (released ??= attempt(file, () => this.#free(file, mark)));
    };
    const lease: Lease = { lost: loss.signal, release, [Symbol.asyncDispose]: release };
    this.#held.add(lease);
    this.#marks.set(file, { mark, lose });
    return lease;
  }
}

interface Taken {
  mark: string;
  lose: () => void;
}

function fenced(file: string): StorageError {
  return new StorageError("FENCED", `${file} was taken over by another holder`, {
    hint: "Close this view of it, or take it back.",
  });
}
