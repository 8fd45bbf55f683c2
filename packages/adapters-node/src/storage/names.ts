import { join } from "node:path";
import { StorageError } from "@robota/runtime";

const MAX_LENGTH = 512;
const SEGMENT = /^[A-Za-z0-9_.-]{1,128}$/;
const ENDINGS = { value: ".json", log: ".jsonl", lease: ".lock" } as const;
// A directory with the ending of a file gets another one, so that the value `a` and the value `a.json/b` can both be.
// `~` is in no key, hence nothing that we name with it can be one.
const LIKE_A_FILE = /\.(json|jsonl|lock|damaged)$/;
const DIRECTORY_MARK = "~d";

export type StoredKind = keyof typeof ENDINGS;

/** The file that keeps what is stored as `name`. @throws {StorageError} `INVALID_KEY` */
export function fileOf(root: string, kind: StoredKind, name: string): string {
  const segments = name.split("/");
  if (name.length > MAX_LENGTH || !segments.every(isSegment)) {
    throw new StorageError("INVALID_KEY", `${JSON.stringify(name)} is not a valid name`, {
      hint: "Use segments of letters, digits, '_', '.' and '-' (at most 128 each), separated by '/'.",
    });
  }
  const last = segments.pop() ?? "";
  return join(root, ...segments.map(directoryName), last + ENDINGS[kind]);
}

/** The directory that holds the values whose keys start with `segments`; `undefined` when there can be none. */
export function directoryOf(root: string, segments: readonly string[]): string | undefined {
  return segments.every(isSegment) ? join(root, ...segments.map(directoryName)) : undefined;
}

/** The key segment that a directory's name stands for. */
export function segmentOfDirectory(name: string): string | undefined {
  const segment = name.endsWith(DIRECTORY_MARK) ? name.slice(0, -DIRECTORY_MARK.length) : name;
  return isSegment(segment) && directoryName(segment) === name ? segment : undefined;
}

/** The last segment of the key whose value is in a file of this name. */
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
