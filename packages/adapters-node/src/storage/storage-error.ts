import { StorageError } from "@robota/runtime";
import { errnoOf, limitHints } from "../files/file-error.ts";

/** Other codes use the hint of `StorageError` for `IO`. */
const hints: Readonly<Record<string, string>> = {
  ...limitHints,
  EACCES: "Check the directory's owner and permissions.",
  EPERM: "Check the directory's owner, and whether its file system supports symbolic links.",
  EROFS: "Choose a storage directory that can be written to.",
  ENOENT: "Make the storage directory, or choose one that can be made.",
  ENOTDIR: "A part of the storage directory's path is a file: choose another one.",
  ELOOP: "Symbolic links on the way to the storage directory lead in a circle: mend them.",
  ENAMETOOLONG: "Choose a storage directory with a shorter path.",
};

/** Runs an operation on `file`, converting errors to the port's. */
export async function attempt<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toStorageError(file, error);
  }
}

/** Reasons for which there is no room for more, with what makes some. */
const fullHints: Readonly<Record<string, string>> = {
  ENOSPC: "Free some space, then try again: nothing that was stored before is lost.",
  EDQUOT: "The disk quota is used up: remove something, then try again.",
  EFBIG: limitHints.EFBIG ?? "",
};

/** Converts an error of using `file` to the port's. */
export function toStorageError(file: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const errno = errnoOf(error);
  const hint = fullHints[errno];
  if (hint !== undefined) {
    return new StorageError("FULL", `no space left for ${file}`, { cause: error, hint });
  }
  return new StorageError("IO", `can't use ${file}: ${errno || String(error)}`, {
    cause: error,
    hint: hints[errno],
  });
}
