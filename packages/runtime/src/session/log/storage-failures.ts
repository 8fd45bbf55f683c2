import { FileSystemError, StorageError } from "../../errors.ts";

/** Reports whether there is no room to store anything. */
export function isFull(error: unknown): boolean {
  return error instanceof StorageError && error.code === "FULL";
}

/** Throws `error` unless there is no room to store anything. */
export function unlessFull(error: unknown): void {
  if (!isFull(error)) throw error;
}

/** Reports whether another tab or process has taken the session over. */
export function isFenced(error: unknown): boolean {
  return error instanceof StorageError && error.code === "FENCED";
}

/** The error for a refused file change, when storage could not record the previous version. */
export function notRecorded(cause: unknown, path: string): FileSystemError {
  return new FileSystemError(isFull(cause) ? "ENOSPC" : "EIO", path, {
    cause,
    hint: "The file was not changed: the session's storage refused the file's previous version.",
  });
}
