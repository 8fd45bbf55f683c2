import { FileSystemError } from "../errors.ts";
import type { DirectoryEntry, FileStat, FileSystem, PathOptions } from "../ports/file-system.ts";
import { MODE_BITS } from "../ports/mode.ts";
import { isNormalized, isWithin } from "../ports/path.ts";
import { canonicalFiles } from "../ports/canonical-files.ts";
import { contentOf, grow, ownBytes } from "./file-content.ts";
import { type FileSystemChange, listChanges } from "./overlay/changes.ts";
import { commitLayer } from "./overlay/commit.ts";
import {
  baseDirectory,
  childNode,
  isEmpty,
  isUnchanged,
  isUntouched,
  type LayerDirectory,
  type LayerFile,
  type LayerNode,
  listDirectory,
  newDirectory,
  openParent,
  owned,
  type LayerOwner,
  readContent,
  statOf,
  unlessMissing,
} from "./overlay/layer.ts";
import { checkTarget, type Place, prefixesOf, walk, walkLater } from "./path-walk.ts";
import { ReadWriteLock } from "./read-write-lock.ts";
import { checkRename, renameRefusal } from "./rename-rules.ts";

export interface OverlayFileSystemOptions {
  /** The clock for times; by default the host's. */
  now?: (() => number) | undefined;
}

/** Operations that the base can answer directly. */
type DirectRead = "readFile" | "stat" | "lstat" | "readdir" | "realpath";

/**
 * A copy-on-write view of `base`: reads fall through, and changes stay in memory until `commit` writes them to the base
 * or `discard` drops them. Untouched paths show the present state of the base.
 */
export class OverlayFileSystem implements FileSystem {
  readonly honorsNoFollow = (): boolean => true;
  readonly #base: FileSystem;
  /** The base for canonical paths: a symlink that appears on one meanwhile is refused. */
  readonly #straightBase: FileSystem;
  readonly #now: () => number;
  readonly #lock = new ReadWriteLock();
  #owner: LayerOwner = {};
  #root: LayerDirectory = baseDirectory("/", this.#owner);

  constructor(base: FileSystem, options: OverlayFileSystemOptions = {}) {
    this.#base = base;
    this.#straightBase = canonicalFiles(base);
    this.#now = options.now ?? Date.now;
  }

  /**
   * Every path that differs from the base, sorted by code units, so that a directory comes before its entries. Costs as
   * much as there are changes; bytes are read on demand, or to compare files of equal size. A moved path counts as a
   * deleted and a created one.
   */
  changes(): Promise<FileSystemChange[]> {
    return this.#lock.read(() => listChanges(this.#base, this.#root));
  }

