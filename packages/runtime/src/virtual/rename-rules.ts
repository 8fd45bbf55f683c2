import type { FileSystemErrorCode } from "../errors.ts";
import type { FileType } from "../ports/file-system.ts";

/** Why POSIX refuses to rename a `source` over a `target` that is there; `undefined` when it does not. */
export function renameRefusal(
  source: FileType,
  target: FileType,
  targetIsEmpty: boolean,
): FileSystemErrorCode | undefined {
  if (target !== "directory") return source === "directory" ? "ENOTDIR" : undefined;
  if (source !== "directory") return "EISDIR";
  return targetIsEmpty ? undefined : "ENOTEMPTY";
}
