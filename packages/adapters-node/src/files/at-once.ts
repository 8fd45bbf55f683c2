// What the system does in its memory takes microseconds. To hand it to another thread and hear of it again takes ten times as
// long, more the busier the machine is, and behind all who wait for the disk there. So small steps on files of our own are
// made at once, and only what has to reach the disk, or is long, is waited for.
import { write, writeSync } from "node:fs";
import { promisify } from "node:util";
import { errnoOf } from "./file-error.ts";

export const LONG_BYTES = 64 * 1024;
const writeElsewhere = promisify(write);

/** Writes all of `bytes` where the file stands, and tells after each piece how many more are written. */
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

/** What `step` returns; `undefined` when the file is not there. */
export function unlessMissing<Result>(step: () => Result): Result | undefined {
  try {
    return step();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
