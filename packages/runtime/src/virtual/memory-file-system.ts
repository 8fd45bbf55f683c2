import { FileSystemError } from "../errors.ts";
import type {
  DirectoryEntry,
  FileStat,
  FileSystem,
  OpenFile,
  PathOptions,
} from "../ports/file-system.ts";
import { MODE_BITS } from "../ports/mode.ts";
import { dirname, normalizePath } from "../ports/path.ts";
import { bytesOf, contentOf, type FileContent, grow, ownBytes } from "./file-content.ts";
import { checkTarget, type Place, prefixesOf, walk, walkNow, walkCanonical } from "./path-walk.ts";
import { checkRename, renameRefusal } from "./rename-rules.ts";

interface Facts {
  mode: number;
  mtimeMs: number;
}

interface FileNode extends Facts {
  readonly type: "file";
  content: FileContent;
}

interface DirectoryNode extends Facts {
  readonly type: "directory";
  readonly entries: Map<string, MemoryNode>;
}

interface SymlinkNode extends Facts {
  readonly type: "symlink";
  readonly target: string;
}

type MemoryNode = FileNode | DirectoryNode | SymlinkNode;

export interface MemoryFileSystemOptions {
  /** Initial content, by absolute path; parents are created. A path that ends in `/` is a directory. */
  files?: Record<string, Uint8Array | string> | undefined;
  /** The clock for times; by default the host's. */
  now?: (() => number) | undefined;
}

/** A POSIX tree of files that lives and dies with the object. Each operation takes effect at the moment of its call. */
export class MemoryFileSystem implements FileSystem {
  readonly honorsNoFollow = (): boolean => true;
  readonly #now: () => number;
  readonly #root: DirectoryNode;
  /**
   * The last node found by canonical path: an overlay asks for it next. Cleared when a name appears, disappears or
   * moves.
   */
  #straight: { path: string; node: MemoryNode } | undefined;

  constructor(options: MemoryFileSystemOptions = {}) {
    this.#now = options.now ?? Date.now;
    this.#root = this.#newDirectory();
    for (const [path, data] of Object.entries(options.files ?? {})) {
      if (path.endsWith("/")) {
        this.#makeDirectories(path);
      } else {
        this.#makeDirectories(dirname(normalizePath(path)));
        this.#write(path, ownBytes(data), "replace");
      }
    }
  }

  async readFile(path: string, options?: PathOptions): Promise<Uint8Array> {
    const node = this.#existing(path, "target", options);
    if (node.type !== "file") throw new FileSystemError("EISDIR", path);
    return bytesOf(node.content);
  }

  async open(path: string): Promise<OpenFile> {
    const { node, path: real } = this.#place(path, "target");
    if (!node) throw new FileSystemError("ENOENT", path);
    if (node.type !== "file") throw new FileSystemError("EISDIR", path);
    const { content } = node;
    return {
      path: real,
      size: content.size,
      read: async (offset, length) =>
        content.buffer.slice(offset, Math.min(content.size, offset + length)),
      [Symbol.asyncDispose]: async () => {},
    };
  }

  isCanonicalPath(path: string): boolean {
    const found = this.#walkCanonical(path);
    this.#straight = found?.node && { path, node: found.node };
    return found !== undefined;
  }

  async readMany(paths: readonly string[], maxBytes: number): Promise<(Uint8Array | undefined)[]> {
    // Most come directory by directory, and the way to each is the same for all that is in it.
    let parent = "";
    let entries: ReadonlyMap<string, MemoryNode> | undefined;
    return paths.map((path) => {
      const start = path.lastIndexOf("/") + 1;
      if (start !== parent.length || !path.startsWith(parent)) {
        parent = path.slice(0, start);
        const directory = start > 1 ? this.#walkCanonical(parent.slice(0, -1))?.node : undefined;
        entries = directory?.type === "directory" ? directory.entries : undefined;
      }
      const node = entries?.get(path.slice(start));
      if (node?.type !== "file" || node.content.size > maxBytes) return undefined;
      const { buffer, size } = node.content;
      // Appending goes behind them, and replacing puts others in their place.
      return buffer.length === size ? buffer : buffer.subarray(0, size);
    });
  }

