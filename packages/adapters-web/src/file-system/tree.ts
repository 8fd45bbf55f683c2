import { FileSystemError } from "@robota/runtime";
import { type PathOptions } from "@robota/runtime/ports";
import { locateCanonical, type Place, walk, walkNow, walkCanonical } from "@robota/runtime/virtual";
import { UnpackedChanges } from "./unpacked-changes.ts";

/** Reports whether a symlink in the last segment is followed, and whether any may be. */
export type Following = PathOptions & { follow: boolean };

interface InodeBase {
  /** Never used twice, so the bytes of a removed file can't turn up under another name. */
  ino: number;
  /** The directory's inode number; the root is its own parent. */
  parent: number;
  name: string;
  mode: number;
  mtimeMs: number;
  /** Revision of the tree when this was last stored. */
  revision: number;
  /** Time and revision at which this inode entered its directory: see `#attach`. */
  linkedMs: number;
  linkedRevision: number;
}

export interface FileInode extends InodeBase {
  type: "file";
  size: number;
  /** The revision with which the first of its bytes were stored, if they lie in a record of their own; otherwise 0. */
  home: number;
  /** Number of records with the other bytes. */
  pieces: number;
  /** The bytes before this offset are in records that are large enough. */
  packed: number;
  /** Number of records after it. */
  loose: number;
}

export interface DirectoryInode extends InodeBase {
  type: "directory";
}

export interface SymlinkInode extends InodeBase {
  type: "symlink";
  target: string;
}

/** The stored facts about one file, directory or symlink: everything but a file's bytes. */
export type Inode = FileInode | DirectoryInode | SymlinkInode;

/** Facts that the inodes do not imply. */
export interface TreeState {
  nextIno: number;
  revision: number;
}

export interface StoredTree {
  inodes: readonly Inode[];
  /** Undefined when none was stored yet. */
  state: TreeState | undefined;
  requests: readonly string[];
}

const ROOT = 1;

/** The names, kinds and sizes of a whole workspace, in memory. */
export class Tree {
  readonly root: DirectoryInode;
  nextIno: number;
  /** Grows by one with each stored transaction: two trees of one revision are equal. */
  revision: number;
  /** Changes made for other tabs lately, the oldest first. */
  readonly requests: Set<string>;
  readonly tail = new UnpackedChanges();
  readonly #inodes = new Map<number, Inode>();
  readonly #children = new Map<number, Map<string, Inode>>();

  constructor(
    { inodes, state, requests }: StoredTree,
    /** The time of a root that was never stored. */
    now: number,
  ) {
    this.requests = new Set(requests);
    this.nextIno = state?.nextIno ?? ROOT + 1;
    this.revision = state?.revision ?? 0;
    for (const inode of inodes) {
      this.#inodes.set(inode.ino, inode);
      this.nextIno = Math.max(this.nextIno, inode.ino + 1);
      this.revision = Math.max(this.revision, inode.revision);
    }
    const root = this.#inodes.get(ROOT);
    this.root =
      root?.type === "directory"
        ? root
        : { type: "directory", ino: ROOT, parent: ROOT, name: "", ...newFacts(0o755, now) };
    this.#inodes.set(ROOT, this.root);
    for (const inode of inodes) this.#attach(inode);
  }

  get(ino: number): Inode | undefined {
    return this.#inodes.get(ino);
  }

  inodes(): Iterable<Inode> {
    return this.#inodes.values();
  }

  /** Puts a new inode into its directory, or makes a known one equal to it and moves it to where that one is. */
  put(inode: Inode): void {
    const known = this.#inodes.get(inode.ino);
    if (known) this.#detach(known);
    const kept = known ? Object.assign(known, inode) : inode;
    this.#inodes.set(kept.ino, kept);
    this.#attach(kept);
  }

  delete(ino: number): void {
    const inode = this.#inodes.get(ino);
    if (!inode) return;
    this.#detach(inode);
    this.#inodes.delete(ino);
    this.#children.delete(ino);
  }

  /** Unsorted. */
  children(directory: DirectoryInode): Iterable<Inode> {
    return this.#children.get(directory.ino)?.values() ?? [];
  }

  isEmpty(directory: DirectoryInode): boolean {
    return (this.#children.get(directory.ino)?.size ?? 0) === 0;
  }

  /** @throws {FileSystemError} `ENOENT` (a parent is missing), `ENOTDIR`, `ELOOP`, `ENAMETOOLONG` */
  locate(path: string, options: Following): Place<Inode> {
    return (
      locateCanonical<Inode>(this.root, path, this.#childOf) ??
      walkNow(walk<Inode>(this.root, path, options.follow, options), ({ directory, name }) =>
        this.#childOf(directory, name),
      )
    );
  }

  isCanonicalPath(path: string): boolean {
    return this.#walkCanonical(path) !== undefined;
  }

  /** The inode at a normalised path without symlinks; `undefined` for every other path. */
  straight(path: string): Inode | undefined {
    return this.#walkCanonical(path)?.node;
  }

  /** The inode at `path`. @throws {FileSystemError} as `locate`, and `ENOENT` when nothing is there */
  resolve(path: string, options: Following): Inode {
    const { node } = this.locate(path, options);
    if (!node) throw new FileSystemError("ENOENT", path);
    return node;
  }

  /** The direct children of a directory, unsorted. @throws {FileSystemError} as `resolve`, `ENOTDIR` */
  list(path: string, options?: PathOptions): Iterable<Inode> {
    const inode = this.resolve(path, { ...options, follow: true });
    if (inode.type !== "directory") throw new FileSystemError("ENOTDIR", path);
    return this.children(inode);
  }

  #walkCanonical(path: string): { node: Inode | undefined } | undefined {
    return walkCanonical<Inode>(this.root, path, this.#childOf);
  }

  readonly #childOf = ({ ino }: DirectoryInode, name: string): Inode | undefined =>
    this.#children.get(ino)?.get(name);

  #attach(inode: Inode): void {
    if (inode.ino === ROOT) return;
    const siblings = this.#children.get(inode.parent) ?? new Map<string, Inode>();
    this.#children.set(inode.parent, siblings.set(inode.name, inode));
    // Adding an inode updates the directory's time. Stored with the inode, not in another record.
    const directory = this.#inodes.get(inode.parent);
    if (directory && directory.revision < inode.linkedRevision) {
      directory.mtimeMs = inode.linkedMs;
      directory.revision = inode.linkedRevision;
    }
  }

  #detach(inode: Inode): void {
    const siblings = this.#children.get(inode.parent);
    // Another inode may have taken the name: changes from another tab are applied in the order of inode numbers.
    if (siblings?.get(inode.name) === inode) siblings.delete(inode.name);
  }
}

/** Initial fields of a new inode. */
export function newFacts(mode: number, now: number) {
  return { mode, mtimeMs: now, revision: 0, linkedMs: now, linkedRevision: 0 };
}
