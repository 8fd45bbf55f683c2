import { StorageError } from "../../errors.ts";

/** Reports whether there is no room to store anything. */
export function isFull(error: unknown): boolean {
  return error instanceof StorageError && error.code === "FULL";
}

/** Reports whether another tab or process has taken the session over. */
export function isFenced(error: unknown): boolean {
  return error instanceof StorageError && error.code === "FENCED";
}
