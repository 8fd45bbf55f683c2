import { join } from "node:path";
import { checkStorageKey } from "@robota/runtime/ports";

const ENDINGS = { value: ".json", log: ".jsonl", lease: ".lock" } as const;
const SEGMENT = /^[A-Za-z0-9_.-]{1,128}$/;
// A directory named like a file gets another ending, so that the values `a` and `a.json/b` can coexist. No key has a
// `~`, so names with one never collide with stored data.
const LIKE_A_FILE = /\.(json|jsonl|lock|damaged)$/;
const DIRECTORY_MARK = "~d";

export type StoredKind = keyof typeof ENDINGS;

/** The file of the stored `name`. @throws {StorageError} `INVALID_KEY` */
export function fileOf(root: string, kind: StoredKind, name: string): string {
  checkStorageKey(name);
  const segments = name.split("/");
  const last = segments.pop() ?? "";
  return join(root, ...segments.map(directoryName), last + ENDINGS[kind]);
}

/** The directory of the values whose keys start with `segments`; `undefined` when no key does. */
export function directoryOf(root: string, segments: readonly string[]): string | undefined {
  return segments.every(isSegment) ? join(root, ...segments.map(directoryName)) : undefined;
}

/** The key segment of a directory's name; `undefined` for a foreign directory. */
export function segmentOfDirectory(name: string): string | undefined {
  const segment = name.endsWith(DIRECTORY_MARK) ? name.slice(0, -DIRECTORY_MARK.length) : name;
  return isSegment(segment) && directoryName(segment) === name ? segment : undefined;
}

/** The last segment of the key whose value is in a file of this name; `undefined` for other files. */
export function segmentOfFile(name: string): string | undefined {
  const segment = name.slice(0, -ENDINGS.value.length);
  return name.endsWith(ENDINGS.value) && isSegment(segment) ? segment : undefined;
}

function directoryName(segment: string): string {
  return LIKE_A_FILE.test(segment) ? segment + DIRECTORY_MARK : segment;
}

function isSegment(segment: string): boolean {
  return SEGMENT.test(segment) && segment !== "." && segment !== "..";
}
