import { lstat, readlink } from "node:fs/promises";
import { posix } from "node:path";
import { FileSystemError } from "@robota/runtime";
import { errnoOf } from "./file-error.ts";

const MAX_LINKS = 40;

/** The resolved location of a port's path: in the port's own terms, and on disk. */
export interface Location {
  path: string;
  onDisk: string;
}

/**
 * Walks `path` below `root` and resolves symlinks itself, so that an absolute target begins at `root` and `..` stops
 * there. The last segment may be missing; with `keep` it is not followed when it is a symlink. Links are resolved once
 * per call: a process that swaps a directory for a link at that very moment is not stopped.
 * @throws {FileSystemError} `ENOENT`, `ENOTDIR`, `ELOOP`, or errors of `lstat`
 */
export async function locate(
  root: string,
  path: string,
  last: "follow" | "keep",
): Promise<Location> {
  const ahead = segmentsOf(path);
  const behind: string[] = [];
  let links = 0;

  const here = (): string => `/${behind.join("/")}`;
  for (let segment = ahead.pop(); segment !== undefined; segment = ahead.pop()) {
    if (segment === ".") continue;
    if (segment === "..") {
      behind.pop();
      continue;
    }
    behind.push(segment);
    if (ahead.length === 0 && last === "keep") break;

    const type = await typeOf(posix.join(root, here()));
    if (type === "symlink") {
      if (++links > MAX_LINKS) throw new FileSystemError("ELOOP", path);
      const target = await readlink(posix.join(root, here()));
      behind.pop();
      if (target.startsWith("/")) behind.length = 0;
      // A slash or a dot at the end asks for a directory.
      if (/\/\.?$/.test(target)) ahead.push(".");
      ahead.push(...segmentsOf(target));
    } else if (ahead.length > 0 && type !== "directory") {
      throw new FileSystemError(type === "missing" ? "ENOENT" : "ENOTDIR", path);
    }
  }
  return { path: here(), onDisk: posix.join(root, here()) };
}

/** The segments still to walk, the next one last. A port's own path has no `..` left in it; a symlink's target can. */
function segmentsOf(path: string): string[] {
  return path
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .toReversed();
}

async function typeOf(onDisk: string): Promise<"missing" | "symlink" | "directory" | "file"> {
  try {
    const stats = await lstat(onDisk);
    if (stats.isSymbolicLink()) return "symlink";
    return stats.isDirectory() ? "directory" : "file";
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "missing";
    throw error;
  }
}
