import { constants } from "node:fs";
import {
  access,
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  unlink,
  utimes,
} from "node:fs/promises";
import { dirname, posix } from "node:path";
import {
  FileSystemError,
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
} from "@robota/runtime";
import {
  MODE_BITS,
  type OpenFile,
  type PathOptions,
  type SoughtTexts,
} from "@robota/runtime/ports";
import { checkPath, checkRename, checkTarget } from "@robota/runtime/virtual";
import { appendWhole, openToAppend } from "./files/append.ts";
import { changeNames, replaceFile, syncDirectory } from "./files/durable.ts";
import { errnoOf, toFileSystemError } from "./files/file-error.ts";
import { entriesOf, toFileStat } from "./files/file-stat.ts";
import { isCanonicalPath, readdirCanonical, statCanonical } from "./files/is-canonical-path.ts";
import { KeyedQueue } from "./files/keyed-queue.ts";
import { locate, type Location } from "./files/locate.ts";
import {
  atEntry,
  atTarget,
  inDirectory,
  openStraight,
  removeTree,
} from "./files/canonical-handle.ts";
import { ripgrepOnPath, siftFiles } from "./files/ripgrep.ts";
import { openFile, READ, requireRegular } from "./files/open-file.ts";
import { readMany } from "./files/read-many.ts";

export interface NodeFileSystemOptions {
  /**
   * A directory of the machine that is seen as `/`: absolute symlinks begin there and none leads out of it. Without it,
   * paths are the machine's own.
   */
  root?: string | undefined;
  /**
   * The ripgrep program with which searches skip files without a match; `false` for none. By default that on the PATH.
   * Results are the same with and without it.
   */
  ripgrep?: string | false | undefined;
}

/**
 * The machine's files. Only regular files are read and written: a device, pipe or socket is `EINVAL`. New files and
 * directories get `0o644` and `0o755` less the process's umask. A write that is killed half-way leaves the old file,
 * and perhaps a `.….robota~` beside it.
 *
 * With `noFollow`, Linux resolves and acts through directory handles, so that nobody's links get in between. On macOS a
 * path with a symlink is not opened for reading, but changes go by the path, checked before and after: another process
 * that places a link and removes it in between is noticed only by chance.
 */
export class NodeFileSystem implements FileSystem {
  readonly honorsNoFollow = (): boolean => true;
  readonly #root: string;
  readonly #ripgrep: string | false | undefined;
  readonly #writes = new KeyedQueue();
  #lastToEnter: Promise<void> = Promise.resolve();

  // Absent within a root, where each segment would have to be checked.
  readonly isCanonicalPath?: (path: string) => boolean;
  readonly statCanonical?: (path: string) => FileStat | undefined;
  readonly readdirCanonical?: (path: string) => DirectoryEntry[] | undefined;

  constructor(options: NodeFileSystemOptions = {}) {
    this.#root = posix.resolve(options.root ?? "/");
    if (this.#root === "/") {
      this.isCanonicalPath = isCanonicalPath;
      this.statCanonical = statCanonical;
      this.readdirCanonical = readdirCanonical;
    }
    this.#ripgrep = options.ripgrep;
  }

  readFile(path: string, options?: PathOptions): Promise<Uint8Array> {
    return attempt(path, async () => {
      const handle = options?.noFollow
        ? await openStraight(await this.#straight(path), READ)
        : await open(await this.#find(path), READ);
      try {
        requireRegular(path, await handle.stat());
        const { buffer, byteOffset, byteLength } = await handle.readFile();
        return new Uint8Array(buffer, byteOffset, byteLength);
      } finally {
        await handle.close();
      }
    });
  }

  open(path: string): Promise<OpenFile> {
    return attempt(path, () => openFile(this.#root, absolute(path)));
  }

  readMany(
    paths: readonly string[],
    maxBytes: number,
  ): Promise<(Uint8Array | undefined)[]> | undefined {
    // Within a root, where a path leads has to be found out for each by itself.
    return this.#root === "/" ? readMany(paths, maxBytes) : undefined;
  }

  async mayHold(
    paths: readonly string[],
    sought: SoughtTexts,
    signal: AbortSignal,
  ): Promise<boolean[] | undefined> {
    if (this.#ripgrep === false || this.#root !== "/") return undefined;
    const program = this.#ripgrep ?? (await ripgrepOnPath());
    return program === undefined ? undefined : siftFiles(program, paths, sought, signal);
  }

  writeFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    const bytes = copyOf(data);
    return this.#inOrder(path, options, async (onDisk) => {
      const replaced = await unlessMissing(() => (options?.noFollow ? lstat : stat)(onDisk));
      if (replaced?.isSymbolicLink()) throw new FileSystemError("ELOOP", path);
      if (replaced) {
        requireRegular(path, replaced);
        // A rename ignores the target's mode: without this check, a read-only file could be replaced.
        await access(onDisk, constants.W_OK);
      }
      await replaceFile(onDisk, bytes, replaced);
    });
  }

  appendFile(path: string, data: Uint8Array | string, options?: PathOptions): Promise<void> {
    const bytes = copyOf(data);
    const access = constants.O_WRONLY | (options?.noFollow ? constants.O_NOFOLLOW : 0);
    return this.#inOrder(path, options, async (onDisk) => {
      const { handle, isNew } = await openToAppend(onDisk, access, 0o644);
      try {
        const stats = await handle.stat();
        requireRegular(path, stats);
        await appendWhole(handle.fd, bytes, stats.size);
      } finally {
        await handle.close();
      }
      if (isNew) await syncDirectory(dirname(onDisk));
    });
  }

