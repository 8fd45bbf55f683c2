import { FileSystemError, type FileSystem, isWithin, normalizePath } from "@robota/runtime/ports";
import { isDevicePath } from "./devices.ts";

/** The limit of Linux. Walking a path takes quadratic time when each step checks all parents. */
const MAX_PATH_CHARACTERS = 4_095;

export interface ShellFilesOptions {
  files: FileSystem;
  devices: FileSystem;
  /** Directories that a script may expect to exist; created in `files` on first access. */
  assumed: readonly string[];
  /** Directories of `assumed` that are known to exist; shared by the runs of one shell. */
  present: Set<string>;
  /** Called before each operation, so that a program that only reads files yields too; throws to end it. */
  pace?: () => Promise<void> | undefined;
}

export interface ShellFiles {
  readonly fs: FileSystem;
  /** Makes every later call reject, so that an abandoned script has no further effect. */
  revoke(): void;
}

/** Combines the user's files and the shell's own devices in one tree, for one run of a script. */
export function createShellFiles({
  files,
  devices,
  assumed,
  present,
  pace,
}: ShellFilesOptions): ShellFiles {
  let revoked = false;

  const makeAssumed = async (path: string): Promise<void> => {
    // A walk down to the home directory passes `/home` first.
    const directory = assumed.find(
      (candidate) => isWithin(candidate, path) || (path !== "/" && isWithin(path, candidate)),
    );
    if (directory === undefined || present.has(directory)) return;
    try {
      await files.mkdir(directory, { recursive: true });
      present.add(directory);
    } catch (error) {
      // Read-only files can't hold the directory; the operation itself then reports the missing path.
      if (!(error instanceof FileSystemError)) throw error;
    }
  };

  const forget = (path: string): void => {
    for (const directory of present) {
      if (isWithin(normalizePath(path), directory)) present.delete(directory);
    }
  };

  const at = async <Result>(
    path: string,
    operation: (fs: FileSystem) => Promise<Result>,
  ): Promise<Result> => {
    const turn = pace?.();
    if (turn) await turn;
    if (revoked) throw new FileSystemError("EIO", path, { hint: "The command was ended." });
    if (path.length > MAX_PATH_CHARACTERS) throw new FileSystemError("ENAMETOOLONG", path);
    const target = normalizePath(path);
    if (isDevicePath(target)) return operation(devices);
    await makeAssumed(target);
    return operation(files);
  };

  const fs: FileSystem = {
    readFile: (path) => at(path, (side) => side.readFile(path)),
    writeFile: (path, data) => at(path, (side) => side.writeFile(path, data)),
    appendFile: (path, data) => at(path, (side) => side.appendFile(path, data)),
    stat: (path) => at(path, (side) => side.stat(path)),
    lstat: (path) => at(path, (side) => side.lstat(path)),
    readdir: (path) => at(path, (side) => side.readdir(path)),
    mkdir: (path, options) => at(path, (side) => side.mkdir(path, options)),
    async remove(path, options) {
      await at(path, (side) => side.remove(path, options));
      forget(path);
    },
    async rename(from, to) {
      if (isDevicePath(normalizePath(to))) throw new FileSystemError("EPERM", to);
      await makeAssumed(normalizePath(to));
      await at(from, (side) => side.rename(from, to));
      forget(from);
    },
    symlink: (target, path) => at(path, (side) => side.symlink(target, path)),
    readlink: (path) => at(path, (side) => side.readlink(path)),
    realpath: (path) => at(path, (side) => side.realpath(path)),
    chmod: (path, mode) => at(path, (side) => side.chmod(path, mode)),
    utimes: (path, mtimeMs) => at(path, (side) => side.utimes(path, mtimeMs)),
  };
  return {
    fs,
    revoke() {
      revoked = true;
    },
  };
}
