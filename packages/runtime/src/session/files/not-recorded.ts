import { FileSystemError, StorageError } from "../../errors.ts";

/** Why a file was not changed, when storage refused what has to be kept of it first. */
export function notRecorded(cause: unknown, path: string): FileSystemError {
  const isFull = cause instanceof StorageError && cause.code === "FULL";
  return new FileSystemError(isFull ? "ENOSPC" : "EIO", path, {
    cause,
    hint: "The file was not changed: the session's storage refused the file's previous version.",
  });
}
