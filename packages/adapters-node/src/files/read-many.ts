import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
} from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { LONG_BYTES } from "./at-once.ts";
import { READ } from "./open-file.ts";
import { hasHandles, pathOfHandle } from "./canonical-handle.ts";

/** Files read in one turn of the event loop, a millisecond or two. */
const FILES_AT_ONCE = 64;
/** Limit for the whole batch, as all files are in memory at the same time. */
const MANY_BYTES = 16n * 1024n * 1024n;

/**
 * Reads files of the machine synchronously, in a tenth of the time of the thread pool. An item is `undefined` when the
 * file must be read by itself: unreadable or large files, those that report a size of zero as the system's views do,
 * and those that a symlink, now or at the time of opening, may have replaced.
 */
export async function readMany(
  paths: readonly string[],
  maxBytes: number,
): Promise<(Uint8Array | undefined)[]> {
  const contents: (Uint8Array | undefined)[] = [];
  const limit = BigInt(Math.min(maxBytes, LONG_BYTES));
  let left = MANY_BYTES;
  let sinceTurn = 0;
  for (let first = 0; first < paths.length;) {
    const directory = dirname(paths[first] ?? "");
    let end = first + 1;
    while (end - first < FILES_AT_ONCE && dirname(paths[end] ?? "") === directory) end += 1;
    const most = left < limit ? left : limit;
    const found = readTogether(directory, paths.slice(first, end), most);
    for (const bytes of found) left -= BigInt(bytes?.length ?? 0);
    contents.push(...found);
    sinceTurn += end - first;
    first = end;
    if (sinceTurn < FILES_AT_ONCE) continue;
    sinceTurn = 0;
    await setImmediate();
  }
  return contents;
}

interface OpenedFile {
  fd: number;
  stats: BigIntStats;
}

function readTogether(
  directory: string,
  paths: readonly string[],
  limit: bigint,
): (Uint8Array | undefined)[] {
  const opened: (OpenedFile | undefined)[] = [];
  try {
    for (const path of paths) opened.push(openedAt(path));
    // Only now: a link during the opening would have led to other files than the paths do now.
    const isPlain = hasHandles || attempt(() => realpathSync.native(directory)) === directory;
    return paths.map((path, index) => {
      const file = opened[index];
      if (!isPlain || !file || file.stats.size === 0n || file.stats.size > limit) return undefined;
      return isAt(path, file) ? attempt(() => bytesOf(file)) : undefined;
    });
  } finally {
    for (const file of opened) if (file) closeSync(file.fd);
  }
}

function openedAt(path: string): OpenedFile | undefined {
  return attempt(() => {
    const fd = openSync(path, READ | constants.O_NOFOLLOW);
    try {
      const stats = fstatSync(fd, { bigint: true });
      if (stats.isFile()) return { fd, stats };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd);
    return undefined;
  });
}

/** Reports whether an open file is the one at `path`. Linux knows; elsewhere its identity is compared. */
function isAt(path: string, { fd, stats: { dev, ino } }: OpenedFile): boolean {
  if (hasHandles) return attempt(() => pathOfHandle(fd)) === path;
  const found = attempt(() => lstatSync(path, { bigint: true }));
  return found?.ino === ino && found.dev === dev;
}

/** Reads the size at the time of opening. */
function bytesOf({ fd, stats }: OpenedFile): Uint8Array {
  const bytes = new Uint8Array(Number(stats.size));
  let filled = 0;
  for (let count = -1; count !== 0 && filled < bytes.length; filled += count) {
    count = readSync(fd, bytes, filled, bytes.length - filled, filled);
  }
  return bytes.subarray(0, filled);
}

/** The reason for an unreadable file appears when it is read by itself. */
function attempt<Result>(step: () => Result): Result | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
