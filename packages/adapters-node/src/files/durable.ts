import { randomBytes } from "node:crypto";
import { closeSync, constants, fsync, openSync, type Stats } from "node:fs";
import { open, rename, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { MODE_BITS } from "@robota/runtime/ports";
import { errnoOf } from "./file-error.ts";

const sync = promisify(fsync);
const { O_CREAT, O_DIRECTORY, O_EXCL, O_RDONLY, O_WRONLY } = constants;

// File systems that can't sync a directory, and directories that may be changed but not opened.
const unsyncable = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EISDIR", "EACCES", "EPERM"]);

/** Makes a directory's entries durable: earlier creations, renames and removals. */
export function syncDirectory(path: string): Promise<void> {
  return changeNames([path], async () => {});
}

/**
 * Makes a change of the names in `directories` durable. They are the ones that the paths lead to before it: afterwards a
 * symlink on the way to one of them may be gone, or have another name.
 */
export async function changeNames(
  directories: readonly string[],
  change: () => Promise<void>,
): Promise<void> {
  const opened: number[] = [];
  try {
    for (const path of directories) {
      const fd = openDirectory(path);
      if (fd !== undefined) opened.push(fd);
    }
    await change();
    for (const fd of opened) await sync(fd).catch(ignoreUnsyncable);
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

function openDirectory(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY);
  } catch (error) {
    return ignoreUnsyncable(error);
  }
}

/** Where directories can't be synced, a change is as durable as this machine allows. */
function ignoreUnsyncable(error: unknown): undefined {
  if (!unsyncable.has(errnoOf(error))) throw error;
}

/**
 * Atomically replaces the file at `target` (not a symlink) by `data`: the bytes are on disk before the rename, and the
 * rename is on disk when this resolves. Keeps a replaced file's mode and owner.
 */
export async function replaceFile(
  target: string,
  data: Uint8Array,
  replaced: Stats | undefined,
): Promise<void> {
  const directory = dirname(target);
  // Unguessable, so nobody can place a link there.
  const temporary = join(directory, `.${randomBytes(12).toString("hex")}.robota~`);
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o644);
  try {
    try {
      await handle.writeFile(data);
      if (replaced) await takeOver(handle, replaced);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await removeIfThere(temporary);
    throw error;
  }
  await syncDirectory(directory);
}

/** Removes the file; silent when it is not there. */
export async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

async function takeOver(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await handle.stat();
  if (own.uid !== uid || own.gid !== gid) {
    try {
      await handle.chown(uid, gid);
    } catch (error) {
      // Only root may change ownership; a process that may replace the file but not own it becomes its owner.
      if (errnoOf(error) !== "EPERM") throw error;
    }
  }
  await handle.chmod(mode & MODE_BITS);
}
