import { FileSystemError, type FileSystemErrorCode } from "@robota/runtime/ports";

interface FailureOptions {
  hint?: string;
  recoverable?: boolean;
  cause?: unknown;
}

/** A failure of the store, which knows nothing of the paths of files. */
export class StoreFailure extends Error {
  readonly code: FileSystemErrorCode;
  readonly options: FailureOptions;

  constructor(code: FileSystemErrorCode, options: FailureOptions = {}) {
    super(options.hint ?? code);
    this.code = code;
    this.options = options;
  }
}

/** Any error as one of the file at `path`. */
export function fileSystemError(error: unknown, path: string): FileSystemError {
  if (error instanceof FileSystemError) return error;
  if (error instanceof StoreFailure) return new FileSystemError(error.code, path, error.options);
  return new FileSystemError("EIO", path, { cause: error });
}