  stat(path: string): Promise<FileStat> {
    return attempt(path, async () => toFileStat(await stat(await this.#find(path))));
  }

  lstat(path: string): Promise<FileStat> {
    return attempt(path, async () => toFileStat(await lstat(await this.#findEntry(path))));
  }

  readdir(path: string, options?: PathOptions): Promise<DirectoryEntry[]> {
    const list = async (directory: string) =>
      entriesOf(await readdir(directory, { withFileTypes: true }));
    return attempt(path, async () =>
      options?.noFollow
        ? inDirectory(await this.#straight(path), list)
        : list(await this.#find(path)),
    );
  }

  mkdir(path: string, options: PathOptions & { recursive?: boolean } = {}): Promise<void> {
    return attempt(path, () => {
      if (!options.recursive) return this.#make(path, options);
      return options.noFollow ? this.#makeStraight(absolute(path)) : this.#makeAll(absolute(path));
    });
  }

  remove(
    path: string,
    options: PathOptions & { recursive?: boolean; force?: boolean } = {},
  ): Promise<void> {
    const removeAll = options.noFollow
      ? removeTree
      : (entry: string) => rm(entry, { recursive: true });
    return attempt(path, async () => {
      refuseRoot(path);
      try {
        await this.#atEntry(path, options, (entry) =>
          changeNames([dirname(entry)], async () => {
            if (!(await lstat(entry)).isDirectory()) await unlink(entry);
            else if (options.recursive) await removeAll(entry);
            else await rmdir(entry);
          }),
        );
      } catch (error) {
        if (!options.force || errnoOf(error) !== "ENOENT") throw error;
      }
    });
  }

  rename(from: string, to: string, options?: PathOptions): Promise<void> {
    return attempt(from, async () => {
      checkRename(from, to);
      refuseRoot(from);
      await this.#atEntry(from, options, async (source) => {
        const isDirectory = (await lstat(source)).isDirectory();
        await attempt(to, async () => {
          refuseRoot(to);
          await this.#atEntry(to, options, (target) => moveEntry(source, target, isDirectory, to));
        });
      });
    });
  }

  symlink(target: string, path: string, options?: PathOptions): Promise<void> {
    return attempt(path, async () => {
      checkTarget(target);
      await this.#atEntry(path, options, async (entry) => {
        await symlink(target, entry);
        await syncDirectory(dirname(entry));
      });
    });
  }

  readlink(path: string): Promise<string> {
    return attempt(path, async () => readlink(await this.#findEntry(path)));
  }

  realpath(path: string): Promise<string> {
    return attempt(path, async () => {
      // Where the paths are the machine's own, one system call replaces one per segment.
      if (this.#root === "/") return realpath(absolute(path));
      const location = await this.#locate(path, "follow");
      await lstat(location.onDisk);
      return location.path;
    });
  }

  chmod(path: string, mode: number, options?: PathOptions): Promise<void> {
    return attempt(path, () =>
      this.#atTarget(path, options, (target) => chmod(target, mode & MODE_BITS)),
    );
  }

  utimes(path: string, mtimeMs: number, options?: PathOptions): Promise<void> {
    return attempt(path, async () => {
      if (!Number.isFinite(mtimeMs)) throw new FileSystemError("EINVAL", path);
      // As a string: Node replaces negative numbers by the current time.
      const seconds = String(mtimeMs / 1000);
      await this.#atTarget(path, options, (target) => utimes(target, seconds, seconds));
    });
  }

  async #locate(path: string, last: "follow" | "keep"): Promise<Location> {
    return locate(this.#root, absolute(path), last);
  }

  /** The target of `path` on disk, for calls that follow symlinks. */
  async #find(path: string): Promise<string> {
    if (this.#root === "/") return absolute(path);
    return (await this.#locate(path, "follow")).onDisk;
  }

  /** The entry `path` itself on disk, for calls that don't follow a symlink in the last segment. */
  async #findEntry(path: string): Promise<string> {
    if (this.#root === "/") return absolute(path);
    return (await this.#locate(path, "keep")).onDisk;
  }

  /** The path on disk for one without symlinks; links above the root are the root's own. */
  async #straight(path: string): Promise<string> {
    const whole = absolute(path);
    return this.#root === "/" ? whole : posix.join(await realpath(this.#root), whole);
  }

  /** Runs `work` with where to find the entry `path` itself. */
  async #atEntry<Result>(
    path: string,
    options: PathOptions | undefined,
    work: (entry: string) => Promise<Result>,
  ): Promise<Result> {
    return options?.noFollow
      ? atEntry(await this.#straight(path), work)
      : work(await this.#findEntry(path));
  }

  /** Runs `work` with the target of `path` on disk. */
  async #atTarget<Result>(
    path: string,
    options: PathOptions | undefined,
    work: (target: string) => Promise<Result>,
  ): Promise<Result> {
    return options?.noFollow
      ? atTarget(await this.#straight(path), work)
      : work(await this.#find(path));
  }

  /** Serialises writes per file, in the order of the calls, whatever names the callers use for the file. */
  #inOrder(
    path: string,
    options: PathOptions | undefined,
    write: (onDisk: string) => Promise<void>,
  ): Promise<void> {
    const locating = options?.noFollow
      ? this.#straight(path)
      : this.#locate(path, "follow").then(({ onDisk }) => onDisk);
    const located = Promise.allSettled([locating]);
    const entered = this.#lastToEnter.then(async () => {
      const [location] = await located;
      if (location.status === "rejected") throw location.reason;
      const onDisk = location.value;
      const work = () => (options?.noFollow ? atEntry(onDisk, write) : write(onDisk));
      // Wrapped in an object, so that the next caller waits for its place in the queue and not for the writing.
      return { written: this.#writes.run(onDisk, work) };
    });
    const next = (): void => {};
    this.#lastToEnter = entered.then(next, next);
    return attempt(path, async () => (await entered).written);
  }

  #make(path: string, options?: PathOptions): Promise<void> {
    return this.#atEntry(path, options, async (entry) => {
      await mkdir(entry, 0o755);
      await syncDirectory(dirname(entry));
    });
  }

  /** Creates a directory and its parents, through no symlink. */
  async #makeStraight(path: string): Promise<void> {
    const options = { noFollow: true };
    try {
      await this.#make(path, options);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "ENOENT" && path !== "/") {
        await this.#makeStraight(posix.dirname(path));
        await this.#make(path, options).catch((again: unknown) => {
          if (errnoOf(again) !== "EEXIST") throw again;
        });
      } else if (errno !== "EEXIST") {
        throw error;
      } else if (!(await this.#atTarget(path, options, stat)).isDirectory()) {
        throw error;
      }
    }
  }

  async #makeAll(path: string): Promise<void> {
    try {
      await this.#make(path);
    } catch (error) {
      if (errnoOf(error) === "ENOENT" && path !== "/") {
        await this.#makeAll(posix.dirname(path));
        // Where nothing can be created, as below /proc, `mkdir` reports a missing parent again.
        await this.#make(path).catch((again: unknown) => this.#unlessDirectory(path, again));
      } else {
        await this.#unlessDirectory(path, error);
      }
    }
  }

