import { FileSystemError } from "@robota/runtime";
import { MODE_BITS } from "@robota/runtime/ports";
import { checkRename, checkTarget, type Place, renameRefusal } from "@robota/runtime/virtual";
import type { Outcome } from "@robota/runtime/virtual";
import { type FileInode, type Following, type Inode, newFacts, type Tree } from "./tree.ts";

/**
 * One change of the files, as data: it can be reapplied after an aborted transaction, and sent to the tab that owns the
 * workspace. Paths are normalised; bytes belong to the operation.
 */
export type FileOperation = (
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
  | { type: "utimes"; path: string; mtimeMs: number }
) & {
  /** Fails with `ELOOP` where a symlink would have to be followed. */
  noFollow?: boolean;
  /** Id of another tab's request, which may repeat it without an answer. */
  request?: string;
};

/** A change of a path. A removed or moved directory stands for everything below it. */
export interface PathChange {
  type: "create" | "change" | "remove";
  path: string;
}

/** Bytes to be stored for one file, from `offset` on; none when it only `replaces`. */
export interface Piece {
  ino: number;
  offset: number;
  data: Uint8Array;
  /** True when old records of the file must be deleted first. */
  replaces: boolean;
}

/** The place of a small file's first bytes. */
export interface InlineRecord {
  home: number;
  ino: number;
}

/** Effects of operations on a tree, and the records to store. */
export interface Changes {
  /** Inodes that are new, different or gone. */
  inodes: Set<number>;
  /** The bytes of small files that were written as a whole, by inode number. */
  small: Map<number, Uint8Array>;
  /** Files whose bytes of an earlier revision have to go. */
  oldHomes: InlineRecord[];
  pieces: Piece[];
  /** Files that are gone and had pieces. */
  gonePieces: Set<number>;
  /** Small pieces to merge: those of file `ino` from `offset` on. */
  joins: { ino: number; offset: number }[];
  files: PathChange[];
  /** Requests to be remembered as done, and to be forgotten. */
  requests: { done: string[]; outdated: string[] };
}

export function noChanges(): Changes {
  const requests = { done: [], outdated: [] };
  return {
    inodes: new Set(),
    small: new Map(),
    oldHomes: [],
    pieces: [],
    gonePieces: new Set(),
    joins: [],
    files: [],
    requests,
  };
}

const MAX_REQUESTS = 256;
/** A file up to this size is stored in one record, with its inode. */
const SMALL_BYTES = 16 * 1024;
const MAX_LOOSE_PIECES = 128;
const NOTHING = new Uint8Array();
const LARGE_ENOUGH_BYTES = 1024 * 1024;

/**
 * Applies `operation` to `tree` and adds its effects to `changes`. A `FileSystemError` means that it had no effect, or,
 * as with `mkdir -p`, created the first directories.
 */
export function tryApply(
  tree: Tree,
  operation: FileOperation,
  now: number,
  changes: Changes,
): Outcome<void> {
  try {
    return { value: applyOperation(tree, operation, now, changes) };
  } catch (error) {
    if (error instanceof FileSystemError) return { error };
    throw error;
  }
}

function applyOperation(tree: Tree, operation: FileOperation, now: number, changes: Changes): void {
  const { request } = operation;
  if (request !== undefined && tree.requests.has(request)) return;
  applyChange({ tree, now, changes }, operation);
  if (request !== undefined) remember({ tree, now, changes }, request);
}

function remember({ tree, changes }: Edit, request: string): void {
  tree.requests.add(request);
  changes.requests.done.push(request);
  const [oldest] = tree.requests;
  if (oldest === undefined || tree.requests.size <= MAX_REQUESTS) return;
  tree.requests.delete(oldest);
  changes.requests.outdated.push(oldest);
}

function applyChange(edit: Edit, operation: FileOperation): void {
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
      return rename(edit, operation);
    case "symlink":
      return symlink(edit, operation);
    case "chmod":
      return setFacts(edit, operation, { mode: operation.mode & MODE_BITS });
    case "utimes":
      return setFacts(edit, operation, { mtimeMs: operation.mtimeMs });
  }
}

interface Edit {
  tree: Tree;
  now: number;
  changes: Changes;
}

type Of<Type extends FileOperation["type"]> = Extract<FileOperation, { type: Type }>;

