import { StorageError } from "@robota/runtime";
import { isQuotaError } from "../indexed-db.ts";

/** Converts any error of the value, log or lease called `name` to the port's. */
export function storageError(error: unknown, name: string): StorageError {
  if (error instanceof StorageError) return error;
  if (isQuotaError(error)) {
    return new StorageError("FULL", `There is no room for ${name}`, {
      cause: error,
      hint: "The browser gives this site no more room. Remove files or old sessions, or free disk space, then try again.",
    });
  }
  return new StorageError("IO", `${name} could not be read or written`, {
    cause: error,
    hint: "The browser's database failed. Reload the page and try again.",
  });
}
