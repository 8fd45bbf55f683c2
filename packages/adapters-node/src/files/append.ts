import { constants, fdatasync, fstatSync, ftruncateSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { promisify } from "node:util";
import { writeAll } from "./at-once.ts";
import { errnoOf } from "./file-error.ts";

const datasync = promisify(fdatasync);

// Without O_NONBLOCK, opening a pipe without a reader would block a thread forever.
const APPEND = constants.O_APPEND | constants.O_NONBLOCK;

/** The file, opened with `flags`; `undefined` when it is not there. */
export async function openIfThere(file: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await open(file, flags);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Opens a file to append to it, and makes it with `mode` when it is not there: then its name has to be made durable
 * too, which is up to the caller.
 */
export async function openToAppend(
  file: string,
  access: number,
  mode: number,
): Promise<{ handle: FileHandle; isNew: boolean }> {
  const flags = access | APPEND;
  const handle = await openIfThere(file, flags);
  if (handle) return { handle, isNew: false };
  return { handle: await open(file, flags | constants.O_CREAT, mode), isNew: true };
}

/**
 * Appends `bytes` durably to a file of `size` bytes. On failure, truncates the partial write, unless others have appended
 * behind it.
 */
export async function appendWhole(fd: number, bytes: Uint8Array, size: number): Promise<void> {
  let written = 0;
  try {
    await writeAll(fd, bytes, (count) => (written += count));
    // The file's new length is durable with its data; only its times may not be.
    await datasync(fd);
  } catch (error) {
    if (fstatSync(fd).size === size + written) ftruncateSync(fd, size);
    throw error;
  }
}
