import {
  decodeText,
  FileSystemError,
  type FileStat,
  type FileSystem,
  normalizePath,
  resolvePath,
} from "@robota/runtime/ports";
import { fromByteString, toByteString } from "../bytes.ts";
import type { GitWorktree } from "../command.ts";
import type { RunFetch } from "../network.ts";
import type {
  ByteString,
  EngineEncoding,
  EngineEntry,
  EngineFileSystem,
  EngineStat,
  PaceHook,
} from "../engine/programs/engine-command.ts";

function isBinary(encoding: EngineEncoding | undefined): boolean {
  const name = typeof encoding === "string" ? encoding : encoding?.encoding;
  return name === "binary" || name === "latin1";
}

function contentOf(data: string | Uint8Array, encoding?: EngineEncoding): string | Uint8Array {
  return typeof data === "string" && isBinary(encoding) ? fromByteString(data) : data;
}

function statOf(stat: FileStat, identity: string): EngineStat {
  return {
    isFile: stat.type === "file",
    isDirectory: stat.type === "directory",
    isSymbolicLink: stat.type === "symlink",
    mode: stat.mode,
    size: stat.size,
    mtime: new Date(stat.mtimeMs),
    identity,
  };
}

async function copy(fs: FileSystem, from: string, to: string, deep: boolean): Promise<void> {
  const { type, mode } = await fs.stat(from);
  if (type !== "directory") {
    await fs.writeFile(to, await fs.readFile(from));
    return fs.chmod(to, mode);
  }
  if (!deep) throw new FileSystemError("EISDIR", from);
  await fs.mkdir(to, { recursive: true });
  for (const entry of await fs.readdir(from)) {
    const [source, target] = [`${from}/${entry.name}`, `${to}/${entry.name}`];
    if (entry.type === "symlink") await fs.symlink(await fs.readlink(source), target);
    else await copy(fs, source, target, true);
  }
}

/** The parts of a run that its programs call, beside the files. */
export interface RunHooks extends Partial<PaceHook> {
  /** The network access of `curl` in this run. */
  curlFetch?: RunFetch | undefined;
  /** The network access of `git` in this run. */
  gitFetch?: RunFetch | undefined;
  /** The inside of repositories as `git` sees it in this run. */
  gitFiles?: FileSystem | undefined;
  /** The working tree as `git` sees it in this run. */
  gitWorktree?: GitWorktree | undefined;
}

/** Adapts the `FileSystem` port to the form in which the engine hands files to commands. */
export class EngineFiles implements EngineFileSystem, PaceHook {
  readonly #fs: FileSystem;
  readonly #hooks: RunHooks;

  constructor(fs: FileSystem, hooks: RunHooks) {
    this.#fs = fs;
    this.#hooks = hooks;
  }

  get curlFetch(): RunFetch | undefined {
    return this.#hooks.curlFetch;
  }

  get gitFetch(): RunFetch | undefined {
    return this.#hooks.gitFetch;
  }

  get gitFiles(): FileSystem | undefined {
    return this.#hooks.gitFiles;
  }

  get gitWorktree(): GitWorktree | undefined {
    return this.#hooks.gitWorktree;
  }

  pace(steps?: number): Promise<void> | undefined {
    return this.#hooks.pace?.(steps);
  }

  isOver(): boolean {
    return this.#hooks.isOver?.() ?? false;
  }

  async readFile(path: string, encoding?: EngineEncoding): Promise<string> {
    const bytes = await this.#fs.readFile(path);
    return isBinary(encoding) ? toByteString(bytes) : decodeText(bytes);
  }

  async readFileBytes(path: string): Promise<ByteString> {
    return toByteString(await this.#fs.readFile(path));
  }

  readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#fs.readFile(path);
  }

  writeFile(path: string, data: string | Uint8Array, encoding?: EngineEncoding): Promise<void> {
    return this.#fs.writeFile(path, contentOf(data, encoding));
  }

  appendFile(path: string, data: string | Uint8Array, encoding?: EngineEncoding): Promise<void> {
    return this.#fs.appendFile(path, contentOf(data, encoding));
  }

  exists(path: string): Promise<boolean> {
    return this.#fs.stat(path).then(
      () => true,
      () => false,
    );
  }

  async stat(path: string): Promise<EngineStat> {
    const stat = await this.#fs.stat(path);
    // A traversal that follows links stops at a directory seen before, so directories need their real path.
    const real = stat.type === "directory" ? await this.#fs.realpath(path) : path;
    return statOf(stat, normalizePath(real));
  }

  async lstat(path: string): Promise<EngineStat> {
    return statOf(await this.#fs.lstat(path), normalizePath(path));
  }

  mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    return this.#fs.mkdir(path, options);
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.#fs.readdir(path)).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string): Promise<EngineEntry[]> {
    return (await this.#fs.readdir(path)).map(({ name, type }) => ({
      name,
      isFile: type === "file",
      isDirectory: type === "directory",
      isSymbolicLink: type === "symlink",
    }));
  }

  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    return this.#fs.remove(path, options);
  }

  cp(from: string, to: string, options?: { recursive?: boolean }): Promise<void> {
    return copy(this.#fs, from, to, options?.recursive === true);
  }

  mv(from: string, to: string): Promise<void> {
    return this.#fs.rename(from, to);
  }

  resolvePath(base: string, path: string): string {
    return resolvePath(base, path);
  }

  /** Empty, since it is only a shortcut for globs over a tree in memory; directories are read instead. */
  getAllPaths(): string[] {
    return [];
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#fs.chmod(path, mode);
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#fs.symlink(target, path);
  }

  async link(_existing: string, path: string): Promise<never> {
    throw new FileSystemError("EPERM", path, { hint: "Hard links are not supported; use ln -s." });
  }

  readlink(path: string): Promise<string> {
    return this.#fs.readlink(path);
  }

  realpath(path: string): Promise<string> {
    return this.#fs.realpath(path);
  }

  utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    return this.#fs.utimes(path, mtime.getTime());
  }
}
