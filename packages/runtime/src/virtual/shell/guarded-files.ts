import { FileSystemError } from "../../errors.ts";
import type { AccessRules } from "../../ports/access.ts";
import type { FileSystem, FileType } from "../../ports/file-system.ts";
import { basename, dirname, normalizePath } from "../../ports/path.ts";
import { childPath } from "../path-walk.ts";

const MOST_LINKS = 40;

type Kind = "read" | "write";

/**
 * `fs` as far as `rules` let through: what they refuse fails with `EACCES`, and the hint is the reason. Each path is
 * asked about by the name that was given and by the place that it leads to, and files are opened at that place, so that
 * a link which is changed in between leads nowhere else. To remove or move a directory is to do so with each file in it,
 * and who moves a file could read it at its new place, so that asks for both.
 *
 * Whether something is there, how large it is and where a link points is no secret: listings and searches of a
 * directory would fail over a single file in it.
 */
export function guardFiles(
  fs: FileSystem,
  rules: Pick<AccessRules, "refusesFile">,
  onRefusal?: (path: string, reason: string) => void,
): FileSystem {
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
    if (fs.isStraight?.(given)) return given;
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
    for (const { name, type } of await fs.readdir(directory)) {
      const below = names.map((parent) => childPath(parent, name));
      for (const path of below) ask(path, ...kinds);
      if (type === "directory") await askBelow(childPath(directory, name), below, ...kinds);
    }
  };

  return {
    async readFile(path) {
      return fs.readFile(await askedPlace(path, "target", "read"));
    },
    async writeFile(path, data) {
      return fs.writeFile(await askedPlace(path, "target", "write"), data);
    },
    async appendFile(path, data) {
      return fs.appendFile(await askedPlace(path, "target", "write"), data);
    },
    stat: (path) => fs.stat(path),
    lstat: (path) => fs.lstat(path),
    readlink: (path) => fs.readlink(path),
    realpath: (path) => fs.realpath(path),
    async readdir(path) {
      return fs.readdir(await askedPlace(path, "target", "read"));
    },
    async mkdir(path, options) {
      if (!options?.recursive) {
        await askedPlace(path, "itself", "write");
        return fs.mkdir(path);
      }
      for (let at = normalizePath(path); !(await typeOf(fs, at)); at = dirname(at)) {
        await askedPlace(at, "target", "write");
      }
      return fs.mkdir(path, options);
    },
    async remove(path, options) {
      const place = await askedPlace(path, "itself", "write");
      if (options?.recursive && (await typeOf(fs, place)) === "directory") {
        await askBelow(place, [normalizePath(path), place], "write");
      }
      return fs.remove(place, options);
    },
    async rename(from, to) {
      const source = await askedPlace(from, "itself", "read", "write");
      const target = await askedPlace(to, "itself", "write");
      if ((await typeOf(fs, source)) === "directory") {
        await askBelow(source, [normalizePath(from), source], "read", "write");
        await askBelow(source, [normalizePath(to), target], "write");
      }
      return fs.rename(source, target);
    },
    async symlink(target, path) {
      return fs.symlink(target, await askedPlace(path, "itself", "write"));
    },
    async chmod(path, mode) {
      return fs.chmod(await askedPlace(path, "target", "write"), mode);
    },
    async utimes(path, mtimeMs) {
      return fs.utimes(await askedPlace(path, "target", "write"), mtimeMs);
    },
  };
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
  links: { left: number } = { left: MOST_LINKS },
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
