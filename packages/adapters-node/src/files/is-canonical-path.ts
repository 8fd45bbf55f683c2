import { lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { type DirectoryEntry, type FileStat } from "@robota/runtime";
import { normalizePath } from "@robota/runtime/ports";
import { errnoOf } from "./file-error.ts";
import { entriesOf, toFileStat } from "./file-stat.ts";

/** File systems count 10 to 70 bytes for an entry. */
const MAX_DIRECTORY_BYTES = 32 * 1024;

/** Reports whether no symlink is on `path`, the machine's own, as far as it exists; `false` when unknown. */
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

/** The entry at `path`, the machine's own, if no symlink is on it. */
export function statCanonical(path: string): FileStat | undefined {
  const stats = lookStraight(path);
  return stats && toFileStat(stats);
}

/** The entries of the directory `path`, if no symlink is on it and it is small enough to list synchronously. */
export function readdirCanonical(path: string): DirectoryEntry[] | undefined {
  const stats = lookStraight(path);
  if (!stats?.isDirectory() || stats.size > MAX_DIRECTORY_BYTES) return undefined;
  try {
    return entriesOf(readdirSync(path, { withFileTypes: true }));
  } catch {
    return undefined;
  }
}

/** The second lookup hits the kernel's cache. */
function lookStraight(path: string): Stats | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || stats.isSymbolicLink() || realpathSync.native(path) !== path) return undefined;
    return stats;
  } catch {
    return undefined;
  }
}

/** A dangling link. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
