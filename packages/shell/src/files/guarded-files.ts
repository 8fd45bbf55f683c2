import {
  FileSystemError,
  type AccessRules,
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  type FileType,
  basename,
  dirname,
  normalizePath,
  canonicalFiles,
} from "@robota/runtime/ports";
import { childPath, ReadWriteLock } from "@robota/runtime/virtual";

const MAX_LINKS = 40;
/** Attempts of an operation whose path keeps changing. */
const MAX_TRIES = 20;

type Kind = "read" | "write";

/**
 * Restricts `fs` to the paths that `rules` allow: a refused operation fails with `EACCES`, and the hint is the reason.
 * Each path is checked by its given name and by its canonical path, and the operation acts on exactly that canonical
 * path: if a link has appeared on the way meanwhile, its target is checked first. Removing or moving a directory
 * requires the same for each file in it; moving a file also requires read access, since it could be read at its new
 * path. Nothing else of the same command is written to a directory while it moves.
 *
 * Existence, size and link targets are not secret: otherwise listings and searches of a directory would fail over a
 * single file in it.
 */
export function guardFiles(fs: FileSystem, rules: GuardRules, onRefusal?: OnRefusal): FileSystem {
  return new GuardedFiles(fs, rules, onRefusal);
}

/** The same for the shell's own `git`, under the rules that hold for it. `undefined` when they are those of any command. */
export function guardGitFiles(
  fs: FileSystem,
  rules: AccessRules,
  onRefusal?: OnRefusal,
): FileSystem | undefined {
  if (!rules.refusesGitFile) return undefined;
  const refusesFile: GuardRules["refusesFile"] = (path, kind) => rules.refusesGitFile?.(path, kind);
  return new GuardedFiles(fs, { refusesFile }, onRefusal);
}

/** The same for the working tree of the shell's own `git`; `cloned` as in `WorktreeWrite`. */
export function guardWorktree(
  fs: FileSystem,
  rules: AccessRules,
  cloned: string | undefined,
  onRefusal?: OnRefusal,
): FileSystem {
  const refusesFile: GuardRules["refusesFile"] = (path, kind) =>
    kind === "write" ? refusesWorktreeFile(rules, path, cloned) : rules.refusesFile(path, kind);
  return new GuardedFiles(fs, { refusesFile }, onRefusal);
}

/** The reason why `git` may not write a file of its working tree. */
export function refusesWorktreeFile(
  rules: AccessRules,
  path: string,
  cloned: string | undefined,
): string | undefined {
  return rules.refusesWorktreeFile
    ? rules.refusesWorktreeFile(path, { cloned })
    : rules.refusesFile(path, "write");
}

type GuardRules = Pick<AccessRules, "refusesFile">;
type OnRefusal = (path: string, reason: string) => void;

class GuardedFiles implements FileSystem {
  readonly #fs: FileSystem;
  readonly #rules: GuardRules;
  readonly #onRefusal: OnRefusal | undefined;
  /** The same files, at canonical paths. */
  readonly #canonical: ReturnType<typeof canonicalFiles>;
  readonly #moves = new ReadWriteLock();

  constructor(fs: FileSystem, rules: GuardRules, onRefusal: OnRefusal | undefined) {
    this.#fs = fs;
    this.#rules = rules;
    this.#onRefusal = onRefusal;
    this.#canonical = canonicalFiles(fs);
  }

  readFile(path: string): Promise<Uint8Array> {
    return this.#read(path, (place) => this.#canonical.readFile(place));
  }

  writeFile(path: string, data: Uint8Array | string): Promise<void> {
    return this.#write(path, "target", (place) => this.#canonical.writeFile(place, data));
  }

  appendFile(path: string, data: Uint8Array | string): Promise<void> {
    return this.#write(path, "target", (place) => this.#canonical.appendFile(place, data));
  }

  stat(path: string): Promise<FileStat> {
    return this.#fs.stat(path);
  }

  lstat(path: string): Promise<FileStat> {
    return this.#fs.lstat(path);
  }

  readlink(path: string): Promise<string> {
    return this.#fs.readlink(path);
  }

  realpath(path: string): Promise<string> {
    return this.#fs.realpath(path);
  }

  readdir(path: string): Promise<DirectoryEntry[]> {
    return this.#read(path, (place) => this.#canonical.readdir(place));
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    if (options?.recursive) await this.#makeAll(normalizePath(path));
    else await this.#write(path, "itself", (place) => this.#canonical.mkdir(place));
  }

