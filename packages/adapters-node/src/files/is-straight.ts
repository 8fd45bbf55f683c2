import { lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { normalizePath } from "@robota/runtime";
import { errnoOf } from "./file-error.ts";

/** Whether no symlink is on `path`, the machine's own, as far as it leads anywhere; `false` when that can't be told. */
export function isStraight(path: string): boolean {
  if (normalizePath(path) !== path) return false;
  for (let at = path; ; at = dirname(at)) {
    try {
      return realpathSync.native(at) === at;
    } catch (error) {
      if (!/^(?:ENOENT|ENOTDIR)$/.test(errnoOf(error) ?? "") || isLink(at)) return false;
    }
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