  /** Throws why `path` could not be made, unless it is a directory already. */
  async #unlessDirectory(path: string, error: unknown): Promise<void> {
    if (errnoOf(error) !== "EEXIST" || !(await this.#isDirectory(path))) throw error;
  }

  async #isDirectory(path: string): Promise<boolean> {
    const stats = await unlessMissing(async () => stat(await this.#find(path)));
    return stats?.isDirectory() ?? false;
  }
}

async function moveEntry(
  source: string,
  target: string,
  isDirectory: boolean,
  to: string,
): Promise<void> {
  const parents = [...new Set([dirname(target), dirname(source)])];
  await changeNames(parents, () =>
    rename(source, target).catch((cause: unknown) => {
      // POSIX lets a file system choose the word for a directory that has something in it.
      if (!/^(?:EEXIST|ENOTEMPTY)$/.test(errnoOf(cause))) throw cause;
      throw new FileSystemError(isDirectory ? "ENOTEMPTY" : "EISDIR", to, { cause });
    }),
  );
}

async function attempt<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toFileSystemError(path, error);
  }
}

/** A copy, as the caller may reuse its buffer. */
function copyOf(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data.slice();
}

async function unlessMissing<Result>(look: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await look();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function absolute(path: string): string {
  // Before normalisation removes it with a `..`: its meaning is unknown.
  checkPath(path);
  return posix.resolve("/", path);
}

function refuseRoot(path: string): void {
  if (absolute(path) === "/") throw new FileSystemError("EBUSY", path);
}
