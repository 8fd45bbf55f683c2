import type { FileSystemError, FileSystemErrorCode } from "@robota/runtime/ports";

const REASONS: Partial<Record<FileSystemErrorCode, string>> = {
  EACCES: "Permission denied",
  EEXIST: "File exists",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  EPERM: "Operation not permitted",
  EROFS: "Read-only file system",
};

/** An error of files in the words of the system. */
export function describeFileError(error: FileSystemError): string {
  return REASONS[error.code] ?? error.message;
}
