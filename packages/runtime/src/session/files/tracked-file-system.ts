import type {
  DirectoryEntry,
  FileStat,
  FileSystem,
  OpenFile,
  PathOptions,
} from "../../ports/file-system.ts";
import { dirname, relativePath, resolvePath } from "../../ports/path.ts";
import {
  entryPath,
  observe,
  observeTree,
  type ObservedFile,
  unlessMissing,
  writtenPath,
} from "./versions.ts";

/** Takes down how paths were, durably where a content would be lost, before they are changed. */
export interface VersionHistory {
  /** Reports whether a path was recorded since the last checkpoint. */
  has(path: string): boolean;
  record(observedFiles: readonly ObservedFile[]): Promise<void>;
}

/** The files of a session: every change is recorded first, so that a rewind can undo it. */
export class TrackedFileSystem implements FileSystem {
  #base: FileSystem;
  readonly #history: VersionHistory;
  // Absent where the files lack them. Nothing is deleted that was never there: an object that loses properties takes more.
  declare open?: (path: string) => Promise<OpenFile>;
  declare readMany?: NonNullable<FileSystem["readMany"]>;
  declare mayHold?: NonNullable<FileSystem["mayHold"]>;

  constructor(base: FileSystem, history: VersionHistory) {
    this.#base = base;
    this.#history = history;
    this.moveTo(base);
  }

  /** Makes this a view of other files. */
  moveTo(base: FileSystem): void {
    this.#base = base;
    if (base.open) this.open = base.open.bind(base);
    else delete this.open;
    if (base.mayHold) this.mayHold = base.mayHold.bind(base);
    else delete this.mayHold;
    if (base.readMany) this.readMany = base.readMany.bind(base);
    else delete this.readMany;
  }

  honorsNoFollow(): boolean {
    return this.#base.honorsNoFollow?.() ?? false;
  }

  readFile(path: string, options?: PathOptions): Promise<Uint8Array> {
    return this.#base.readFile(path, options);
  }

  stat(path: string): Promise<FileStat> {
    return this.#base.stat(path);
  }

  lstat(path: string): Promise<FileStat> {
    return this.#base.lstat(path);
  }

  readdir(path: string, options?: PathOptions): Promise<DirectoryEntry[]> {
    return this.#base.readdir(path, options);
  }

  readlink(path: string): Promise<string> {
    return this.#base.readlink(path);
  }

  realpath(path: string): Promise<string> {
    return this.#base.realpath(path);
  }

  async writeFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    await this.#beforeWriting(path, options);
    await this.#base.writeFile(path, data, options);
  }

  async appendFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    await this.#beforeWriting(path, options);
    await this.#base.appendFile(path, data, options);
  }

  async chmod(path: string, mode: number, options?: PathOptions): Promise<void> {
    await this.#beforeWriting(path, options);
    await this.#base.chmod(path, mode, options);
  }

  async utimes(path: string, mtimeMs: number, options?: PathOptions): Promise<void> {
    await this.#beforeWriting(path, options);
    await this.#base.utimes(path, mtimeMs, options);
  }

  async symlink(target: string, path: string, options?: PathOptions): Promise<void> {
    await this.#before(await this.#entry(path, options), options);
    await this.#base.symlink(target, path, options);
  }

  async mkdir(path: string, options: PathOptions & { recursive?: boolean } = {}): Promise<void> {
    const place = options.noFollow ? path : await writtenPath(this.#base, path);
    const missing: ObservedFile[] = [];
    // A path recorded by a failed change says nothing about its parents.
    for (let at = place; at !== "/"; at = dirname(at)) {
      const observedFile = await observe(await this.#view(options), at);
      if (!("before" in observedFile) || observedFile.before !== null) break;
      if (!this.#history.has(at)) missing.unshift(observedFile);
      if (!options.recursive) break;
    }
    if (missing.length > 0) await this.#history.record(missing);
    await this.#base.mkdir(path, options);
  }

  async remove(
    path: string,
    options: PathOptions & { recursive?: boolean; force?: boolean } = {},
  ): Promise<void> {
    const place = await this.#entry(path, options);
    if (options.recursive) await this.#record(await this.#treeOf(place, options));
    else await this.#before(place, options);
    await this.#base.remove(path, options);
  }

  async rename(from: string, to: string, options?: PathOptions): Promise<void> {
    const source = await this.#entry(from, options);
    const target = await this.#entry(to, options);
    const moved = await this.#treeOf(source, options);
    const replaced = await this.#treeOf(target, options);
    const known = new Set(replaced.map(({ path }) => path));
    const arriving = moved
      .map(({ path }) => resolvePath(target, relativePath(source, path)))
      .filter((path) => !known.has(path))
      .map((path): ObservedFile => ({ path, before: null }));
    await this.#record([...moved, ...replaced, ...arriving]);
    await this.#base.rename(from, to, options);
  }

  async #beforeWriting(path: string, options?: PathOptions): Promise<void> {
    const place = options?.noFollow ? path : await writtenPath(this.#base, path);
    await this.#before(place, options);
  }

  async #before(path: string, options: PathOptions | undefined): Promise<void> {
    if (this.#history.has(path)) return;
    await this.#history.record([await observe(await this.#view(options), path)]);
  }

  /** The entry itself; a caller that follows no link has found it already. */
  async #entry(path: string, options: PathOptions | undefined): Promise<string> {
    return options?.noFollow ? path : entryPath(this.#base, path);
  }

  async #treeOf(path: string, options: PathOptions | undefined): Promise<ObservedFile[]> {
    const files = await this.#view(options);
    return (await unlessMissing(observeTree(files, path))) ?? [{ path, before: null }];
  }

  /** Records the version of the changed place itself, not of another one that a symlink leads to by then. */
  async #view(options: PathOptions | undefined): Promise<FileSystem> {
    if (!options?.noFollow) return this.#base;
    // A caller that follows no link has loaded it already.
    const { canonicalFiles } = await import("../../ports/canonical-files.ts");
    return canonicalFiles(this.#base);
  }

  async #record(observedFiles: readonly ObservedFile[]): Promise<void> {
    const fresh = observedFiles.filter(({ path }) => !this.#history.has(path));
    if (fresh.length > 0) await this.#history.record(fresh);
  }
}
