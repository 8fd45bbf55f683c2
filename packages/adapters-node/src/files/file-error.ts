import { FileSystemError } from "@robota/runtime";
import { type FileSystemErrorCode } from "@robota/runtime/ports";

const codes: Readonly<Record<string, FileSystemErrorCode>> = {
  ENOENT: "ENOENT",
  EEXIST: "EEXIST",
  EISDIR: "EISDIR",
  ENOTDIR: "ENOTDIR",
  ENOTEMPTY: "ENOTEMPTY",
  EACCES: "EACCES",
  EPERM: "EPERM",
  EINVAL: "EINVAL",
  ELOOP: "ELOOP",
  ENAMETOOLONG: "ENAMETOOLONG",
  ENOSPC: "ENOSPC",
  EROFS: "EROFS",
  EBUSY: "EBUSY",
  EDQUOT: "ENOSPC",
  EFBIG: "ENOSPC",
  ETXTBSY: "EBUSY",
  // A pipe without a reader.
  ENXIO: "EINVAL",
  // Node's own, for a path with a NUL in it.
  ERR_INVALID_ARG_VALUE: "EINVAL",
};

/** Hints for limits and faults of a machine, independent of the operation. */
export const limitHints: Readonly<Record<string, string>> = {
  EFBIG: "The file may not become so large: raise the limit (ulimit -f), or use another disk.",
  EIO: "The disk reported an I/O error: check the system log, and back up the files.",
  EMFILE: "Too many files are open in this process: close some, or raise the limit (ulimit -n).",
  ENFILE: "Too many files are open on this machine: end some programs.",
  ENOMEM: "The machine is out of memory: end some programs.",
  ESTALE: "The network file system was remounted: try again.",
  ETIMEDOUT: "The network disk does not answer: check the connection, then try again.",
};

/** Other codes use the hint of `FileSystemError`. */
const hints: Readonly<Record<string, string>> = {
  ...limitHints,
  EACCES: "Check the path's owner and permissions.",
  EPERM: "Check the path's owner, and whether it is marked immutable.",
  ENOSPC: "Free some space on the disk, then try again.",
  EDQUOT: "The disk quota is used up: remove something, then try again.",
  EROFS: "The file system is mounted read-only: choose another place.",
  EXDEV: "The two paths are on different file systems: copy, then remove the original.",
};

/** The POSIX code of an error from `node:fs`; empty when it has none. */
export function errnoOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Converts an error from `node:fs` to the port's; `path` is the caller's name for the file. */
export function toFileSystemError(path: string, error: unknown): FileSystemError {
  if (error instanceof FileSystemError) return error;
  const errno = errnoOf(error);
  return new FileSystemError(codes[errno] ?? "EIO", path, {
    cause: error,
    hint: hints[errno],
  });
}
