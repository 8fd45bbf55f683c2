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

/** Between two turns of the event loop, which the others in it wait for: a millisecond or two. */
const FILES_AT_ONCE = 64;
/** Of all together, as they are in memory at the same time. */
const MANY_BYTES = 16n * 1024n * 1024n;

/**
 * The bytes of files of the machine, each read at once, which takes a tenth of what it takes to have another thread do it.
 * `undefined` stands for what is left to be read by itself: what can't be read, what is long or too much, what claims to be empty as a
 * view of the system does, and what a symlink on its path, now or while it was opened, may have put in its place.
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
    // Only now: a link that stood there while they were opened has led to other files than are found there.
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

/** Whether an open file is the one at `path`. Linux knows; elsewhere it is the one that is found there. */
function isAt(path: string, { fd, stats: { dev, ino } }: OpenedFile): boolean {
  if (hasHandles) return attempt(() => pathOfHandle(fd)) === path;
  const found = attempt(() => lstatSync(path, { bigint: true }));
  return found?.ino === ino && found.dev === dev;
}

/** As many as it had when it was opened. */
function bytesOf({ fd, stats }: OpenedFile): Uint8Array {
  const bytes = new Uint8Array(Number(stats.size));
  let filled = 0;
  for (let count = -1; count !== 0 && filled < bytes.length; filled += count) {
    count = readSync(fd, bytes, filled, bytes.length - filled, filled);
  }
  return bytes.subarray(0, filled);
}

/** Why something can't be read, it tells when it is read by itself. */
function attempt<Result>(step: () => Result): Result | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
