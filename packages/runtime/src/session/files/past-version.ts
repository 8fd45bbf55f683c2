/** Reasons for not storing a file's content: a rewind names such files instead of restoring them. */
export type NotCovered = "too-large" | "too-many" | "unreadable";

/** A path's previous version, with its content by reference. */
export type PastVersion =
  | {
      type: "file";
      /** Bytes. */
      size: number;
      mode: number;
      mtimeMs: number;
      /** SHA-256 of its content among the session's payloads, in hex. */
      sha256: string;
    }
  | { type: "file" | "directory"; notCovered: NotCovered }
  | { type: "directory"; mode: number }
  | { type: "symlink"; target: string };

/** One path's version before the session first changed it since the last checkpoint; `null`: absent. */
export interface FileBefore {
  path: string;
  before: PastVersion | null;
}