  remove(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    return this.#write(path, "itself", async (place) => {
      if (options?.recursive && (await typeOf(this.#fs, place)) === "directory") {
        await this.#askBelow(place, [normalizePath(path), place], "write");
      }
      await this.#canonical.remove(place, options);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#moves.write(() =>
      settle(
        from,
        async () => ({
          source: await this.#askedPlace(from, "itself", "read", "write"),
          target: await this.#askedPlace(to, "itself", "write"),
        }),
        async ({ source, target }) => {
          if ((await typeOf(this.#fs, source)) === "directory") {
            await this.#askBelow(source, [normalizePath(from), source], "read", "write");
            await this.#askBelow(source, [normalizePath(to), target], "write");
          }
          await this.#canonical.rename(source, target);
        },
      ),
    );
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#write(path, "itself", (place) => this.#canonical.symlink(target, place));
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#write(path, "target", (place) => this.#canonical.chmod(place, mode));
  }

  utimes(path: string, mtimeMs: number): Promise<void> {
    return this.#write(path, "target", (place) => this.#canonical.utimes(place, mtimeMs));
  }

  #ask(path: string, ...kinds: Kind[]): void {
    for (const kind of kinds) {
      const reason = this.#rules.refusesFile(path, kind);
      if (reason === undefined) continue;
      this.#onRefusal?.(path, reason);
      throw new FileSystemError("EACCES", path, { hint: reason });
    }
  }

  /** Checks `path` and returns its target, or the entry itself. */
  async #askedPlace(path: string, what: "itself" | "target", ...kinds: Kind[]): Promise<string> {
    const given = normalizePath(path);
    this.#ask(given, ...kinds);
    if (this.#fs.isCanonicalPath?.(given)) return given;
    const place = await placeOf(this.#fs, given, what);
    if (place !== given) this.#ask(place, ...kinds);
    return place;
  }

  /** Checks each entry below a directory, by both of its present or future names. */
  async #askBelow(directory: string, names: readonly string[], ...kinds: Kind[]): Promise<void> {
    for (const { name, type } of await this.#canonical.readdir(directory)) {
      const below = names.map((parent) => childPath(parent, name));
      for (const path of below) this.#ask(path, ...kinds);
      if (type === "directory") await this.#askBelow(childPath(directory, name), below, ...kinds);
    }
  }

  #read<Result>(path: string, act: (place: string) => Promise<Result>): Promise<Result> {
    return settle(path, () => this.#askedPlace(path, "target", "read"), act);
  }

  #write(
    path: string,
    what: "itself" | "target",
    act: (place: string) => Promise<void>,
  ): Promise<void> {
    return this.#moves.read(() => settle(path, () => this.#askedPlace(path, what, "write"), act));
  }

  /** Creates directories in sequence, each at the current target of the previous one. */
  async #makeAll(path: string): Promise<void> {
    if ((await ifThere(this.#fs.stat(path)))?.type === "directory") return;
    if (path !== "/" && !(await ifThere(this.#fs.stat(dirname(path)))))
      await this.#makeAll(dirname(path));
    try {
      await this.#write(path, "itself", (place) => this.#canonical.mkdir(place));
    } catch (error) {
      const isThere = error instanceof FileSystemError && error.code === "EEXIST";
      if (!isThere || (await ifThere(this.#fs.stat(path)))?.type !== "directory") throw error;
    }
  }
}

/** Acts at the canonical path that `find` has checked, and checks again when a link has appeared on the way. */
async function settle<Place, Result>(
  path: string,
  find: () => Promise<Place>,
  act: (place: Place) => Promise<Result>,
): Promise<Result> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const place = await find();
    try {
      return await act(place);
    } catch (error) {
      if (!(error instanceof FileSystemError && error.code === "ELOOP")) throw error;
    }
  }
  throw new FileSystemError("EBUSY", path, {
    hint: "The links on its path keep changing: try again later.",
  });
}

/** The type of the entry itself; `undefined` when there is none. */
async function typeOf(fs: FileSystem, path: string): Promise<FileType | undefined> {
  return (await ifThere(fs.lstat(path)))?.type;
}

async function ifThere<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (error instanceof FileSystemError) return undefined;
    throw error;
  }
}

/**
 * The canonical path; `undefined` when nothing exists there, or for a path with more links than the file system
 * follows.
 */
async function realPathOf(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    const isEndless =
      error instanceof FileSystemError && (error.code === "ELOOP" || error.code === "ENAMETOOLONG");
    if (isEndless || !(error instanceof FileSystemError)) throw error;
    return undefined;
  }
}

/** The target of a normalised path, existing or not: a write goes through a dangling link. */
async function placeOf(
  fs: FileSystem,
  path: string,
  what: "itself" | "target",
  links: { left: number } = { left: MAX_LINKS },
): Promise<string> {
  const known = what === "target" ? await realPathOf(fs, path) : undefined;
  if (known !== undefined) return known;
  if (path === "/") return path;
  const parent = await placeOf(fs, dirname(path), "target", links);
  const place = childPath(parent, basename(path));
  if (what === "itself") return place;
  const target = await ifThere(fs.readlink(place));
  if (target === undefined) return place;
  if (links.left-- <= 0) throw new FileSystemError("ELOOP", path);
  let at = target.startsWith("/") ? "/" : parent;
  for (const segment of target.split("/")) {
    if (segment === "" || segment === ".") continue;
    // `..` leaves the directory that a link led to, not the one that contains the link.
    at =
      segment === ".." ? dirname(at) : await placeOf(fs, childPath(at, segment), "target", links);
  }
  return at;
}
