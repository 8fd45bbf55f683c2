import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { type FileHandle, open, readdir, rm, rmdir, unlink } from "node:fs/promises";
import { posix } from "node:path";
import { FileSystemError } from "@robota/runtime";
import { errnoOf } from "./file-error.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** A Linux flag that Node does not export: a handle to a place, which requires no read permission. */
const O_PATH = 0o10000000;
/** macOS's, which Node has no name for: no segment may be a symlink. */
const O_NOFOLLOW_ANY = 0x20000000;

const HANDLES = "/proc/self/fd";
/** Linux reveals the path of an open file, and resolves names below an open directory. */
export const hasHandles = process.platform === "linux" && isOwnHandle();
const STRAIGHT = process.platform === "darwin" ? O_NOFOLLOW_ANY : O_NOFOLLOW;
const ENTRY = hasHandles ? O_PATH | O_NOFOLLOW : O_RDONLY | STRAIGHT;

/**
 * The canonical path of an open file in Linux; `undefined` elsewhere, and for a file that was removed or replaced
 * meanwhile.
 */
export function pathOfHandle(fd: number): string | undefined {
  if (!hasHandles) return undefined;
  const path = readlinkSync(`${HANDLES}/${fd}`);
  return path.endsWith(" (deleted)") ? undefined : path;
}

/**
 * Runs `work` with a path of the directory `path` (absolute and normalised), resolved through no symlink.
 *
 * On Linux that path goes through a handle of the directory, so that `work` acts in it, whatever happens to the names
 * leading there. Elsewhere Node has no calls relative to a handle: the directory is checked before and after, and a
 * change that may have gone elsewhere is reported as `EBUSY`.
 * @throws {FileSystemError} `ELOOP` for a symlink on the path, and errors of opening the directory
 */
export async function inDirectory<Result>(
  path: string,
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  const fd = openDirectory(path);
  try {
    if (hasHandles) return await work(`${HANDLES}/${fd}`);
    const result = await work(path);
    if (isAt(fd, path)) return result;
    const hint =
      "A symlink appeared on the path, and the change may have been made at its target: check both places.";
    throw new FileSystemError("EBUSY", path, { hint });
  } finally {
    closeSync(fd);
  }
}

/** As `inDirectory`, for the parent of `path`. `work` gets a path of the entry, which may be anything. */
export function atEntry<Result>(
  path: string,
  work: (entry: string) => Promise<Result>,
): Promise<Result> {
  const name = posix.basename(path);
  // Only the root has no parent, and nobody can replace it by a link.
  return name === ""
    ? work(path)
    : inDirectory(posix.dirname(path), (directory) => work(`${directory}/${name}`));
}

/** Opens `path` without following any symlink, including the last segment. @throws as `inDirectory` */
export function openStraight(path: string, flags: number): Promise<FileHandle> {
  return atEntry(path, (entry) => open(entry, flags | O_NOFOLLOW));
}

/** Removes the directory at `entry`, which `atEntry` gave, and all that is in it; symlinks are removed, never followed. */
export async function removeTree(entry: string): Promise<void> {
  if (!hasHandles) return rm(entry, { recursive: true });
  const fd = openSync(entry, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    const directory = `${HANDLES}/${fd}`;
    for (const child of await readdir(directory, { withFileTypes: true })) {
      const below = `${directory}/${child.name}`;
      await (child.isDirectory() ? removeTree(below) : unlink(below));
    }
  } finally {
    closeSync(fd);
  }
  await rmdir(entry);
}

/**
 * Runs `work` with a path that leads to the present entry at `path` and to nothing else, as far as the system can
 * ensure that.
 */
export async function atTarget<Result>(
  path: string,
  work: (target: string) => Promise<Result>,
): Promise<Result> {
  await using handle = await atEntry(path, (entry) => open(entry, ENTRY));
  // A handle of a symlink exists on Linux only, and nothing else reveals it.
  if ((await handle.stat()).isSymbolicLink()) throw new FileSystemError("ELOOP", path);
  return await work(hasHandles ? `${HANDLES}/${handle.fd}` : path);
}

/** The caller closes it. */
function openDirectory(path: string): number {
  if (!hasHandles) return openChecked(path);
  const fd = openAtOnce(path);
  if (fd === undefined) return walkTo(path);
  // The common case. For names with several spellings, and during renames, only the walk can tell.
  if (pathOfHandle(fd) === path) return fd;
  closeSync(fd);
  return walkTo(path);
}

/** `undefined` on failure: perhaps because of a symlink, which the walk finds. */
function openAtOnce(path: string): number | undefined {
  try {
    return openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  } catch {
    return undefined;
  }
}

function openChecked(path: string): number {
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | STRAIGHT);
  if (isAt(fd, path)) return fd;
  closeSync(fd);
  throw new FileSystemError("ELOOP", path);
}

/** Opens each directory below the one before it. */
function walkTo(path: string): number {
  let fd = openSync("/", O_PATH | O_DIRECTORY);
  for (const name of path.split("/").filter((segment) => segment !== "")) {
    const parent = fd;
    try {
      fd = openBelow(parent, name, path);
    } finally {
      closeSync(parent);
    }
  }
  return fd;
}

function openBelow(parent: number, name: string, path: string): number {
  const entry = `${HANDLES}/${parent}/${name}`;
  try {
    return openSync(entry, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR" && lstatSync(entry).isSymbolicLink()) {
      throw new FileSystemError("ELOOP", path, { cause: error });
    }
    throw error;
  }
}

/** Reports whether `path` has no symlink and leads to the open directory. */
function isAt(fd: number, path: string): boolean {
  try {
    const [open, found] = [fstatSync(fd, { bigint: true }), lstatSync(path, { bigint: true })];
    return realpathSync.native(path) === path && open.dev === found.dev && open.ino === found.ino;
  } catch {
    return false;
  }
}

/** Without /proc, as in a jail, handles have no paths. */
function isOwnHandle(): boolean {
  try {
    const fd = openSync("/", O_RDONLY | O_DIRECTORY);
    try {
      return readlinkSync(`${HANDLES}/${fd}`) === "/";
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}
