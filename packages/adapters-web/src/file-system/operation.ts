import { FileSystemError } from "@robota/runtime";
import type { DirectoryInode, FileInode, Inode, Place, Tree } from "./tree.ts";

/**
 * One change of the files, as data: so it can be applied again after a transaction was aborted, and sent to the tab
 * that owns the workspace. Paths are normalised; bytes belong to the operation.
 */
export type Operation =
  | { type: "write"; path: string; data: Uint8Array; mode?: number | undefined }
  | { type: "append"; path: string; data: Uint8Array }
  | { type: "mkdir"; path: string; recursive: boolean; mode?: number | undefined }
  | {
      type: "remove";
      path: string;
      recursive: boolean;
      force: boolean;
      only?: "file" | "directory";
    }
  | { type: "rename"; from: string; to: string }
  | { type: "symlink"; target: string; path: string }
  | { type: "chmod"; path: string; mode: number }
  | { type: "utimes"; path: string; mtimeMs: number };

/** What happened to a path. A removed or moved directory stands for everything below it. */
export interface PathChange {
  type: "create" | "change" | "remove";
  path: string;
}

/** Bytes to be stored for one file, from `offset` on. */
export interface Piece {
  ino: number;
  offset: number;
  data: Uint8Array;
  /** Whether pieces that are stored already must go first. */
  replaces: boolean;
}

/** What operations did to a tree and what has to be stored for it. */
export interface Changes {
  /** Inodes that are new, different or gone. */
  inodes: Set<number>;
  pieces: Piece[];
  /** Small pieces to be joined: those of file `ino` from `offset` on. */
  joins: { ino: number; offset: number }[];
  files: PathChange[];
}

export function noChanges(): Changes {
  return { inodes: new Set(), pieces: [], joins: [], files: [] };
}

const MAX_NAME_BYTES = 255;
const MAX_SMALL_PIECES = 128;
const LARGE_ENOUGH_BYTES = 1024 * 1024;
const encoder = new TextEncoder();

/** Applies `operation` to `tree` and adds what it did to `changes`, or throws a `FileSystemError` and does nothing. */
export function applyOperation(
  tree: Tree,
  operation: Operation,
  now: number,
  changes: Changes,
): void {
  const edit: Edit = { tree, now, changes };
  switch (operation.type) {
    case "write":
      return write(edit, operation);
    case "append":
      return append(edit, operation);
    case "mkdir":
      return operation.recursive
        ? makeDirectories(edit, operation)
        : makeDirectory(edit, operation);
    case "remove":
      return remove(edit, operation);
    case "rename":
      return rename(edit, operation.from, operation.to);
    case "symlink":
      return symlink(edit, operation.target, operation.path);
    case "chmod":
      return change(edit, operation.path, { mode: operation.mode & 0o777 });
    case "utimes":
      return change(edit, operation.path, { mtimeMs: operation.mtimeMs });
  }
}

interface Edit {
  tree: Tree;
  now: number;
  changes: Changes;
}

type Of<Type extends Operation["type"]> = Extract<Operation, { type: Type }>;

function write(edit: Edit, { path, data, mode }: Of<"write">): void {
  const place = edit.tree.locate(path, { follow: true });
  const file = existingFile(place, path);
  const isStored = file !== undefined && file.size > 0;
  const target = file ?? createFile(edit, place, path, mode);
  if (mode !== undefined) target.mode = mode & 0o777;
  target.size = target.packed = data.length;
  target.pieces = 0;
  target.mtimeMs = edit.now;
  edit.changes.pieces.push({ ino: target.ino, offset: 0, data, replaces: isStored });
  if (file) note(edit, file, "change");
}

function append(edit: Edit, { path, data }: Of<"append">): void {
  const place = edit.tree.locate(path, { follow: true });
  const file = existingFile(place, path);
  const target = file ?? createFile(edit, place, path);
  edit.changes.pieces.push({ ino: target.ino, offset: target.size, data, replaces: false });
  target.size += data.length;
  target.pieces += 1;
  target.mtimeMs = edit.now;
  if (target.pieces >= MAX_SMALL_PIECES) pack(edit, target);
  if (file) note(edit, file, "change");
}

/** Keeps a file that grows by many small appends from falling into as many records. */
function pack({ changes }: Edit, file: FileInode): void {
  const isSmall = file.size - file.packed < LARGE_ENOUGH_BYTES;
  if (isSmall) changes.joins.push({ ino: file.ino, offset: file.packed });
  file.packed = file.size;
  file.pieces = 0;
}

function makeDirectory(edit: Edit, { path, mode }: Of<"mkdir">): void {
  const place = edit.tree.locate(path, { follow: false });
  if (place.inode) throw new FileSystemError("EEXIST", path);
  createDirectory(edit, place, path, mode);
}

function makeDirectories(edit: Edit, { path, mode }: Of<"mkdir">): void {
  const names = path.split("/").filter((name) => name !== "");
  // Before the first directory is made: from there on nothing can fail, so nothing is left half made.
  for (const name of names) checkName(name, path);
  let at = "";
  for (const name of names) {
    at += `/${name}`;
    const place = edit.tree.locate(at, { follow: true });
    if (place.inode?.type === "directory") continue;
    if (place.inode) throw new FileSystemError(at === path ? "EEXIST" : "ENOTDIR", path);
    const isDangling = edit.tree.locate(at, { follow: false }).inode !== undefined;
    if (isDangling) throw new FileSystemError("EEXIST", path);
    createDirectory(edit, place, path, mode);
  }
}

