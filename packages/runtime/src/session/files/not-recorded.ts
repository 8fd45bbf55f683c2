import { FileSystemError, StorageError } from "../../errors.ts";

/** The error for a refused file change, when storage could not record the previous version. */
export function notRecorded(cause: unknown, path: string): FileSystemError {
  const isFull = cause instanceof StorageError && cause.code === "FULL";
  return new FileSystemError(isFull ? "ENOSPC" : "EIO", path, {
    cause,
    hint: "The file was not changed: the session's storage refused the file's previous version.",
  });
}
