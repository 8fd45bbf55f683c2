/** Why the content of a file is not kept: a rewind names such files instead of bringing them back. */
export type NotCovered = "too-large" | "too-many" | "unreadable";

/** What was at a path, with its content by reference. */
export type PastVersion =
  | {
      type: "file";
      /** Bytes. */
      size: number;
      mode: number;
      mtimeMs: number;
      /** Of its content among the session's payloads; hex. */
      sha256: string;
    }
  | { type: "file" | "directory"; notCovered: NotCovered }
  | { type: "directory"; mode: number }
  | { type: "symlink"; target: string };

/** One path as it was before the session first changed it since the last checkpoint; `null`: nothing was there. */
export interface FileBefore {
  path: string;
  before: PastVersion | null;
}
