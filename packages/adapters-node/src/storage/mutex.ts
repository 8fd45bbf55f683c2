import { readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StorageError } from "@robota/runtime";
import { unlessMissing } from "../files/at-once.ts";
import { errnoOf } from "../files/file-error.ts";
import { makePrivate } from "./directories.ts";
import { createMark, fateOf, tokenOf, type Holder } from "./holder.ts";

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 20;
/** What is done inside takes milliseconds: whoever has not moved for so long is stopped, or gone with its machine. */
const STUCK_MS = 10_000;

/**
 * Runs `work` while no other process is inside the same lock. The lock is a symlink, because making one is atomic,
 * exclusive, and puts its holder's name in the same step; a lock whose holder died is removed by who comes next. The
 * directory of the lock is made when it is not there.
 * @throws {StorageError} `IO` when a holder that lives stays inside for 10 s
 */
export async function exclusively<Result>(
  lock: string,
  self: Holder,
  work: () => Promise<Result>,
): Promise<Result> {
  const mark = await enter(lock, self);
  try {
    return await work();
  } finally {
    if (readMark(lock) === mark) unlinkSync(lock);
  }
}

/** The mark on a lock; `undefined` when nobody holds it. */
export function readMark(lock: string): string | undefined {
  return unlessMissing(() => readlinkSync(lock));
}

async function enter(lock: string, self: Holder): Promise<string> {
  const mark = createMark(self);
  let seen: string | undefined;
  let seenSince = 0;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    if (await place(mark, lock)) return mark;
    const current = readMark(lock);
    if (current === undefined) continue;

    if (current !== seen) [seen, seenSince] = [current, performance.now()];
    const isStuck = performance.now() - seenSince > STUCK_MS;
    const fate = await fateOf(current, self);
    if (fate === "dead" || (fate === "unknown" && isStuck)) {
      await removeAbandoned(lock, current, self);
    } else if (isStuck) {
      throw new StorageError("IO", `${lock} is held by a process that does not go on: ${current}`, {
        hint: "Continue or end that process, then try again.",
      });
    } else {
      await delay(wait * (0.5 + Math.random()));
    }
  }
}

async function place(mark: string, lock: string): Promise<boolean> {
  try {
    symlinkSync(mark, lock);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") await makePrivate(dirname(lock));
    else if (errnoOf(error) !== "EEXIST") throw error;
    return false;
  }
}

/**
 * Of several who find a dead holder's lock, a slow one must not remove the lock of whoever came in since. So the right
 * to remove this very mark is a lock of its own, and the mark, which never comes back, is looked at again inside it.
 */
async function removeAbandoned(lock: string, mark: string, self: Holder): Promise<void> {
  await exclusively(`${lock}~${tokenOf(mark)}`, self, async () => {
    if (readMark(lock) === mark) unlinkSync(lock);
  });
}
