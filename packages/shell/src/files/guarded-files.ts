import {
  FileSystemError,
  type AccessRules,
  type FileSystem,
  type FileType,
  basename,
  dirname,
  normalizePath,
  canonicalFiles,
} from "@robota/runtime/ports";
import { childPath, ReadWriteLock } from "@robota/runtime/virtual";

const MAX_LINKS = 40;
/** Of an operation whose path changes under it. */
const MAX_TRIES = 20;

type Kind = "read" | "write";

/**
 * `fs` as far as `rules` let through: what they refuse fails with `EACCES`, and the hint is the reason. Each path is
 * asked about by the name that was given and by the place that it leads to, and what is done is done at that very place:
 * when a link has come to be on the way meanwhile, where it leads is asked about first. To remove or move a directory is
 * to do so with each file in it, and who moves a file could read it at its new place, so that asks for both; nothing of
 * the same command is put into a directory while it is moved.
 *
 * Whether something is there, how large it is and where a link points is no secret: listings and searches of a
 * directory would fail over a single file in it.
 */
export function guardFiles(
  fs: FileSystem,
  rules: Pick<AccessRules, "refusesFile">,
  onRefusal?: (path: string, reason: string) => void,
): FileSystem {
  const straight = canonicalFiles(fs);
  const moves = new ReadWriteLock();
  const ask = (path: string, ...kinds: Kind[]): void => {
    for (const kind of kinds) {
      const reason = rules.refusesFile(path, kind);
      if (reason === undefined) continue;
      onRefusal?.(path, reason);
      throw new FileSystemError("EACCES", path, { hint: reason });
    }
  };
  /** What `path` leads to, or the entry itself, after asking. */
  const askedPlace = async (
    path: string,
    what: "itself" | "target",
    ...kinds: Kind[]
  ): Promise<string> => {
    const given = normalizePath(path);
    ask(given, ...kinds);
    if (fs.isCanonicalPath?.(given)) return given;
    const place = await placeOf(fs, given, what);
    if (place !== given) ask(place, ...kinds);
    return place;
  };
  /** For each entry below a directory, by both names that it has or will have. */
  const askBelow = async (
    directory: string,
    names: readonly string[],
    ...kinds: Kind[]
  ): Promise<void> => {
    for (const { name, type } of await straight.readdir(directory)) {
      const below = names.map((parent) => childPath(parent, name));
      for (const path of below) ask(path, ...kinds);
      if (type === "directory") await askBelow(childPath(directory, name), below, ...kinds);
    }
  };
  const read = <Result>(path: string, act: (place: string) => Promise<Result>): Promise<Result> =>
    settle(path, () => askedPlace(path, "target", "read"), act);
  const write = (
    path: string,
    what: "itself" | "target",
    act: (place: string) => Promise<void>,
  ): Promise<void> => moves.read(() => settle(path, () => askedPlace(path, what, "write"), act));

  /** One after the other, so that each is made where the last one led to. */
  const makeAll = async (path: string): Promise<void> => {
    if ((await ifThere(fs.stat(path)))?.type === "directory") return;
    if (path !== "/" && !(await ifThere(fs.stat(dirname(path))))) await makeAll(dirname(path));
    try {
      await write(path, "itself", (place) => straight.mkdir(place));
    } catch (error) {
      const isThere = error instanceof FileSystemError && error.code === "EEXIST";
      if (!isThere || (await ifThere(fs.stat(path)))?.type !== "directory") throw error;
    }
  };

  return {
    readFile: (path) => read(path, (place) => straight.readFile(place)),
    writeFile: (path, data) => write(path, "target", (place) => straight.writeFile(place, data)),
    appendFile: (path, data) => write(path, "target", (place) => straight.appendFile(place, data)),
    stat: (path) => fs.stat(path),
    lstat: (path) => fs.lstat(path),
    readlink: (path) => fs.readlink(path),
    realpath: (path) => fs.realpath(path),
    readdir: (path) => read(path, (place) => straight.readdir(place)),
    async mkdir(path, options) {
      if (options?.recursive) await makeAll(normalizePath(path));
      else await write(path, "itself", (place) => straight.mkdir(place));
    },
    remove: (path, options) =>
      write(path, "itself", async (place) => {
        if (options?.recursive && (await typeOf(fs, place)) === "directory") {
          await askBelow(place, [normalizePath(path), place], "write");
        }
        await straight.remove(place, options);
      }),
    rename: (from, to) =>
      moves.write(() =>
        settle(
          from,
          async () => ({
            source: await askedPlace(from, "itself", "read", "write"),
            target: await askedPlace(to, "itself", "write"),
          }),
          async ({ source, target }) => {
            if ((await typeOf(fs, source)) === "directory") {
              await askBelow(source, [normalizePath(from), source], "read", "write");
              await askBelow(source, [normalizePath(to), target], "write");
            }
            await straight.rename(source, target);
          },
        ),
      ),
    symlink: (target, path) => write(path, "itself", (place) => straight.symlink(target, place)),
    chmod: (path, mode) => write(path, "target", (place) => straight.chmod(place, mode)),
    utimes: (path, mtimeMs) => write(path, "target", (place) => straight.utimes(place, mtimeMs)),
  };
}

/** Acts at the place that `find` has asked about, and asks again when a link has come to be on the way to it. */
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

/** `undefined` when nothing is there; a path of more links than the file system follows leads nowhere. */
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

/** Where a normalised path leads, also when nothing is there yet: a write goes through a link that points to nothing. */
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
    // A step up leaves the directory that a link led to, not the one that the link is in.
    at =
      segment === ".." ? dirname(at) : await placeOf(fs, childPath(at, segment), "target", links);
  }
  return at;
}
