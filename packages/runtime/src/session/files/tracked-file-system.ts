import type { DirectoryEntry, FileStat, FileSystem, OpenFile } from "../../ports/file-system.ts";
import { dirname, relativePath, resolvePath } from "../../ports/path.ts";
import {
  entryPath,
  lookAt,
  lookAtTree,
  type Sighting,
  unlessMissing,
  writtenPath,
} from "./versions.ts";

/** Takes down how paths were, durably where a content would be lost, before they are changed. */
export interface FileRecorder {
  /** Whether a path was taken down since the last checkpoint. */
  has(path: string): boolean;
  record(sightings: readonly Sighting[]): Promise<void>;
}

/** The files of a session: whatever changes one has it taken down first, so that a rewind can bring it back. */
export class TrackedFileSystem implements FileSystem {
  #base: FileSystem;
  readonly #recorder: FileRecorder;
  // Absent where the files lack them. Nothing is deleted that was never there: an object that loses properties takes more.
  declare open?: (path: string) => Promise<OpenFile>;
  declare readMany?: NonNullable<FileSystem["readMany"]>;
  declare mayHold?: NonNullable<FileSystem["mayHold"]>;

  constructor(base: FileSystem, recorder: FileRecorder) {
    this.#base = base;
    this.#recorder = recorder;
    this.moveTo(base);
  }

  /** Is a view of these files from now on. */
  moveTo(base: FileSystem): void {
    this.#base = base;
    if (base.open) this.open = base.open.bind(base);
    else delete this.open;
    if (base.mayHold) this.mayHold = base.mayHold.bind(base);
    else delete this.mayHold;
    if (base.readMany) this.readMany = base.readMany.bind(base);
    else delete this.readMany;
  }

  readFile(path: string): Promise<Uint8Array> {
    return this.#base.readFile(path);
  }

  stat(path: string): Promise<FileStat> {
    return this.#base.stat(path);
  }

  lstat(path: string): Promise<FileStat> {
    return this.#base.lstat(path);
  }

  readdir(path: string): Promise<DirectoryEntry[]> {
    return this.#base.readdir(path);
  }

  readlink(path: string): Promise<string> {
    return this.#base.readlink(path);
  }

  realpath(path: string): Promise<string> {
    return this.#base.realpath(path);
  }

  async writeFile(path: string, data: Uint8Array | string): Promise<void> {
    await this.#beforeWriting(path);
    await this.#base.writeFile(path, data);
  }

  async appendFile(path: string, data: Uint8Array | string): Promise<void> {
    await this.#beforeWriting(path);
    await this.#base.appendFile(path, data);
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.#beforeWriting(path);
    await this.#base.chmod(path, mode);
  }

  async utimes(path: string, mtimeMs: number): Promise<void> {
    await this.#beforeWriting(path);
    await this.#base.utimes(path, mtimeMs);
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.#before(await entryPath(this.#base, path));
    await this.#base.symlink(target, path);
  }

  async mkdir(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    const place = await writtenPath(this.#base, path);
    const missing: Sighting[] = [];
    // One that was taken down, by a change that failed, says nothing about those above it.
    for (let at = place; at !== "/"; at = dirname(at)) {
      const sighting = await lookAt(this.#base, at);
      if (!("before" in sighting) || sighting.before !== null) break;
      if (!this.#recorder.has(at)) missing.unshift(sighting);
      if (!options.recursive) break;
    }
    if (missing.length > 0) await this.#recorder.record(missing);
    await this.#base.mkdir(path, options);
  }

  async remove(
    path: string,
    options: { recursive?: boolean; force?: boolean } = {},
  ): Promise<void> {
    const place = await entryPath(this.#base, path);
    await (options.recursive ? this.#beforeTree(place) : this.#before(place));
    await this.#base.remove(path, options);
  }

  async rename(from: string, to: string): Promise<void> {
    const [source, target] = [await entryPath(this.#base, from), await entryPath(this.#base, to)];
    const moved = await this.#treeOf(source);
    const replaced = await this.#treeOf(target);
    const known = new Set(replaced.map(({ path }) => path));
    const arriving = moved
      .map(({ path }) => resolvePath(target, relativePath(source, path)))
      .filter((path) => !known.has(path))
      .map((path): Sighting => ({ path, before: null }));
    await this.#record([...moved, ...replaced, ...arriving]);
    await this.#base.rename(from, to);
  }

  async #beforeWriting(path: string): Promise<void> {
    await this.#before(await writtenPath(this.#base, path));
  }

  async #before(path: string): Promise<void> {
    if (this.#recorder.has(path)) return;
    await this.#recorder.record([await lookAt(this.#base, path)]);
  }

  async #beforeTree(path: string): Promise<void> {
    await this.#record(await this.#treeOf(path));
  }

  async #treeOf(path: string): Promise<Sighting[]> {
    return (await unlessMissing(lookAtTree(this.#base, path))) ?? [{ path, before: null }];
  }

  async #record(sightings: readonly Sighting[]): Promise<void> {
    const fresh = sightings.filter(({ path }) => !this.#recorder.has(path));
    if (fresh.length > 0) await this.#recorder.record(fresh);
  }
}
