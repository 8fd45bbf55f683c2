import { lstatSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
import { StorageError, type Lease } from "@robota/runtime";
import { unlessMissing } from "../files/at-once.ts";
import { KeyedQueue } from "../files/keyed-queue.ts";
import { FileWatch } from "./file-watch.ts";
import { createMark, fateOf, type Holder, letGo } from "./holder.ts";
import type { LogFile } from "./log-file.ts";
import { type Marks, readMark } from "./marks.ts";
import { exclusively } from "./mutex.ts";
import { attempt } from "./storage-error.ts";

const LOOK_AGAIN_MS = 100;
/** Time limit for a last check when the waiting ends: it may queue behind a stuck holder. */
const LAST_LOOK_MS = 1_000;

export interface TakeOptions {
  signal?: AbortSignal | undefined;
  steal?: boolean | undefined;
  /** The logs that the lease protects. */
  logs: readonly LogFile[];
}

/**
 * Exclusive ownership by lock files. Like the lock of a mutex, a lock file is a symlink that names its holder. Creating
 * it is exclusive by itself; every change of it is made inside a mutex, so that a release, a theft and the removal of a
 * dead holder's lock can't meet. The lock of a holder on another machine or in another container stays until it is
 * released or stolen.
 */
export class LockFileLeases {
  readonly #marks: () => Promise<Marks>;
  readonly #watch = new FileWatch();
  /** Waiters of this process for the same file form a queue, and only the first polls. */
  readonly #lines = new KeyedQueue();
  readonly #held = new Set<Lease>();
  /** The last lease acquired here that protects a log, by log, until it is released. */
  readonly #protecting = new Map<LogFile, Taken>();
  readonly #closing = new AbortController();

  constructor(marks: () => Promise<Marks>) {
    this.#marks = marks;
  }

  /** @throws {StorageError} `ABORTED`; `CLOSED` when `close` was called meanwhile */
  async acquire(file: string, options: TakeOptions): Promise<Lease> {
    const { signal, steal = false, logs } = options;
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
      const mark = steal
        ? await this.#steal(file, logs)
        : await this.#wait(file, { stop, turn, logs });
      if (mark === undefined) giveUp();
      else if (isGivenUp || this.#closing.signal.aborted) await this.#free(file, mark);
      else resolve(this.#hold(file, mark, logs));
    };

    if (stop.aborted) throw this.#stopped(file);
    stop.addEventListener("abort", onAbort);
    // An aborted waiter is notified at once, wherever it is in the queue.
    const taking = steal ? take() : this.#lines.run(file, take);
    taking.catch(reject).finally(() => {
      clearTimeout(lastLook);
      stop.removeEventListener("abort", onAbort);
    });
    return promise;
  }

  /**
   * Returns the check for a write to `log`, to be called inside the log's lock: before the write, and again before it
   * is acknowledged. Throws a `StorageError` `FENCED` when the lease was held here at the time of this call and has
   * another holder since, which the former holder may not know yet.
   */
  guardOf(log: LogFile): () => void {
    const taken = this.#protecting.get(log);
    return () => {
      if (!taken || readMark(taken.file) === taken.mark) return;
      taken.lose();
      throw fenced(taken.file);
    };
  }

  /** Releases held leases and ends every wait. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(Array.from(this.#held, (lease) => lease.release()));
    await this.#lines.idle();
    this.#watch.close();
  }

  /** Resolves to nothing when `stop` aborted first. */
  async #wait(
    file: string,
    {
      stop,
      turn,
      logs,
    }: { stop: AbortSignal; turn: { isLooking: boolean }; logs: readonly LogFile[] },
  ): Promise<string | undefined> {
    const take = async (): Promise<string | undefined> => {
      turn.isLooking = true;
      const mark = await this.#take(file, { steal: false, logs });
      turn.isLooking = false;
      return mark;
    };
    // Mostly it is free, and nothing needs to be watched.
    const found = stop.aborted ? undefined : await take();
    if (found !== undefined) return found;
    let lookAgain = (): void => {};
    const wake = (): void => lookAgain();
    const stopWatching = this.#watch.add(file, wake);
    stop.addEventListener("abort", wake);
    try {
      while (!stop.aborted) {
        const changed = new Promise<void>((resolve) => (lookAgain = resolve));
        const mark = await take();
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

  /** A holder that is stopped in the middle of a write keeps its lease. */
  async #steal(file: string, logs: readonly LogFile[]): Promise<string | undefined> {
    await this.#untilWritten(logs);
    return this.#take(file, { steal: true, logs });
  }

  /**
   * Puts a new mark into the lock file when it is free, abandoned or to be stolen, and then waits for writers in the
   * middle of a write to the protected logs.
   *
   * Every acknowledged write must be visible to the new holder, and none may follow. A writer takes the log's lock,
   * checks the lease, writes, checks the lease again, releases the lock and only then acknowledges; the new mark is put
   * in at one moment for all processes, by creating the lock file or by a rename:
   *
   * - A writer whose first check is after that moment finds another mark and writes nothing.
   * - One whose first check was before it held the log's lock at that moment. So either it had released it when the new
   *   holder checks the lock afterwards, or its mark is still on it and is waited for: its write is there before the new
   *   holder reads. Nobody else needs to be waited for, because the lock has at most one holder, and later ones check
   *   the lease later still. A dead one writes nothing more.
   * - One that is stopped inside for longer than the timeout makes the take-over fail, if it lives on this machine. If
   *   it can't be seen from here, its lock is broken: then its second check, after its write, finds the new mark, and
   *   the write is not acknowledged. Its record, if it was too late to be read, stays in the log as one of an earlier
   *   writer.
   *
   * With several logs this holds for each by itself, since all their writers check the same mark; with several
   * successive take-overs, for each change of the mark.
   */
  async #take(
    file: string,
    { steal, logs }: { steal: boolean; logs: readonly LogFile[] },
  ): Promise<string | undefined> {
    const marks = await this.#marks();
    const mark =
      unlessMissing(() => placeMark(file, marks)) ??
      (await exclusively(`${file}~lock`, marks, () => putMark(file, marks, steal)));
    if (mark === undefined) return undefined;
    try {
      await this.#untilWritten(logs);
    } catch (error) {
      await this.#free(file, mark).catch(() => undefined);
      throw error;
    }
    return mark;
  }

  async #untilWritten(logs: readonly LogFile[]): Promise<void> {
    for (const log of logs) await log.untilWritten();
  }

  async #free(file: string, mark: string): Promise<void> {
    letGo(mark);
    const marks = await this.#marks();
    await exclusively(`${file}~lock`, marks, async () => {
      if (readMark(file) === mark) unlessMissing(() => unlinkSync(file));
    });
    marks.reuse(mark);
  }

  #stopped(file: string): StorageError {
    return this.#closing.signal.aborted
      ? new StorageError("CLOSED", "the storage was closed")
      : new StorageError("ABORTED", `stopped waiting for ${file}`);
  }

  #hold(file: string, mark: string, logs: readonly LogFile[]): Lease {
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
        // Tells nothing about the holder, and the next poll comes soon.
      }
    };
    const stopWatching = this.#watch.add(file, look);
    const taken: Taken = { file, mark, lose };
    const release = (): Promise<void> => {
      stopWatching();
      this.#held.delete(lease);
      for (const log of logs) if (this.#protecting.get(log) === taken) this.#protecting.delete(log);
      return (released ??= attempt(file, async () => {
        // Writes requested under the lease are stored under it.
        for (const log of logs) await log.idle();
        await this.#free(file, mark);
      }));
    };
    const lease: Lease = { lost: loss.signal, release, [Symbol.asyncDispose]: release };
    for (const log of logs) {
      // A former holder in this very process must know before it can request another write.
      this.#protecting.get(log)?.lose();
      this.#protecting.set(log, taken);
    }
    this.#held.add(lease);
    return lease;
  }
}