function remove(edit: Edit, { path, recursive, force, only }: Of<"remove">): void {
  const { tree } = edit;
  const inode = force ? findOrNothing(tree, path) : tree.resolve(path, { follow: false });
  if (!inode) return;
  if (inode === tree.root) throw new FileSystemError("EBUSY", path);
  if (inode.type === "directory") {
    if (only === "file") throw new FileSystemError("EISDIR", path);
    if (!recursive && !tree.isEmpty(inode)) throw new FileSystemError("ENOTEMPTY", path);
  } else if (only === "directory") {
    throw new FileSystemError("ENOTDIR", path);
  }
  edit.changes.files.push({ type: "remove", path: tree.path(inode) });
  touch(edit, tree.parent(inode));
  forget(edit, inode);
}

function rename(edit: Edit, from: string, to: string): void {
  const { tree } = edit;
  const moved = tree.resolve(from, { follow: false });
  const place = tree.locate(to, { follow: false });
  const replaced = place.inode;
  if (replaced === moved) return;
  if (isInside(tree, place.directory, moved)) throw new FileSystemError("EINVAL", to);
  if (replaced?.type === "directory") {
    if (moved.type !== "directory") throw new FileSystemError("EISDIR", to);
    if (!tree.isEmpty(replaced)) throw new FileSystemError("ENOTEMPTY", to);
  } else if (replaced && moved.type === "directory") {
    throw new FileSystemError("ENOTDIR", to);
  }
  checkName(place.name, to);

  edit.changes.files.push({ type: "remove", path: tree.path(moved) });
  touch(edit, tree.parent(moved));
  touch(edit, place.directory);
  if (replaced) forget(edit, replaced);
  tree.move(moved, place.directory, place.name);
  note(edit, moved, replaced ? "change" : "create");
}

function symlink(edit: Edit, target: string, path: string): void {
  const place = edit.tree.locate(path, { follow: false });
  if (place.inode) throw new FileSystemError("EEXIST", path);
  if (target === "") throw new FileSystemError("ENOENT", path);
  const inode = newInode(edit, place, path);
  insert(edit, place.directory, { ...inode, type: "symlink", mode: 0o777, target });
}

function change(edit: Edit, path: string, facts: { mode?: number; mtimeMs?: number }): void {
  const inode = edit.tree.resolve(path, { follow: true });
  Object.assign(inode, facts);
  note(edit, inode, "change");
}

function existingFile({ inode }: Place, path: string): FileInode | undefined {
  if (inode && inode.type !== "file") throw new FileSystemError("EISDIR", path);
  return inode;
}

function createFile(edit: Edit, place: Place, path: string, mode = 0o644): FileInode {
  const facts = { type: "file", mode: mode & 0o777, size: 0, packed: 0, pieces: 0 } as const;
  const file: FileInode = { ...newInode(edit, place, path), ...facts };
  insert(edit, place.directory, file);
  return file;
}

function createDirectory(edit: Edit, place: Place, path: string, mode = 0o755): void {
  const inode = newInode(edit, place, path);
  insert(edit, place.directory, { ...inode, type: "directory", mode: mode & 0o777 });
}

function newInode({ tree, now }: Edit, { directory, name }: Place, path: string) {
  checkName(name, path);
  const ino = tree.nextIno;
  tree.nextIno += 1;
  return { ino, parent: directory.ino, name, mtimeMs: now };
}

function insert(edit: Edit, directory: DirectoryInode, inode: Inode): void {
  edit.tree.put(inode);
  touch(edit, directory);
  note(edit, inode, "create");
}

function forget({ tree, changes }: Edit, inode: Inode): void {
  const doomed: Inode[] = [inode];
  for (const each of doomed) {
    if (each.type !== "directory") continue;
    for (const child of tree.children(each)) doomed.push(child);
  }
  for (const { ino } of doomed) {
    tree.delete(ino);
    changes.inodes.add(ino);
  }
}

function findOrNothing(tree: Tree, path: string): Inode | undefined {
  try {
    return tree.resolve(path, { follow: false });
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function isInside(tree: Tree, directory: DirectoryInode, ancestor: Inode): boolean {
  for (let at = directory; ; at = tree.parent(at)) {
    if (at === ancestor) return true;
    if (at === tree.root) return false;
  }
}

function touch({ changes, now }: Edit, directory: DirectoryInode): void {
  directory.mtimeMs = now;
  changes.inodes.add(directory.ino);
}

function note({ tree, changes }: Edit, inode: Inode, type: PathChange["type"]): void {
  changes.inodes.add(inode.ino);
  changes.files.push({ type, path: tree.path(inode) });
}

function checkName(name: string, path: string): void {
  // A UTF-16 unit takes at most three bytes, so most names need no encoding to be measured.
  if (name.length * 3 <= MAX_NAME_BYTES) return;
  if (encoder.encode(name).length > MAX_NAME_BYTES) throw new FileSystemError("ENAMETOOLONG", path);
}
