import LightningFS from "@isomorphic-git/lightning-fs";
import {
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  FileSystemError,
} from "@robota/runtime";
import { normalizePath, type PathOptions } from "@robota/runtime/ports";
import { checkPath, checkRename } from "@robota/runtime/virtual";
import { type LightningBackend, lightningBackend, ownBytes, sizeOf } from "./lightning-backend.ts";
import type { Inode } from "./tree.ts";
import {
  type WatchListener,
  SharedFileSystem,
  type SharedFileSystemOptions,
} from "./shared-file-system.ts";

export interface BrowserFileSystemOptions extends Partial<SharedFileSystemOptions> {}

/**
 * The files of one workspace, in IndexedDB; many small changes, one after the other, are in a journal in the origin's
 * private file system for a tenth of a second before. A promise that resolves has stored its effect: it survives the
 * crash of the tab and of the browser in the next instant.
 *
 * One tab at a time writes; others that open the same workspace read by themselves and have their changes made by that
 * tab (`EBUSY` when it does not answer), and one of them takes over when it goes away. Needs a secure context: https or
 * localhost.
 */
export class BrowserFileSystem implements FileSystem, AsyncDisposable {
  readonly honorsNoFollow = (): boolean => true;
  /**
   * The same files with the interface of Node's `fs`, for libraries such as isomorphic-git.
   *
   * LightningFS is the front: it handles the many ways in which such libraries call `fs`. The workspace behind it makes
   * files durable and POSIX-compliant. Operations outside of its interface (append, recursive mkdir and remove,
   * realpath, listings with types), and fast paths, go to the workspace directly.
   */
  readonly lightning: LightningFS;
  readonly #shared: SharedFileSystem;

  constructor(workspace: string, options: BrowserFileSystemOptions = {}) {
    this.#shared = new SharedFileSystem(workspace, {
      now: Date.now,
      ownerTimeoutMs: 5000,
      directories: [],
      journalAfter: 16,
      onOpen: () => {},
      ...options,
    });
    // `defer`: nothing is opened before the first call. The option's type is missing from the package.
    const front: LightningFS.Options & { backend: LightningBackend } = {
      backend: lightningBackend(this.#shared),
      defer: true,
    };
    this.lightning = new LightningFS(workspace, front);
  }

  /** The role of this tab, writer or follower; undefined until the first call has opened the workspace. */
  get role(): "owner" | "follower" | undefined {
    return this.#shared.role;
  }

  /**
   * Calls `listener` with changes, by this tab or another, in batches and once stored. A moved or removed directory
   * stands for everything in it. Returns the unsubscribe function.
   */
  watch(listener: WatchListener): () => void {
    return this.#shared.watch(listener);
  }

  async readFile(path: string, options?: PathOptions): Promise<Uint8Array> {
    return this.#shared.readFile(checked(path), options);
  }

  readMany(
    paths: readonly string[],
    maxBytes: number,
  ): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#shared.readMany(paths, maxBytes);
  }

  isCanonicalPath(path: string): boolean {
    return this.#shared.readNow((tree) => tree.isCanonicalPath(path)) ?? false;
  }

  async writeFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    const operation = { type: "write", path: checked(path), data: ownBytes(data) } as const;
    await this.#shared.change({ ...operation, ...following(options) });
  }

  async appendFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    const operation = { type: "append", path: checked(path), data: ownBytes(data) } as const;
    await this.#shared.change({ ...operation, ...following(options) });
  }

  async stat(path: string): Promise<FileStat> {
    const whole = checked(path);
    return this.#shared.read(whole, (tree) => fileStat(tree.resolve(whole, { follow: true })));
  }

  async lstat(path: string): Promise<FileStat> {
    const whole = checked(path);
    return this.#shared.read(whole, (tree) => fileStat(tree.resolve(whole, { follow: false })));
  }

  async readdir(path: string, options?: PathOptions): Promise<DirectoryEntry[]> {
    const whole = checked(path);
    const entries = await this.#shared.read(whole, (tree) =>
      Array.from(tree.list(whole, options), ({ name, type }): DirectoryEntry => ({ name, type })),
    );
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async mkdir(path: string, options: PathOptions & { recursive?: boolean } = {}): Promise<void> {
    const { recursive = false } = options;
    const operation = { type: "mkdir", path: checked(path), recursive } as const;
    await this.#shared.change({ ...operation, ...following(options) });
  }

  async remove(
    path: string,
    options: PathOptions & { recursive?: boolean; force?: boolean } = {},
  ): Promise<void> {
    const { recursive = false, force = false } = options;
    const operation = { type: "remove", path: checked(path), recursive, force } as const;
    await this.#shared.change({ ...operation, ...following(options) });
  }

  async rename(from: string, to: string, options?: PathOptions): Promise<void> {
    checkRename(from, to);
    const operation = { type: "rename", from: checked(from), to: checked(to) } as const;
    await this.#shared.change({ ...operation, ...following(options) });
  }

  async symlink(target: string, path: string, options?: PathOptions): Promise<void> {
    const operation = { type: "symlink", target, path: checked(path) } as const;
    await this.#shared.change({ ...operation, ...following(options) });
  }

  async readlink(path: string): Promise<string> {
    return this.lightning.promises.readlink(checked(path));
  }

  async realpath(path: string): Promise<string> {
    const whole = checked(path);
    return this.#shared.read(whole, (tree) => {
      const { node, path: resolved } = tree.locate(whole, { follow: true });
      if (!node) throw new FileSystemError("ENOENT", path);
      return resolved;
    });
  }

  async chmod(path: string, mode: number, options?: PathOptions): Promise<void> {
    const operation = { type: "chmod", path: checked(path), mode } as const;
    await this.#shared.change({ ...operation, ...following(options) });
  }

  async utimes(path: string, mtimeMs: number, options?: PathOptions): Promise<void> {
    if (!Number.isFinite(mtimeMs)) throw new FileSystemError("EINVAL", path);
    // Not by LightningFS, which counts in seconds.
    const operation = { type: "utimes", path: checked(path), mtimeMs } as const;
    await this.#shared.change({ ...operation, ...following(options) });
  }

  /** Stores pending changes, closes the database and hands the workspace to the next tab. Safe to call twice. */
  dispose(): Promise<void> {
    return this.#shared.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

/** The option as part of an operation, which is stored and sent: omitted when unset. */
function following(options: PathOptions | undefined): { noFollow?: true } {
  return options?.noFollow ? { noFollow: true } : {};
}

function checked(path: string): string {
  checkPath(path);
  return normalizePath(path);
}

function fileStat(inode: Inode): FileStat {
  const { type, mtimeMs, mode } = inode;
  return { type, size: sizeOf(inode), mtimeMs, mode };
}
