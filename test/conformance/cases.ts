/** The content of a file: text, bytes or a link. `executable` is the owner's bit; directories are listed when empty or new. */
export type Entry =
  | string
  | { text: string; executable: true }
  | { base64: string; executable?: true }
  | { link: string }
  | { directory: true };

/** Files by path, relative to the directory that the command runs in. */
export type Tree = Record<string, Entry>;

export interface Answer {
  stdout: string | { base64: string };
  /** True when anything was written to standard error; the words are each program's own. */
  stderr: boolean;
  exitCode: number;
  /** The changed files: their new content, or null when deleted. */
  files?: Record<string, Entry | null> | undefined;
}

export interface Case extends Answer {
  command: string;
}

/** The directory that every command runs in, as its output may name it. */
export const directory = "/mnt/code";

export const environment = {
  HOME: "/home/user",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
  TZ: "UTC",
};

/** When every file of the starting tree was written. */
export const writtenMs = Date.UTC(2024, 0, 2, 3, 4, 5);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function describeBytes(bytes: Uint8Array): string | { base64: string } {
  try {
    return decoder.decode(bytes);
  } catch {
    return { base64: btoa(String.fromCharCode(...bytes)) };
  }
}

export function describeFile(bytes: Uint8Array, executable: boolean): Entry {
  const content = describeBytes(bytes);
  if (!executable) return content;
  return typeof content === "string"
    ? { text: content, executable }
    : { base64: content.base64, executable };
}

export function contentOf(entry: string | { text: string } | { base64: string }): Uint8Array {
  if (typeof entry === "object" && "base64" in entry) {
    return Uint8Array.from(atob(entry.base64), (character) => character.charCodeAt(0));
  }
  return new TextEncoder().encode(typeof entry === "string" ? entry : entry.text);
}

/** The differences of two trees; `undefined` when they are equal. */
export function changesBetween(
  before: Tree,
  after: Tree,
): Record<string, Entry | null> | undefined {
  const changes: Record<string, Entry | null> = {};
  for (const path of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    if (JSON.stringify(before[path]) !== JSON.stringify(after[path])) {
      changes[path] = after[path] ?? null;
    }
  }
  return Object.keys(changes).length > 0 ? changes : undefined;
}
