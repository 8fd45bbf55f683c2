import type { FileSystem } from "../../ports/file-system.ts";
import { FileSystemError } from "../../errors.ts";
import { basename, dirname, normalizePath, resolvePath } from "../../ports/path.ts";

/** Links that are followed one after another before it counts as going round. */
const MAX_LINKS = 40;

/** Every path that a text may lead to; `undefined` when unknown, as with link loops. */
export type ResolvedPaths = ReadonlyMap<string, readonly string[] | undefined>;

/** The path joined to a directory, with its dots: the input of `resolvePaths`. */
export function rawPath(directory: string, path: string): string {
  return path.startsWith("/") ? path : `${directory}/${path}`;
}

/**
 * Resolves absolute paths: without dots, with every link followed, and, for a `..`, also as a program that follows
 * links first would. A missing file is placed in its real directory, and a dangling link counts as its target.
 */
export async function resolvePaths(
  fs: Pick<FileSystem, "realpath" | "lstat" | "readlink">,
  paths: Iterable<string>,
): Promise<Map<string, readonly string[] | undefined>> {
  const known = new Map<string, Promise<string | undefined>>();
  const real = (path: string): Promise<string | undefined> => {
    const found = known.get(path) ?? realPath(fs, path);
    known.set(path, found);
    return found;
  };
  const entries = [...new Set(paths)].map(async (path) => {
    const plain = normalizePath(path);
    const leads = [await real(plain)];
    if (path.split("/").includes("..")) leads.push(await physicalPath(path, real));
    const forms = new Set([plain, ...leads]);
    const isKnown = leads.every((lead) => lead !== undefined);
    return [path, isKnown ? [...forms].filter((form) => form !== undefined) : undefined] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Follows links before it goes up, as a kernel does. */
async function physicalPath(
  path: string,
  real: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  let current: string | undefined = "/";
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      const directory: string | undefined = await real(current);
      if (directory === undefined) return undefined;
      current = dirname(directory);
    } else current = resolvePath(current, segment);
  }
  return real(current);
}

async function realPath(
  fs: Pick<FileSystem, "realpath" | "lstat" | "readlink">,
  path: string,
  links = 0,
): Promise<string | undefined> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (!isMissing(error)) return undefined;
  }
  if (path === "/") return path;
  const parent = await realPath(fs, dirname(path), links);
  if (parent === undefined) return undefined;
  const placed = resolvePath(parent, basename(path));
  try {
    if ((await fs.lstat(placed)).type !== "symlink") return placed;
    if (links >= MAX_LINKS) return undefined;
    return await realPath(fs, resolvePath(parent, await fs.readlink(placed)), links + 1);
  } catch (error) {
    return isMissing(error) ? placed : undefined;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof FileSystemError && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