function write(edit: Edit, operation: Of<"write">): void {
  const { data, mode } = operation;
  const file = openFile(edit, operation, mode);
  const { ino } = file;
  const isSmall = data.length <= SMALL_BYTES;
  const pieces = isSmall ? 0 : 1;
  // A record at the same place is replaced by being put.
  const replaces = file.pieces > (file.home > 0 ? 0 : pieces);
  leaveHome(edit, file);
  if (isSmall && data.length > 0) {
    edit.changes.small.set(ino, data);
    file.home = edit.tree.revision + 1;
  }
  if (!isSmall) edit.changes.pieces.push({ ino, offset: 0, data, replaces });
  else if (replaces) edit.changes.pieces.push({ ino, offset: 0, data: NOTHING, replaces });
  if (mode !== undefined) file.mode = mode & MODE_BITS;
  file.size = data.length;
  file.pieces = pieces;
  file.packed = data.length;
  file.loose = 0;
  file.mtimeMs = edit.now;
}

function leaveHome({ tree, changes }: Edit, file: FileInode): void {
  const { home, ino } = file;
  file.home = 0;
  if (home > tree.revision) changes.small.delete(ino);
  else if (home > 0) changes.oldHomes.push({ home, ino });
}

function append(edit: Edit, operation: Of<"append">): void {
  const { data } = operation;
  const file = openFile(edit, operation);
  file.mtimeMs = edit.now;
  if (data.length === 0) return;
  edit.changes.pieces.push({ ino: file.ino, offset: file.size, data, replaces: false });
  file.size += data.length;
  file.pieces += 1;
  file.loose += 1;
  if (file.loose >= MAX_LOOSE_PIECES) pack(edit, file);
}

/** Keeps a file that grows by many small appends from falling into as many records. */
function pack({ changes }: Edit, file: FileInode): void {
  if (file.size - file.packed < LARGE_ENOUGH_BYTES) {
    changes.joins.push({ ino: file.ino, offset: file.packed });
    file.pieces -= file.loose - 1;
  }
  file.packed = file.size;
  file.loose = 0;
}

function makeDirectory(edit: Edit, operation: Of<"mkdir">): void {
  const { path, mode } = operation;
  const place = edit.tree.locate(path, keeping(operation));
  if (place.node) throw new FileSystemError("EEXIST", path);
  insertDirectory(edit, place, mode);
}

function makeDirectories(edit: Edit, operation: Of<"mkdir">): void {
  const { path, mode } = operation;
  let at = "";
  for (const name of path.split("/").slice(1)) {
    at += `/${name}`;
    const place = edit.tree.locate(at, keeping(operation));
    if (!place.node) {
      insertDirectory(edit, place, mode);
      continue;
    }
    const node = locateOrNothing(edit.tree, at, following(operation))?.node;
    if (node?.type === "directory") continue;
    throw new FileSystemError(node && at !== path ? "ENOTDIR" : "EEXIST", path);
  }
}

function remove(edit: Edit, operation: Of<"remove">): void {
  const { path, recursive, force, only } = operation;
  const { tree } = edit;
  const how = keeping(operation);
  const place = force ? locateOrNothing(tree, path, how) : tree.locate(path, how);
  const inode = place?.node;
  if (!inode) {
    if (force) return;
    throw new FileSystemError("ENOENT", path);
  }
  if (inode === tree.root) throw new FileSystemError("EBUSY", path);
  if (inode.type === "directory") {
    if (only === "file") throw new FileSystemError("EISDIR", path);
    if (!recursive && !tree.isEmpty(inode)) throw new FileSystemError("ENOTEMPTY", path);
  } else if (only === "directory") {
    throw new FileSystemError("ENOTDIR", path);
  }
  touchParent(edit, place);
  forget(edit, inode);
  edit.changes.files.push({ type: "remove", path: place.path });
}

