import { FileSystemError } from "@robota/runtime";
import { type FileSystemErrorCode } from "@robota/runtime/ports";
import { isQuotaError } from "../indexed-db.ts";

/** Converts any error of an operation on `path` to the port's. */
export function fileSystemError(error: unknown, path: string): FileSystemError {
  if (error instanceof FileSystemError) return error;
  if (isQuotaError(error)) {
    return new FileSystemError("ENOSPC", path, {
      cause: error,
      hint: "The browser gives this site no more room. Remove files or old sessions, or free disk space, then try again.",
    });
  }
  return new FileSystemError("EIO", path, {
    cause: error,
    hint: "The browser's database failed. Reload the page and try again.",
  });
}

/** An error serialised for other tabs. */
export interface SentError {
  code: FileSystemErrorCode;
  path: string;
  hint: string;
}

export function toSent(error: FileSystemError): SentError {
  return { code: error.code, path: error.path, hint: error.hint };
}

export function fromSent({ code, path, hint }: SentError): FileSystemError {
  return new FileSystemError(code, path, { hint });
}
