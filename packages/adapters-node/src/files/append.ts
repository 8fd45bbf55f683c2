import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { errnoOf } from "./file-error.ts";

// Without O_NONBLOCK, opening a pipe that nobody reads would hold a thread for ever.
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

/** Appends `bytes` and makes them durable. When that fails, what was written goes again, unless others came behind it. */
export async function appendWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  const { size } = await handle.stat();
  let written = 0;
  try {
    while (written < bytes.length) {
      written += (await handle.write(bytes, written)).bytesWritten;
    }
    await handle.datasync();
  } catch (error) {
    if ((await handle.stat()).size === size + written) await handle.truncate(size);
    throw error;
  }
}