function rename(edit: Edit, operation: Of<"rename">): void {
  const { from, to } = operation;
  checkRename(from, to);
  const { tree, changes } = edit;
  const source = tree.locate(from, keeping(operation));
  const moved = source.node;
  if (!moved) throw new FileSystemError("ENOENT", from);
  if (moved === tree.root) throw new FileSystemError("EBUSY", from);
  const target = tree.locate(to, keeping(operation));
  const replaced = target.node;
  if (replaced === tree.root) throw new FileSystemError("EBUSY", to);
  if (replaced === moved) return;
  if (target.trail.some((directory) => directory === moved)) {
    throw new FileSystemError("EINVAL", from);
  }
  if (replaced) {
    const isEmpty = replaced.type !== "directory" || tree.isEmpty(replaced);
    const refusal = renameRefusal(moved.type, replaced.type, isEmpty);
    if (refusal) throw new FileSystemError(refusal, to);
    forget(edit, replaced);
  }
  touchParent(edit, source);
  tree.put({ ...moved, ...link(edit, target) });
  changes.inodes.add(moved.ino);
  changes.files.push(
    { type: "remove", path: source.path },
    { type: replaced ? "change" : "create", path: target.path },
  );
}

function symlink(edit: Edit, operation: Of<"symlink">): void {
  const { target, path } = operation;
  checkTarget(target);
  const place = edit.tree.locate(path, keeping(operation));
  if (place.node) throw new FileSystemError("EEXIST", path);
  insert(edit, place, { type: "symlink", ...newInode(edit, place, 0o777), target });
}

function setFacts(
  edit: Edit,
  operation: Of<"chmod" | "utimes">,
  facts: { mode?: number; mtimeMs?: number },
): void {
  const place = edit.tree.locate(operation.path, following(operation));
  if (!place.node) throw new FileSystemError("ENOENT", operation.path);
  Object.assign(place.node, facts);
  note(edit, place.node, { type: "change", path: place.path });
}

/** The file to be written at `path`, made when it is not there. */
function openFile(edit: Edit, operation: Of<"write" | "append">, mode = 0o644): FileInode {
  const { path } = operation;
  const place = edit.tree.locate(path, following(operation));
  if (!place.node) {
    const facts = newInode(edit, place, mode);
    const bytes = { size: 0, home: 0, pieces: 0, packed: 0, loose: 0 };
    const file: FileInode = { type: "file", ...facts, ...bytes };
    insert(edit, place, file);
    return file;
  }
  if (place.node.type !== "file") throw new FileSystemError("EISDIR", path);
  note(edit, place.node, { type: "change", path: place.path });
  return place.node;
}

function following({ noFollow = false }: FileOperation): Following {
  return { follow: true, noFollow };
}

function keeping({ noFollow = false }: FileOperation): Following {
  return { follow: false, noFollow };
}

function insertDirectory(edit: Edit, place: Place<Inode>, mode = 0o755): void {
  insert(edit, place, { type: "directory", ...newInode(edit, place, mode) });
}

function newInode(edit: Edit, place: Place<Inode>, mode: number) {
  const ino = edit.tree.nextIno;
  edit.tree.nextIno += 1;
  return { ino, ...newFacts(mode & MODE_BITS, edit.now), ...link(edit, place) };
}

/** Puts an inode at `place`. */
function link({ tree, now }: Edit, { name, trail }: Place<Inode>) {
  const directory = trail.at(-1) ?? tree.root;
  directory.mtimeMs = now;
  return { parent: directory.ino, name, linkedMs: now, linkedRevision: tree.revision + 1 };
}

function insert(edit: Edit, place: Place<Inode>, inode: Inode): void {
  edit.tree.put(inode);
  note(edit, inode, { type: "create", path: place.path });
}

function forget(edit: Edit, inode: Inode): void {
  const { tree, changes } = edit;
  const doomed: Inode[] = [inode];
  for (const each of doomed) {
    if (each.type !== "directory") continue;
    for (const child of tree.children(each)) doomed.push(child);
  }
  for (const each of doomed) {
    const { ino } = each;
    if (each.type === "file") {
      leaveHome(edit, each);
      if (each.pieces > 0) changes.gonePieces.add(ino);
    }
    tree.delete(ino);
    changes.inodes.add(ino);
  }
}

function locateOrNothing(tree: Tree, path: string, how: Following): Place<Inode> | undefined {
  try {
    return tree.locate(path, how);
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** For removals from a directory; an added inode carries the time itself. */
function touchParent({ tree, changes, now }: Edit, { trail }: Place<Inode>): void {
  const directory = trail.at(-1) ?? tree.root;
  directory.mtimeMs = now;
  changes.inodes.add(directory.ino);
}

function note({ changes }: Edit, inode: Inode, change: PathChange): void {
  changes.inodes.add(inode.ino);
  changes.files.push(change);
}
