import type { FileStat, FileSystem } from "@robota/runtime/ports";
import type { GitWorktree } from "../command.ts";
import type { RunFetch } from "../network.ts";
import type {
  EngineEntry,
  EngineFileSystem,
  EngineStat,
  PaceHook,
} from "../engine/programs/engine-command.ts";

function statOf(stat: FileStat): EngineStat {
  return {
    isFile: stat.type === "file",
    isDirectory: stat.type === "directory",
    isSymbolicLink: stat.type === "symlink",
    mode: stat.mode,
    size: stat.size,
    mtime: new Date(stat.mtimeMs),
  };
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

  readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#fs.readFile(path);
  }

  writeFile(path: string, data: string | Uint8Array): Promise<void> {
    return this.#fs.writeFile(path, data);
  }

  appendFile(path: string, data: string | Uint8Array): Promise<void> {
    return this.#fs.appendFile(path, data);
  }

  async stat(path: string): Promise<EngineStat> {
    return statOf(await this.#fs.stat(path));
  }

  async lstat(path: string): Promise<EngineStat> {
    return statOf(await this.#fs.lstat(path));
  }

  mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    return this.#fs.mkdir(path, options);
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

  mv(from: string, to: string): Promise<void> {
    return this.#fs.rename(from, to);
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#fs.chmod(path, mode);
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#fs.symlink(target, path);
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
