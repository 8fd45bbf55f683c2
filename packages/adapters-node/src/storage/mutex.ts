import { unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StorageError } from "@robota/runtime";
import { errnoOf } from "../files/file-error.ts";
import { makePrivate } from "./directories.ts";
import { fateOf, isHeld, pidOf, tokenOf } from "./holder.ts";
import { isFree, type Marks, readMark } from "./marks.ts";

const FIRST_WAIT_MS = 1;
const MAX_WAIT_MS = 20;
/**
 * Critical sections take milliseconds: a holder that has not moved for so long is stopped, or gone with its machine.
 */
const STUCK_MS = 10_000;

/**
 * Runs `work` under a lock between processes. The lock is a symlink, because putting one there is atomic, exclusive, and
 * names its holder in the same step; the next process removes a dead holder's lock. Creates the lock's directory if
 * missing.
 * @throws {StorageError} `IO` when a living holder stays inside for 10 s
 */
export async function exclusively<Result>(
  lock: string,
  marks: Marks,
  work: () => Promise<Result>,
): Promise<Result> {
  const mark = marks.take();
  try {
    await enter(lock, mark, marks);
    return await work();
  } finally {
    marks.giveBack(mark, lock);
  }
}

/**
 * Resolves when the holder at the time of the call has released the lock, or died. It may have another holder by then.
 * @throws {StorageError} `IO` when a living holder stays inside for 10 s
 */
export async function untilLeft(lock: string, marks: Marks): Promise<void> {
  if (isFree(lock)) return;
  const inside = readMark(lock);
  const patience = new Patience(lock, marks);
  while (inside !== undefined && readMark(lock) === inside)
    if (await patience.findsAbandoned(inside)) return;
}

async function enter(lock: string, mark: string, marks: Marks): Promise<void> {
  const patience = new Patience(lock, marks);
  while (!(await place(mark, lock, marks))) {
    const current = readMark(lock);
    if (current !== undefined && (await patience.findsAbandoned(current)))
      await removeAbandoned(lock, current, marks);
  }
}

/** Waits for a lock with increasing delays. */
class Patience {
  readonly #lock: string;
  readonly #marks: Marks;
  #seen: string | undefined;
  #seenSince = 0;
  #wait = FIRST_WAIT_MS;

  constructor(lock: string, marks: Marks) {
    this.#lock = lock;
    this.#marks = marks;
  }

  /**
   * Reports whether the holder of `mark` will never return; waits a moment if it may.
   * @throws {StorageError} `IO` when it has been there for too long
   */
  async findsAbandoned(mark: string): Promise<boolean> {
    if (mark !== this.#seen) [this.#seen, this.#seenSince] = [mark, performance.now()];
    const isStuck = performance.now() - this.#seenSince > STUCK_MS;
    const fate = await fateOf(mark, this.#marks.self);
    if (fate === "dead" || (fate === "unknown" && isStuck)) return true;
    if (isStuck) throw stuck(this.#lock, mark);
    await delay(this.#wait * (0.5 + Math.random()));
    this.#wait = Math.min(2 * this.#wait, MAX_WAIT_MS);
    return false;
  }
}

function stuck(lock: string, mark: string): StorageError {
  const pid = pidOf(mark);
  return new StorageError("IO", `${lock} is held by process ${pid}, which is stopped`, {
    hint: `Continue process ${pid} (kill -CONT ${pid}) or end it, then try again.`,
  });
}

async function place(mark: string, lock: string, marks: Marks): Promise<boolean> {
  try {
    return marks.place(mark, lock);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    await makePrivate(dirname(lock));
    return false;
  }
}

/**
 * Removes the lock of a dead holder. A slow process among several that find it must not remove the lock of a newer
 * holder: so the right to remove this very mark is a lock of its own, and the mark, which a dead process uses no more, is
 * checked again inside it. One of this process may have been put on the lock once more meanwhile: then it is held.
 */
async function removeAbandoned(lock: string, mark: string, marks: Marks): Promise<void> {
  await exclusively(`${lock}~${tokenOf(mark)}`, marks, async () => {
    if (readMark(lock) === mark && !isHeld(mark)) unlinkSync(lock);
  });
}
