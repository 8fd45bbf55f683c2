import { FileSystemError, type FileSystem, isWithin, normalizePath } from "@robota/runtime/ports";
import { isDevicePath } from "./devices.ts";

/** As on Linux. To walk a path takes time with the square of its length where each step looks at what is before it. */
const MAX_PATH_CHARACTERS = 4_095;

export interface ShellFilesOptions {
  files: FileSystem;
  devices: FileSystem;
  /** Directories that a script may take for granted; made in `files` when a script first touches them. */
  assumed: readonly string[];
  /** Those of `assumed` that were seen to be there; shared by the runs of one shell. */
  present: Set<string>;
  /** Called before each operation, so that a program that only reads files lets others have a turn; throws to end it. */
  pace?: () => Promise<void> | undefined;
}

export interface ShellFiles {
  readonly fs: FileSystem;
  /** From now on every call rejects: what a script that was given up on still tries has no effect. */
  revoke(): void;
}

/** One tree of the user's files and the shell's own devices, for one run of one script. */
export function createShellFiles({
  files,
  devices,
  assumed,
  present,
  pace,
}: ShellFilesOptions): ShellFiles {
  let revoked = false;

  const makeAssumed = async (path: string): Promise<void> => {
    // A walk down to the home directory meets `/home` first.
    const directory = assumed.find(
      (candidate) => isWithin(candidate, path) || (path !== "/" && isWithin(path, candidate)),
    );
    if (directory === undefined || present.has(directory)) return;
    try {
      await files.mkdir(directory, { recursive: true });
      present.add(directory);
    } catch (error) {
      // Read-only files can't take the directory; the operation itself then says what is missing.
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
