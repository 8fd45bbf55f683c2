import type { Inode } from "./tree.ts";

/** The part of an inode that its kind makes up: nothing of a directory, a symlink's target, a file's numbers. */
type KindRow =
  | null
  | string
  | [size: number, home: number, pieces: number, packed: number, loose: number];

/** An inode without field names: the packed storage form. */
export type InodeRow = [
  ino: number,
  parent: number,
  name: string,
  mode: number,
  mtimeMs: number,
  revision: number,
  linkedMs: number,
  linkedRevision: number,
  kind: KindRow,
];

export function toRow(inode: Inode): InodeRow {
  const { ino, parent, name, mode, mtimeMs, revision, linkedMs, linkedRevision } = inode;
  const kind = kindRow(inode);
  return [ino, parent, name, mode, mtimeMs, revision, linkedMs, linkedRevision, kind];
}

export function fromRow(row: InodeRow): Inode {
  const [ino, parent, name, mode, mtimeMs, revision, linkedMs, linkedRevision, kind] = row;
  const facts = { ino, parent, name, mode, mtimeMs, revision, linkedMs, linkedRevision };
  if (kind === null) return { type: "directory", ...facts };
  if (typeof kind === "string") return { type: "symlink", ...facts, target: kind };
  const [size, home, pieces, packed, loose] = kind;
  return { type: "file", ...facts, size, home, pieces, packed, loose };
}

function kindRow(inode: Inode): KindRow {
  switch (inode.type) {
    case "directory":
      return null;
    case "symlink":
      return inode.target;
    case "file": {
      const { size, home, pieces, packed, loose } = inode;
      return [size, home, pieces, packed, loose];
    }
  }
}
