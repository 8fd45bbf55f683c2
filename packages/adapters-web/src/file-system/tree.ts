import { FileSystemError } from "@robota/runtime";

interface InodeBase {
  /** Never used twice, so the bytes of a removed file can't turn up under another name. */
  ino: number;
  /** The directory's inode number; the root is its own parent. */
  parent: number;
  name: string;
  mode: number;
  mtimeMs: number;
}

export interface FileInode extends InodeBase {
  type: "file";
  size: number;
  /** The bytes before this offset are stored in pieces that are large enough. */
  packed: number;
  /** How many pieces the bytes after it are stored in. */
  pieces: number;
}

export interface DirectoryInode extends InodeBase {
  type: "directory";
}

export interface SymlinkInode extends InodeBase {
  type: "symlink";
  target: string;
}

/** What is stored about one file, directory or symlink: all but a file's bytes. */
export type Inode = FileInode | DirectoryInode | SymlinkInode;

/** What is stored once per workspace. */
export interface TreeState {
  nextIno: number;
  /** Grows by one with each stored transaction: two trees of one revision are equal. */
  revision: number;
}

/** Where a path leads. When `inode` is undefined, nothing is there yet, and a file made there goes by `name`. */
export interface Place {
  directory: DirectoryInode;
  name: string;
  inode: Inode | undefined;
}

const ROOT = 1;
const MAX_SYMLINKS = 40;

/** The names, kinds and sizes of a whole workspace, in memory. */
export class Tree {
  readonly root: DirectoryInode;
  nextIno: number;
  revision: number;
  readonly #inodes = new Map<number, Inode>();
  readonly #children = new Map<number, Map<string, Inode>>();

  constructor(inodes: readonly Inode[], state: TreeState | undefined, now: number) {
    this.nextIno = state?.nextIno ?? ROOT + 1;
    this.revision = state?.revision ?? 0;
    for (const inode of inodes) this.#inodes.set(inode.ino, inode);
    const root = this.#inodes.get(ROOT);
    this.root =
      root?.type === "directory"
        ? root
        : { type: "directory", ino: ROOT, parent: ROOT, name: "", mode: 0o755, mtimeMs: now };
    this.#inodes.set(ROOT, this.root);
    for (const inode of inodes) this.#attach(inode);
  }

  get(ino: number): Inode | undefined {
    return this.#inodes.get(ino);
  }

  /** Puts a new inode into its directory, or moves a known one to where its `parent` and `name` say now. */
  put(inode: Inode): void {
    const known = this.#inodes.get(inode.ino);
    if (known) this.#detach(known);
    const kept = known ? Object.assign(known, inode) : inode;
    this.#inodes.set(kept.ino, kept);
    this.#attach(kept);
  }

  move(inode: Inode, directory: DirectoryInode, name: string): void {
    this.#detach(inode);
    inode.parent = directory.ino;
    inode.name = name;
    this.#attach(inode);
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

  parent(inode: Inode): DirectoryInode {
    const parent = this.#inodes.get(inode.parent);
    return parent?.type === "directory" ? parent : this.root;
  }

  /** The path without symlinks. */
  path(inode: Inode): string {
    const names: string[] = [];
    for (let at: Inode = inode; at.ino !== ROOT; at = this.parent(at)) names.unshift(at.name);
    return `/${names.join("/")}`;
  }

  /**
   * Walks a normalised path. Symlinks on the way are followed, one in the last segment only with `follow`.
   * @throws {FileSystemError} `ENOENT` (a directory on the way is missing), `ENOTDIR`, `ELOOP`
   */
  locate(path: string, options: { follow: boolean }): Place {
    const rest = segments(path).reverse();
    let place: Place = { directory: this.root, name: "", inode: this.root };
    let links = 0;
    for (let segment = rest.pop(); segment !== undefined; segment = rest.pop()) {
      const { inode: at } = place;
      if (!at) throw new FileSystemError("ENOENT", path);
      if (at.type !== "directory") throw new FileSystemError("ENOTDIR", path);
      place = segment === ".." ? this.#place(this.parent(at)) : this.#child(at, segment);

      if (place.inode?.type === "symlink" && (options.follow || rest.length > 0)) {
        links += 1;
        if (links > MAX_SYMLINKS) throw new FileSystemError("ELOOP", path);
        const { target } = place.inode;
        place = this.#place(target.startsWith("/") ? this.root : place.directory);
        rest.push(...segments(target).reverse());
      }
    }
    return place;
  }

  /** As `locate`, for what must be there. @throws {FileSystemError} `ENOENT`, `ENOTDIR`, `ELOOP` */
  resolve(path: string, options: { follow: boolean }): Inode {
    const { inode } = this.locate(path, options);
    if (!inode) throw new FileSystemError("ENOENT", path);
    return inode;
  }

  /** The direct children of a directory, unsorted. @throws {FileSystemError} as `resolve`, `ENOTDIR` */
  list(path: string): Iterable<Inode> {
    const inode = this.resolve(path, { follow: true });
    if (inode.type !== "directory") throw new FileSystemError("ENOTDIR", path);
    return this.children(inode);
  }

  #place(directory: DirectoryInode): Place {
    return { directory: this.parent(directory), name: directory.name, inode: directory };
  }

  #child(directory: DirectoryInode, name: string): Place {
    return { directory, name, inode: this.#children.get(directory.ino)?.get(name) };
  }

  #attach(inode: Inode): void {
    if (inode.ino === ROOT) return;
    const siblings = this.#children.get(inode.parent) ?? new Map<string, Inode>();
    this.#children.set(inode.parent, siblings.set(inode.name, inode));
  }

  #detach(inode: Inode): void {
    const siblings = this.#children.get(inode.parent);
    // Another one may have taken the name: changes that came from another tab are put in the order of their numbers.
    if (siblings?.get(inode.name) === inode) siblings.delete(inode.name);
  }
}

function segments(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}
