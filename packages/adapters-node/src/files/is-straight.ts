import { lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { type FileStat, normalizePath } from "@robota/runtime";
import { errnoOf } from "./file-error.ts";
import { toFileStat } from "./file-stat.ts";

/** Whether no symlink is on `path`, the machine's own, as far as it leads anywhere; `false` when that can't be told. */
export function isStraight(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    try {
      return realpathSync.native(at) === at;
    } catch (error) {
      if (normalizePath(at) !== at || isLink(at)) return false;
      if (!/^(?:ENOENT|ENOTDIR)$/.test(errnoOf(error) ?? "")) return false;
    }
  }
}

/** What is at `path`, the machine's own, when no symlink is on it. The second look finds at hand what the first took in. */
export function statStraight(path: string): FileStat | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || stats.isSymbolicLink() || realpathSync.native(path) !== path) return undefined;
    return toFileStat(stats);
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
