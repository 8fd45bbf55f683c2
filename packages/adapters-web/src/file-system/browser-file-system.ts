import LightningFS from "@isomorphic-git/lightning-fs";
import {
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  FileSystemError,
  normalizePath,
} from "@robota/runtime";
import { type LightningBackend, lightningBackend, ownBytes, sizeOf } from "./lightning-backend.ts";
import type { Inode } from "./tree.ts";
import { type WatchListener, Workspace, type WorkspaceOptions } from "./workspace.ts";

export interface BrowserFileSystemOptions extends Partial<WorkspaceOptions> {}

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
  /**
   * The same files in the form of Node's `fs`, for libraries that want one, such as isomorphic-git.
   *
   * LightningFS is the front: it knows the many ways in which such libraries call `fs`. What makes files durable, and
   * POSIX, is the workspace behind it. What its interface does not have (append, recursive mkdir and remove, realpath,
   * listings with types), and what has to be quick, goes to the workspace directly.
   */
  readonly lightning: LightningFS;
  readonly #workspace: Workspace;

  constructor(workspace: string, options: BrowserFileSystemOptions = {}) {
    this.#workspace = new Workspace(workspace, {
      now: Date.now,
      patienceMs: 5000,
      directories: [],
      journalAfter: 16,
      onOpen: () => {},
      ...options,
    });
    // `defer`: nothing is opened before the first call. The option's type is missing from the package.
    const front: LightningFS.Options & { backend: LightningBackend } = {
      backend: lightningBackend(this.#workspace),
      defer: true,
    };
    this.lightning = new LightningFS(workspace, front);
  }

  /** Whether this tab writes or follows the one that does; undefined until the first call has opened the workspace. */
  get role(): "owner" | "follower" | undefined {
    return this.#workspace.role;
  }

  /**
   * Calls `listener` with what was changed, in this tab or another, in batches and after it was stored. A directory that
   * was moved or removed stands for all that was in it. Returns the function that stops it.
   */
  watch(listener: WatchListener): () => void {
    return this.#workspace.watch(listener);
  }

  async readFile(path: string): Promise<Uint8Array> {
    return this.#workspace.readFile(checked(path));
  }

  readMany(
    paths: readonly string[],
    maxBytes: number,
  ): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#workspace.readMany(paths, maxBytes);
  }

  isStraight(path: string): boolean {
    return this.#workspace.readNow((tree) => tree.isStraight(path)) ?? false;
  }

  async writeFile(path: string, data: Uint8Array | string): Promise<void> {
    await this.#workspace.change({ type: "write", path: checked(path), data: ownBytes(data) });
  }

  async appendFile(path: string, data: Uint8Array | string): Promise<void> {
    await this.#workspace.change({ type: "append", path: checked(path), data: ownBytes(data) });
  }

  async stat(path: string): Promise<FileStat> {
    const whole = checked(path);
    return this.#workspace.read(whole, (tree) => fileStat(tree.resolve(whole, { follow: true })));
  }

  async lstat(path: string): Promise<FileStat> {
    const whole = checked(path);
    return this.#workspace.read(whole, (tree) => fileStat(tree.resolve(whole, { follow: false })));
  }

  async readdir(path: string): Promise<DirectoryEntry[]> {
    const whole = checked(path);
    const entries = await this.#workspace.read(whole, (tree) =>
      Array.from(tree.list(whole), ({ name, type }): DirectoryEntry => ({ name, type })),
    );
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async mkdir(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    if (!options.recursive) await this.lightning.promises.mkdir(checked(path));
    else await this.#workspace.change({ type: "mkdir", path: checked(path), recursive: true });
  }

  async remove(
    path: string,
    options: { recursive?: boolean; force?: boolean } = {},
  ): Promise<void> {
    const { recursive = false, force = false } = options;
    await this.#workspace.change({ type: "remove", path: checked(path), recursive, force });
  }

  async rename(from: string, to: string): Promise<void> {
    await this.lightning.promises.rename(checked(from), checked(to));
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.lightning.promises.symlink(target, checked(path));
  }

  async readlink(path: string): Promise<string> {
    return this.lightning.promises.readlink(checked(path));
  }

  async realpath(path: string): Promise<string> {
    const whole = checked(path);
    return this.#workspace.read(whole, (tree) => {
      const { node, path: resolved } = tree.locate(whole, { follow: true });
      if (!node) throw new FileSystemError("ENOENT", path);
      return resolved;
    });
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.lightning.promises.chmod(checked(path), mode);
  }

  async utimes(path: string, mtimeMs: number): Promise<void> {
    if (!Number.isFinite(mtimeMs)) throw new FileSystemError("EINVAL", path);
    // Not by LightningFS, which counts in seconds.
    await this.#workspace.change({ type: "utimes", path: checked(path), mtimeMs });
  }

  /** Stores what is under way, closes the database and gives the workspace to the next tab. Safe to call twice. */
  dispose(): Promise<void> {
    return this.#workspace.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

function checked(path: string): string {
  if (path.includes("\0")) throw new FileSystemError("EINVAL", path);
  return normalizePath(path);
}

function fileStat(inode: Inode): FileStat {
  const { type, mtimeMs, mode } = inode;
  return { type, size: sizeOf(inode), mtimeMs, mode };
}
