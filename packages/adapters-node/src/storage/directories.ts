import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "../files/durable.ts";
import { errnoOf } from "../files/file-error.ts";

/**
 * Makes a directory and its missing parents, for this user only, so that they last. Each by itself: Node's recursive
 * `mkdir` says that nothing is there where it should say that the file system is read-only.
 */
export async function makePrivate(directory: string): Promise<void> {
  try {
    await makeOne(directory);
  } catch (error) {
    const parent = dirname(directory);
    if (errnoOf(error) !== "ENOENT" || parent === directory) throw error;
    await makePrivate(parent);
    // Where nothing can be created, as below /proc, the second attempt reports a missing parent.
    await makeOne(directory);
  }
}

async function makeOne(directory: string): Promise<void> {
  try {
    mkdirSync(directory, 0o700);
  } catch (error) {
    // A dangling link exists as well, and is not a directory.
    const isThere = statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (errnoOf(error) === "EEXIST" && isThere) return;
    throw error;
  }
  await syncNames(dirname(directory));
}

/** Syncs that are under way, and those that begin after them, by directory. */
const running = new Map<string, Promise<void>>();
const next = new Map<string, Promise<void>>();

/**
 * Makes the names in a directory of the storage durable: earlier creations, renames and removals. Calls that come while
 * a sync is under way share the next one, since one sync of a directory is for all names in it.
 */
export function syncNames(directory: string): Promise<void> {
  const waiting = next.get(directory);
  if (waiting) return waiting;
  const syncing = (running.get(directory) ?? Promise.resolve()).then(async () => {
    next.delete(directory);
    const sync = syncDirectory(directory);
    // A failure belongs to those that share the sync; the next one only waits for its end.
    const ended = sync.catch(() => undefined);
    running.set(directory, ended);
    try {
      await sync;
    } finally {
      if (running.get(directory) === ended) running.delete(directory);
    }
  });
  next.set(directory, syncing);
  return syncing;
}
