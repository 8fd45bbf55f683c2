import { StorageError } from "@robota/runtime";
import { errnoOf } from "../files/file-error.ts";

const hints: Readonly<Record<string, string>> = {
  EACCES: "Check who owns the directory and which permissions it has.",
  EPERM: "Check who owns the directory, and whether its file system has symbolic links.",
  EROFS: "Choose a storage directory that can be written to.",
  EMFILE: "Too many files are open in this process: close some, or raise the limit (ulimit -n).",
};

/** Runs what uses `file`; whatever goes wrong in it becomes the error that the port promises. */
export async function attempt<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toStorageError(file, error);
  }
}

/** What failed while `file` was used, as the error that the port promises. */
export function toStorageError(file: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const errno = errnoOf(error);
  if (errno === "ENOSPC" || errno === "EDQUOT") {
    const hint = "Free some space, then try again: nothing that was stored before is lost.";
    return new StorageError("FULL", `no space left for ${file}`, { cause: error, hint });
  }
  return new StorageError("IO", `can't use ${file}: ${errno || String(error)}`, {
    cause: error,
    hint: hints[errno] ?? "",
  });
}