  async writeFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    this.#write(path, ownBytes(data), "replace", options);
  }

  async appendFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    this.#write(path, ownBytes(data), "append", options);
  }

  async stat(path: string): Promise<FileStat> {
    return statOf(this.#existing(path));
  }

  async lstat(path: string): Promise<FileStat> {
    return statOf(this.#existing(path, "itself"));
  }

  async readdir(path: string, options?: PathOptions): Promise<DirectoryEntry[]> {
    const node = this.#existing(path, "target", options);
    if (node.type !== "directory") throw new FileSystemError("ENOTDIR", path);
    return [...node.entries.keys()]
      .sort()
      .map((name) => ({ name, type: node.entries.get(name)!.type }));
  }

  async mkdir(path: string, options: PathOptions & { recursive?: boolean } = {}): Promise<void> {
    if (options.recursive) this.#makeDirectories(path, options);
    else this.#add(path, this.#newDirectory(), options);
  }

  async remove(
    path: string,
    options: PathOptions & { recursive?: boolean; force?: boolean } = {},
  ): Promise<void> {
    const found = options.force
      ? this.#find(path, "itself", options)
      : this.#place(path, "itself", options);
    if (!found?.node) {
      if (options.force) return;
      throw new FileSystemError("ENOENT", path);
    }
    const parent = found.trail.at(-1);
    if (!parent) throw new FileSystemError("EBUSY", path);
    if (found.node.type === "directory" && found.node.entries.size > 0 && !options.recursive) {
      throw new FileSystemError("ENOTEMPTY", path);
    }
    this.#straight = undefined;
    parent.entries.delete(found.name);
    parent.mtimeMs = this.#now();
  }

  async rename(from: string, to: string, options?: PathOptions): Promise<void> {
    checkRename(from, to);
    const source = this.#place(from, "itself", options);
    if (!source.node) throw new FileSystemError("ENOENT", from);
    if (source.node === this.#root) throw new FileSystemError("EBUSY", from);
    const target = this.#place(to, "itself", options);
    if (target.node === this.#root) throw new FileSystemError("EBUSY", to);
    if (source.node === target.node) return;
    if (target.trail.some((directory) => directory === source.node)) {
      throw new FileSystemError("EINVAL", from);
    }
    if (target.node) {
      const isEmpty = target.node.type !== "directory" || target.node.entries.size === 0;
      const refusal = renameRefusal(source.node.type, target.node.type, isEmpty);
      if (refusal) throw new FileSystemError(refusal, to);
    }
    const [oldParent, newParent] = [source.trail.at(-1)!, target.trail.at(-1)!];
    this.#straight = undefined;
    oldParent.entries.delete(source.name);
    newParent.entries.set(target.name, source.node);
    oldParent.mtimeMs = newParent.mtimeMs = this.#now();
  }

  async symlink(target: string, path: string, options?: PathOptions): Promise<void> {
    checkTarget(target);
    this.#add(path, { type: "symlink", target, mode: 0o777, mtimeMs: this.#now() }, options);
  }

  async readlink(path: string): Promise<string> {
    const node = this.#existing(path, "itself");
    if (node.type !== "symlink") throw new FileSystemError("EINVAL", path);
    return node.target;
  }

  async realpath(path: string): Promise<string> {
    if (this.#straight?.path === path) return path;
    const found = this.#place(path, "target");
    if (!found.node) throw new FileSystemError("ENOENT", path);
    return found.path;
  }

  async chmod(path: string, mode: number, options?: PathOptions): Promise<void> {
    this.#existing(path, "target", options).mode = mode & MODE_BITS;
  }

  async utimes(path: string, mtimeMs: number, options?: PathOptions): Promise<void> {
    if (!Number.isFinite(mtimeMs)) throw new FileSystemError("EINVAL", path);
    this.#existing(path, "target", options).mtimeMs = mtimeMs;
  }

  #walkCanonical(path: string): { node: MemoryNode | undefined } | undefined {
    return walkCanonical<MemoryNode>(this.#root, path, ({ entries }, name) => entries.get(name));
  }

  #place(path: string, what: "itself" | "target", options?: PathOptions): Place<MemoryNode> {
    return walkNow(walk<MemoryNode>(this.#root, path, what === "target", options), (lookup) =>
      lookup.directory.entries.get(lookup.name),
    );
  }

  #existing(path: string, what: "itself" | "target" = "target", options?: PathOptions): MemoryNode {
    if (this.#straight?.path === path) return this.#straight.node;
    const { node } = this.#place(path, what, options);
    if (!node) throw new FileSystemError("ENOENT", path);
    return node;
  }

  /** As `#place`, but `undefined` instead of `ENOENT` for a missing parent. */
  #find(
    path: string,
    what: "itself" | "target",
    options?: PathOptions,
  ): Place<MemoryNode> | undefined {
    try {
      return this.#place(path, what, options);
    } catch (error) {
      if (error instanceof FileSystemError && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  #newDirectory(): DirectoryNode {
    return { type: "directory", entries: new Map(), mode: 0o755, mtimeMs: this.#now() };
  }

  #add(path: string, node: MemoryNode, options?: PathOptions): void {
    const found = this.#place(path, "itself", options);
    if (found.node) throw new FileSystemError("EEXIST", path);
    this.#put(found, node);
  }

  #put(where: Place<MemoryNode>, node: MemoryNode): void {
    const parent = where.trail.at(-1)!;
    this.#straight = undefined;
    parent.entries.set(where.name, node);
    parent.mtimeMs = this.#now();
  }

  #makeDirectories(path: string, options?: PathOptions): void {
    const prefixes = prefixesOf(path);
    for (const prefix of prefixes) {
      const found = this.#place(prefix, "itself", options);
      if (!found.node) {
        this.#put(found, this.#newDirectory());
        continue;
      }
      const node = this.#find(prefix, "target", options)?.node;
      if (node?.type === "directory") continue;
      throw new FileSystemError(node && prefix !== prefixes.at(-1) ? "ENOTDIR" : "EEXIST", path);
    }
  }

  #write(path: string, data: Uint8Array, how: "replace" | "append", options?: PathOptions): void {
    const found = this.#place(path, "target", options);
    const { node } = found;
    const mtimeMs = this.#now();
    if (!node) {
      this.#put(found, { type: "file", content: contentOf(data), mode: 0o644, mtimeMs });
    } else if (node.type === "file") {
      node.content = how === "replace" ? contentOf(data) : grow(node.content, data);
      node.mtimeMs = mtimeMs;
    } else {
      throw new FileSystemError("EISDIR", path);
    }
  }
}

function statOf(node: MemoryNode): FileStat {
  const { type, mode, mtimeMs } = node;
  return { type, size: sizeOf(node), mtimeMs, mode };
}

function sizeOf(node: MemoryNode): number {
  switch (node.type) {
    case "file":
      return node.content.size;
    case "directory":
      return 0;
    case "symlink":
      return new TextEncoder().encode(node.target).length;
  }
}
