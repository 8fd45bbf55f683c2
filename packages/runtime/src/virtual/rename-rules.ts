import { FileSystemError, type FileSystemErrorCode } from "../errors.ts";
import type { FileType } from "../ports/file-system.ts";
import { checkPath } from "./path-walk.ts";

/**
 * Validates both names of a rename before any lookup.
 * @throws {FileSystemError} `EINVAL` (contains NUL, or ends in `.` or `..`, which name no entry), `ENAMETOOLONG`
 */
export function checkRename(from: string, to: string): void {
  for (const path of [from, to]) {
    checkPath(path);
    if (/(?:^|\/)\.{1,2}\/*$/.test(path)) throw new FileSystemError("EINVAL", path);
  }
}

/** The reason why POSIX refuses to rename a `source` over an existing `target`; `undefined` when it does not. */
export function renameRefusal(
  source: FileType,
  target: FileType,
  targetIsEmpty: boolean,
): FileSystemErrorCode | undefined {
  if (target !== "directory") return source === "directory" ? "ENOTDIR" : undefined;
  if (source !== "directory") return "EISDIR";
  return targetIsEmpty ? undefined : "ENOTEMPTY";
}
