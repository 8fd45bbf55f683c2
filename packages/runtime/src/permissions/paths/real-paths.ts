import type { FileSystem } from "../../ports/file-system.ts";
import { FileSystemError } from "../../errors.ts";
import { basename, dirname, normalizePath, resolvePath } from "../../ports/path.ts";

/** Links that are followed one after another before it counts as going round. */
const MAX_LINKS = 40;

/** Every path that a text may lead to; `undefined` when that can't be told, as with links that go round. */
export type ResolvedPaths = ReadonlyMap<string, readonly string[] | undefined>;

/** The text of a path seen from a directory, with its dots: what `resolvePaths` is asked with. */
export function rawPath(directory: string, path: string): string {
  return path.startsWith("/") ? path : `${directory}/${path}`;
}

/**
 * Where absolute paths lead: without their dots, with every link followed, and, when there is a `..`, as a program would
 * find it that follows links first. What is not there yet is placed in the real directory that would hold it, and a link
 * that leads nowhere counts as where it leads.
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
