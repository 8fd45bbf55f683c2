// The parts of conversations that a person opened, and the places where they read: kept over a change of the session and a
// reload, as long as the tab lasts.
import { useState } from "react";
import { readStored, writeStored } from "./preferences.ts";

const KEY = "robota.kept";
/** The last ones that are kept. */
const LIMIT = 500;
const WRITE_MS = 300;

const stored = readStored(KEY, "sessionStorage");
const kept = new Map<string, unknown>(Array.isArray(stored) ? stored : []);
let timer: ReturnType<typeof setTimeout> | undefined;

export function readKept(key: string): unknown {
  return kept.get(key);
}

/** Keeps a value that JSON can hold; `undefined` forgets it. */
export function keep(key: string, value: unknown): void {
  kept.delete(key);
  if (value !== undefined) kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= LIMIT) break;
    kept.delete(oldest);
  }
  timer ??= setTimeout(writeKept, WRITE_MS);
}

/** Stores what is kept at once, as a page must that goes away. */
export function writeKept(): void {
  clearTimeout(timer);
  timer = undefined;
  writeStored(KEY, [...kept], "sessionStorage");
}

addEventListener("pagehide", writeKept);

/** State of a part that is there again when a person comes back to it. `isValid` judges what the tab has stored. */
export function useKept<T>(
  key: string,
  isValid: (value: unknown) => value is T,
): [T | undefined, (value: T | undefined) => void] {
  const [value, setValue] = useState(() => {
    const before = readKept(key);
    return isValid(before) ? before : undefined;
  });
  const set = (next: T | undefined): void => {
    setValue(next);
    keep(key, next);
  };
  return [value, set];
}

/** Text of a person that is there again when they come back to it. */
export function useKeptText(
  key: string,
): [string | undefined, (value: string | undefined) => void] {
  return useKept(key, isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** True for a part that a person left open; `undefined` while they have not touched it. */
export function useKeptOpen(id: string): [boolean | undefined, (open: boolean) => void] {
  return useKept(`open:${id}`, (value): value is boolean => typeof value === "boolean");
}