/** A lease held here. */
interface Taken {
  file: string;
  mark: string;
  lose: () => void;
}

/** Creates the lock file; `undefined` when there is one. */
function placeMark(file: string, marks: Marks): string | undefined {
  const mark = marks.take();
  let isPlaced = false;
  try {
    isPlaced = marks.place(mark, file);
    return isPlaced ? mark : undefined;
  } finally {
    if (!isPlaced) {
      letGo(mark);
      marks.reuse(mark);
    }
  }
}

/**
 * Creates the lock file, or replaces the mark in it when it is abandoned or to be stolen; `undefined` when it has a
 * holder. Must be called inside its mutex.
 */
async function putMark(file: string, marks: Marks, steal: boolean): Promise<string | undefined> {
  const { self } = marks;
  for (;;) {
    const placed = placeMark(file, marks);
    if (placed !== undefined) return placed;
    const current = readMark(file);
    // Removed by a person: whoever creates it next holds it.
    if (current === undefined) continue;
    const isFree = steal || (await fateOf(current, self)) === "dead";
    return isFree ? replaceMark(file, self) : undefined;
  }
}

/** Atomically replaces the lock file's mark. Must be called inside its mutex. */
function replaceMark(file: string, self: Holder): string {
  const mark = createMark(self);
  const next = `${file}~new`;
  try {
    // Left by one that was killed.
    if (lstatSync(next, { throwIfNoEntry: false })) unlinkSync(next);
    symlinkSync(mark, next);
    renameSync(next, file);
  } catch (error) {
    letGo(mark);
    throw error;
  }
  return mark;
}

function fenced(file: string): StorageError {
  return new StorageError("FENCED", `${file} was taken over by another holder`, {
    hint: "Close this view of it, or take it back.",
  });
}
