// In-memory system calls take microseconds. Handing them to the thread pool and back takes ten times as long, more the
// busier the machine is, and queues behind everybody waiting for the disk. So small steps on our own files are
// synchronous, and only slow ones and disk flushes are awaited.
import { type Stats, statSync, write, writeSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errnoOf } from "./file-error.ts";

export const LONG_BYTES = 64 * 1024;
const writeElsewhere = promisify(write);
const QUIET = { throwIfNoEntry: false } as const;

/** Writes all of `bytes` at the file's position, and reports after each piece how many remain. */
export async function writeAll(
  fd: number,
  bytes: Uint8Array,
  onWritten: (count: number) => void = () => {},
): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const rest = bytes.subarray(written);
    const count =
      rest.length > LONG_BYTES
        ? (await writeElsewhere(fd, rest)).bytesWritten
        : writeSync(fd, rest);
    written += count;
    onWritten(count);
  }
}

/**
 * The stats of `file`; `undefined` when it is missing. An error costs several times what looking does, and most of what
 * a storage is asked for is missing.
 */
export function statIfThere(file: string): Stats | undefined {
  const stats = statSync(file, QUIET);
  // Node also calls it missing when its directory is none.
  if (stats || statSync(dirname(file), QUIET)?.isDirectory()) return stats;
  return unlessMissing(() => statSync(file));
}

/** The result of `step`; `undefined` when the file is missing. */
export function unlessMissing<Result>(step: () => Result): Result | undefined {
  try {
    return step();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
