import { FileSystemError } from "../errors.ts";
import type { FileSystem, PathOptions } from "./file-system.ts";
import { basename, dirname, resolvePath } from "./path.ts";

/** Of a path whether its last segment is followed. */
type Last = "entry" | "target";

/**
 * `fs` for a caller that has resolved a path and judged it: every operation that reads or changes something asks for
 * `noFollow`, so that a link which is put on the path meanwhile makes it fail with `ELOOP`.
 *
 * Where `fs` does not honour that, the path is looked at right before and right after: what is read through a link is
 * not handed out, and a change that went through one is told as `EBUSY`. Whoever puts a link there and takes it away
 * again in between goes unnoticed, except where `open` tells which file is read.
 */
export function canonicalFiles(fs: FileSystem): FileSystem {
  return fs.honorsNoFollow?.() === true ? withoutFollowing(fs) : withChecks(fs);
}

const NO_FOLLOW: PathOptions = { noFollow: true };

function withoutFollowing(fs: FileSystem): FileSystem {
  return {
    ...looks(fs),
    readFile: (path) => fs.readFile(path, NO_FOLLOW),
    readdir: (path) => fs.readdir(path, NO_FOLLOW),
    writeFile: (path, data) => fs.writeFile(path, data, NO_FOLLOW),
    appendFile: (path, data) => fs.appendFile(path, data, NO_FOLLOW),
    mkdir: (path, options) => fs.mkdir(path, { ...options, ...NO_FOLLOW }),
    remove: (path, options) => fs.remove(path, { ...options, ...NO_FOLLOW }),
    rename: (from, to) => fs.rename(from, to, NO_FOLLOW),
    symlink: (target, path) => fs.symlink(target, path, NO_FOLLOW),
    chmod: (path, mode) => fs.chmod(path, mode, NO_FOLLOW),
    utimes: (path, mtimeMs) => fs.utimes(path, mtimeMs, NO_FOLLOW),
  };
}

/** What only looks, and what needs no help. */
function looks(
  fs: FileSystem,
): Pick<
  FileSystem,
  | "honorsNoFollow"
  | "stat"
  | "lstat"
  | "readlink"
  | "realpath"
  | "isCanonicalPath"
  | "statCanonical"
  | "readdirCanonical"
> {
  return {
    honorsNoFollow: () => true,
    stat: (path) => fs.stat(path),
    lstat: (path) => fs.lstat(path),
    readlink: (path) => fs.readlink(path),
    realpath: (path) => fs.realpath(path),
    ...(fs.isCanonicalPath && { isCanonicalPath: fs.isCanonicalPath.bind(fs) }),
    ...(fs.statCanonical && { statCanonical: fs.statCanonical.bind(fs) }),
    ...(fs.readdirCanonical && { readdirCanonical: fs.readdirCanonical.bind(fs) }),
  };
}

function withChecks(fs: FileSystem): FileSystem {
  const look = async <Result>(path: string, read: () => Promise<Result>): Promise<Result> => {
    await requireStraight(fs, path, "target");
    const found = await read();
    await requireStraight(fs, path, "target");
    return found;
  };
  const change = async (
    paths: readonly string[],
    last: Last,
    make: () => Promise<void>,
  ): Promise<void> => {
    for (const path of paths) await requireStraight(fs, path, last);
    await make();
    for (const path of paths) {
      if (await isCanonicalPath(fs, path, "entry")) continue;
      const hint = "The change may have been made where a link led: look at both places.";
      throw new FileSystemError("EBUSY", path, { hint });
    }
  };
  return {
    ...looks(fs),
    readFile: (path) => look(path, () => readOpened(fs, path)),
    readdir: (path) => look(path, () => fs.readdir(path)),
    writeFile: (path, data) => change([path], "target", () => fs.writeFile(path, data)),
    appendFile: (path, data) => change([path], "target", () => fs.appendFile(path, data)),
    mkdir: (path, options) =>
      change([path], options?.recursive ? "target" : "entry", () => fs.mkdir(path, options)),
    remove: (path, options) => change([path], "entry", () => fs.remove(path, options)),
    rename: (from, to) => change([from, to], "entry", () => fs.rename(from, to)),
    symlink: (target, path) => change([path], "entry", () => fs.symlink(target, path)),
    chmod: (path, mode) => change([path], "target", () => fs.chmod(path, mode)),
    utimes: (path, mtimeMs) => change([path], "target", () => fs.utimes(path, mtimeMs)),
  };
}

/** The bytes of the very file that is at `path`, where that can be told of an open one. */
async function readOpened(fs: FileSystem, path: string): Promise<Uint8Array> {
  if (!fs.open) return fs.readFile(path);
  await using file = await fs.open(path);
  if (file.path !== path) throw new FileSystemError("ELOOP", path);
  // A file that is a view of the system, as those of /proc are, says that it has no bytes.
  return file.size === 0 ? fs.readFile(path) : file.read(0, file.size);
}

async function requireStraight(fs: FileSystem, path: string, last: Last): Promise<void> {
  if (!(await isCanonicalPath(fs, path, last))) throw new FileSystemError("ELOOP", path);
}

/** Whether no symlink is on `path`, as far as it leads anywhere. */
async function isCanonicalPath(fs: FileSystem, path: string, last: Last): Promise<boolean> {
  if (path === "/") return true;
  const parent = dirname(path);
  const real = await fs.realpath(parent).catch(whatIsMissing);
  if (real === undefined) return isCanonicalPath(fs, parent, "target");
  if (resolvePath(real, basename(path)) !== path) return false;
  if (last === "entry") return true;
  const stat = await fs.lstat(path).catch(whatIsMissing);
  return stat?.type !== "symlink";
}

function whatIsMissing(error: unknown): undefined {
  if (error instanceof FileSystemError && /^(?:ENOENT|ENOTDIR)$/.test(error.code)) return undefined;
  throw error;
}
