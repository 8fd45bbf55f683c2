import { StorageError } from "../errors.ts";

/** Segments of up to 128 characters, except `.` and `..`. */
const KEY = /^(?!\.{1,2}(?:\/|$))[\w.-]{1,128}(?:\/(?!\.{1,2}(?:\/|$))[\w.-]{1,128})*$/;
const MAX_LENGTH = 512;

/**
 * Rejects invalid keys and log names, by the rules written on `Storage`. For every implementation.
 * @throws {StorageError} `INVALID_KEY`
 */
export function checkStorageKey(key: string): void {
  if (key.length <= MAX_LENGTH && KEY.test(key)) return;
  throw new StorageError("INVALID_KEY", `Not a storage key: ${JSON.stringify(key.slice(0, 600))}`, {
    hint: "Use segments of A-Z, a-z, 0-9, '_', '.' and '-' separated by '/', at most 512 characters in all.",
  });
}
