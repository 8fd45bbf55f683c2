import { readlink, symlink, unlink } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { StorageError } from "@robota/runtime";
import { errnoOf } from "../files/file-error.ts";
import { createMark, fateOf, tokenOf, type Holder } from "./holder.ts";

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 20;
/** What is done inside takes milliseconds: whoever has not moved for so long is stopped, or gone with its machine. */
const STUCK_MS = 10_000;

/**
 * Runs `work` while no other process is inside the same lock. The lock is a symlink, because making one is atomic,
 * exclusive, and puts its holder's name in the same step; a lock whose holder died is removed by who comes next.
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
    if ((await readMark(lock)) === mark) await unlink(lock);
  }
}

/** The mark on a lock; `undefined` when nobody holds it. */
export async function readMark(lock: string): Promise<string | undefined> {
  try {
    return await readlink(lock);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function enter(lock: string, self: Holder): Promise<string> {
  const mark = createMark(self);
  let seen: string | undefined;
  let seenSince = 0;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    if (await place(mark, lock)) return mark;
    const current = await readMark(lock);
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
    await symlink(mark, lock);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Of several who find a dead holder's lock, a slow one must not remove the lock of whoever came in since. So the right
 * to remove this very mark is a lock of its own, and the mark, which never comes back, is looked at again inside it.
 */
async function removeAbandoned(lock: string, mark: string, self: Holder): Promise<void> {
  await exclusively(`${lock}~${tokenOf(mark)}`, self, async () => {
    if ((await readMark(lock)) === mark) await unlink(lock);
  });
}
