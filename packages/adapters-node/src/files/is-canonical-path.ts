import { lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { type DirectoryEntry, type FileStat } from "@robota/runtime";
import { normalizePath } from "@robota/runtime/ports";
import { errnoOf } from "./file-error.ts";
import { entriesOf, toFileStat } from "./file-stat.ts";

/** File systems count 10 to 70 bytes for an entry. */
const MAX_DIRECTORY_BYTES = 32 * 1024;

/** Whether no symlink is on `path`, the machine's own, as far as it leads anywhere; `false` when that can't be told. */
export function isCanonicalPath(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    try {
      return realpathSync.native(at) === at;
    } catch (error) {
      if (normalizePath(at) !== at || isLink(at)) return false;
      if (!/^(?:ENOENT|ENOTDIR)$/.test(errnoOf(error) ?? "")) return false;
    }
  }
}

/** What is at `path`, the machine's own, when no symlink is on it. */
export function statCanonical(path: string): FileStat | undefined {
  const stats = lookStraight(path);
  return stats && toFileStat(stats);
}

/** What is in the directory `path`, when no symlink is on it and it is not a large one, which would take long. */
export function readdirCanonical(path: string): DirectoryEntry[] | undefined {
  const stats = lookStraight(path);
  if (!stats?.isDirectory() || stats.size > MAX_DIRECTORY_BYTES) return undefined;
  try {
    return entriesOf(readdirSync(path, { withFileTypes: true }));
  } catch {
    return undefined;
  }
}

/** The second look finds at hand what the first took in. */
function lookStraight(path: string): Stats | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || stats.isSymbolicLink() || realpathSync.native(path) !== path) return undefined;
    return stats;
  } catch {
    return undefined;
  }
}

/** One that leads nowhere. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