  /**
   * Writes every change to the base: new and changed entries first, then deletions. When the base refuses something,
   * rejects with its error; the overlay still shows the same, and `commit` can be retried.
   * @throws {FileSystemError} of the base
   */
  commit(): Promise<void> {
    return this.#lock.write(() =>
      commitLayer(this.#straightBase, this.#root, this.#owner, (root) => {
        this.#root = root;
      }),
    );
  }

  /** Forgets every change. */
  discard(): Promise<void> {
    return this.#lock.write(async () => {
      this.#root = baseDirectory("/", this.#owner);
    });
  }

  /**
   * A second overlay with the same changes, from where the two go their own ways. Takes no time and no memory, however
   * much was changed. They share the base: after one of them commits, the other shows it wherever it has no change.
   */
  fork(): OverlayFileSystem {
    const fork = new OverlayFileSystem(this.#base, { now: this.#now });
    fork.#root = this.#root;
    // The nodes are now shared: any change makes a copy.
    this.#owner = {};
    return fork;
  }

  readFile(path: string, options?: PathOptions): Promise<Uint8Array> {
    if (this.#isOfBase(path, options)) return this.#baseFor(options).readFile(path);
    return this.#read(path, "readFile", async () => {
      const node = await this.#existing(path, "target", options);
      if (node.type !== "file") throw new FileSystemError("EISDIR", path);
      return readContent(this.#baseFor(options), node.content);
    });
  }

  readMany(
    paths: readonly string[],
    maxBytes: number,
  ): Promise<readonly (Uint8Array | undefined)[]> | undefined {
    // Changed files are read individually; they are mostly the smaller part.
    const isOfBase = paths.map((path) => this.#isUntouched(path));
    const reading = this.#base.readMany?.(
      paths.filter((_, index) => isOfBase[index]),
      maxBytes,
    );
    return reading && spread(reading, isOfBase);
  }

  isCanonicalPath(path: string): boolean {
    return (
      this.#lock.isOpen &&
      isUntouched(this.#root, path) &&
      this.#base.isCanonicalPath?.(path) === true
    );
  }

  statCanonical(path: string): FileStat | undefined {
    return this.#isUntouched(path) ? this.#base.statCanonical?.(path) : undefined;
  }

  readdirCanonical(path: string): DirectoryEntry[] | undefined {
    return this.#isUntouched(path) ? this.#base.readdirCanonical?.(path) : undefined;
  }

  writeFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    const content = contentOf(ownBytes(data));
    return this.#lock.write(async () => {
      const place = await this.#place(path, "target", options);
      this.#putFile(path, place, content);
    });
  }

  appendFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    const bytes = ownBytes(data);
    return this.#lock.write(async () => {
      const place = await this.#place(path, "target", options);
      const { node } = place;
      if (node?.type !== "file") return this.#putFile(path, place, contentOf(bytes));
      const { content } = owned(node, this.#owner);
      const whole =
        "base" in content ? contentOf(await readContent(this.#baseFor(options), content)) : content;
      this.#putFile(path, place, grow(whole, bytes));
    });
  }

  stat(path: string): Promise<FileStat> {
    const seen = this.statCanonical(path);
    if (seen) return Promise.resolve(seen);
    if (this.#isOfBase(path)) return this.#base.stat(path);
    return this.#read(path, "stat", async () => statOf(this.#base, await this.#existing(path)));
  }

  lstat(path: string): Promise<FileStat> {
    const seen = this.statCanonical(path);
    if (seen) return Promise.resolve(seen);
    if (this.#isOfBase(path)) return this.#base.lstat(path);
    return this.#read(path, "lstat", async () =>
      statOf(this.#base, await this.#existing(path, "itself")),
    );
  }

  readdir(path: string, options?: PathOptions): Promise<DirectoryEntry[]> {
    const seen = this.readdirCanonical(path);
    if (seen) return Promise.resolve(seen);
    if (this.#isOfBase(path, options)) return this.#baseFor(options).readdir(path);
    return this.#read(path, "readdir", async () => {
      const node = await this.#existing(path, "target", options);
      if (node.type !== "directory") throw new FileSystemError("ENOTDIR", path);
      const entries = await listDirectory(this.#baseFor(options), node);
      return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    });
  }

  mkdir(path: string, options: PathOptions & { recursive?: boolean } = {}): Promise<void> {
    return this.#lock.write(async () => {
      if (options.recursive) return this.#makeDirectories(path, options);
      const place = await this.#place(path, "itself", options);
      if (place.node) throw new FileSystemError("EEXIST", path);
      this.#put(place, newDirectory(this.#now(), this.#owner));
    });
  }

  remove(
    path: string,
    options: PathOptions & { recursive?: boolean; force?: boolean } = {},
  ): Promise<void> {
    return this.#lock.write(async () => {
      const place = await unlessMissing(this.#place(path, "itself", options), "ENOENT");
      if (!place?.node) {
        if (options.force) return;
        throw new FileSystemError("ENOENT", path);
      }
      if (place.trail.length === 0) throw new FileSystemError("EBUSY", path);
      if (!options.recursive && !(await isEmpty(this.#base, place.node))) {
        throw new FileSystemError("ENOTEMPTY", path);
      }
      this.#erase(place);
    });
  }

  rename(from: string, to: string, options?: PathOptions): Promise<void> {
    return this.#lock.write(async () => {
      checkRename(from, to);
      const source = await this.#place(from, "itself", options);
      const { node } = source;
      if (!node) throw new FileSystemError("ENOENT", from);
      if (source.trail.length === 0) throw new FileSystemError("EBUSY", from);
      const target = await this.#place(to, "itself", options);
      if (target.trail.length === 0) throw new FileSystemError("EBUSY", to);
      if (source.path === target.path) return;
      if (isWithin(source.path, target.path)) throw new FileSystemError("EINVAL", from);
      if (target.node) {
        const isFree = await isEmpty(this.#base, target.node);
        const refusal = renameRefusal(node.type, target.node.type, isFree);
        if (refusal) throw new FileSystemError(refusal, to);
      }
      this.#erase(source);
      this.#put(target, node);
    });
  }

  symlink(target: string, path: string, options?: PathOptions): Promise<void> {
    return this.#lock.write(async () => {
      checkTarget(target);
      const place = await this.#place(path, "itself", options);
      if (place.node) throw new FileSystemError("EEXIST", path);
      const owner = this.#owner;
      this.#put(place, { type: "symlink", owner, target, mode: 0o777, mtimeMs: this.#now() });
    });
  }

  readlink(path: string): Promise<string> {
    return this.#lock.read(async () => {
      const node = await this.#existing(path, "itself");
      if (node.type !== "symlink") throw new FileSystemError("EINVAL", path);
      return node.target;
    });
  }

  realpath(path: string): Promise<string> {
    if (this.#isOfBase(path)) return this.#base.realpath(path);
    return this.#read(path, "realpath", async () => {
      const place = await this.#place(path, "target");
      if (!place.node) throw new FileSystemError("ENOENT", path);
      return place.path;
    });
  }

  chmod(path: string, mode: number, options?: PathOptions): Promise<void> {
    return this.#change(path, options, (node) => {
      node.mode = mode & MODE_BITS;
    });
  }

  async utimes(path: string, mtimeMs: number, options?: PathOptions): Promise<void> {
    if (!Number.isFinite(mtimeMs)) throw new FileSystemError("EINVAL", path);
    return this.#change(path, options, (node) => {
      node.mtimeMs = mtimeMs;
      node.timeSet = true;
    });
  }

  /** Reports whether the base's answer is the overlay's. */
  #isOfBase(path: string, options?: PathOptions): boolean {
    // The base itself refuses paths with a symlink.
    if (options?.noFollow) return isNormalized(path) && this.#isUntouched(path);
    // Without any change, symlinks of the base do not matter.
    return (this.#lock.isOpen && isUnchanged(this.#root)) || this.isCanonicalPath(path);
  }

  #baseFor(options: PathOptions | undefined): FileSystem {
    return options?.noFollow ? this.#straightBase : this.#base;
  }

  #isUntouched(path: string): boolean {
    // A read after a requested change must see it.
    return this.#lock.isOpen && isUntouched(this.#root, path);
  }

  /** The result of `walk`; for unchanged paths, the base may know it without a walk. */
  #read<Kind extends DirectRead>(
    path: string,
    kind: Kind,
    walk: () => ReturnType<FileSystem[Kind]>,
  ): ReturnType<FileSystem[Kind]>;
  #read(path: string, kind: DirectRead, walk: () => Promise<unknown>): Promise<unknown> {
    const mustWalk = this.#base.isCanonicalPath !== undefined || !this.#isUntouched(path);
    return mustWalk ? this.#lock.read(walk) : this.#readTogether(path, kind, walk);
  }

  /** Reads from a base that must be asked about symlinks on the path: both questions run at almost the same moment. */
  async #readTogether(
    path: string,
    kind: DirectRead,
    walk: () => Promise<unknown>,
  ): Promise<unknown> {
    const [real, answer] = await Promise.allSettled([
      this.#base.realpath(path),
      this.#base[kind](path),
    ]);
    const isDirect = real.status === "fulfilled" && real.value === path;
    return isDirect && answer.status === "fulfilled" ? answer.value : this.#lock.read(walk);
  }

  #place(
    path: string,
    what: "itself" | "target",
    options?: PathOptions,
  ): Promise<Place<LayerNode>> {
    return walkLater(walk<LayerNode>(this.#root, path, what === "target", options), (lookup) =>
      childNode(this.#base, lookup.directory, lookup.name),
    );
  }

  async #existing(
    path: string,
    what: "itself" | "target" = "target",
    options?: PathOptions,
  ): Promise<LayerNode> {
    const { node } = await this.#place(path, what, options);
    if (!node) throw new FileSystemError("ENOENT", path);
    return node;
  }

  #openParent(place: Place<LayerNode>): LayerDirectory {
    this.#root = owned(this.#root, this.#owner);
    return openParent(this.#root, place, this.#owner);
  }

  #put(place: Place<LayerNode>, node: LayerNode): void {
    const parent = this.#openParent(place);
    parent.entries.set(place.name, node);
    touch(parent, this.#now());
  }

  #erase(place: Place<LayerNode>): void {
    const parent = this.#openParent(place);
    // The mark stays even when the base has nothing: an entry that it gets later is not the removed one.
    if (parent.base === undefined) parent.entries.delete(place.name);
    else parent.entries.set(place.name, null);
    touch(parent, this.#now());
  }

  #putFile(path: string, place: Place<LayerNode>, content: LayerFile["content"]): void {
    const { node } = place;
    if (node && node.type !== "file") throw new FileSystemError("EISDIR", path);
    const mode = node?.mode ?? 0o644;
    const mtimeMs = this.#now();
    const file: LayerFile = {
      type: "file",
      owner: this.#owner,
      content,
      mode,
      mtimeMs,
      timeSet: false,
    };
    if (node) this.#openParent(place).entries.set(place.name, file);
    else this.#put(place, file);
  }

  /** Changes mode or time of the target of `path`. */
  #change(
    path: string,
    options: PathOptions | undefined,
    change: (node: LayerFile | LayerDirectory) => void,
  ): Promise<void> {
    return this.#lock.write(async () => {
      const place = await this.#place(path, "target", options);
      if (!place.node) throw new FileSystemError("ENOENT", path);
      if (place.node.type === "symlink") throw new FileSystemError("EINVAL", path);
      if (place.trail.length === 0) {
        this.#root = owned(this.#root, this.#owner);
        return change(this.#root);
      }
      const node = owned(place.node, this.#owner);
      this.#openParent(place).entries.set(place.name, node);
      change(node);
    });
  }

  async #makeDirectories(path: string, options: PathOptions): Promise<void> {
    const prefixes = prefixesOf(path);
    for (const prefix of prefixes) {
      const place = await this.#place(prefix, "itself", options);
      if (!place.node) {
        this.#put(place, newDirectory(this.#now(), this.#owner));
        continue;
      }
      const node = (await unlessMissing(this.#place(prefix, "target", options), "ENOENT"))?.node;
      if (node?.type === "directory") continue;
      throw new FileSystemError(node && prefix !== prefixes.at(-1) ? "ENOTDIR" : "EEXIST", path);
    }
  }
}

/** An entry came or went: the directory's time moves, but not on purpose. */
function touch(directory: LayerDirectory, now: number): void {
  directory.mtimeMs = now;
  directory.timeSet = false;
}

/** The items at the places that are chosen, and nothing at the others. */
async function spread<Item>(
  items: Promise<readonly (Item | undefined)[]>,
  isChosen: readonly boolean[],
): Promise<(Item | undefined)[]> {
  const rest = (await items).values();
  return isChosen.map((is) => (is ? rest.next().value : undefined));
}
