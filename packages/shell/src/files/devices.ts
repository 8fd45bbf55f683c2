import {
  concatBytes,
  encodeText,
  FileSystemError,
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  basename,
  dirname,
  isWithin,
  normalizePath,
} from "@robota/runtime/ports";

const RANDOM_BYTES = 65_536;

export interface Devices {
  /** The commands that `/bin` and `/usr/bin` show. */
  commands: Pick<ReadonlyMap<string, unknown>, "has" | "keys">;
  /** Where writes to `/dev/stdout`, `/dev/stderr` and `/dev/tty` go. */
  print: (stream: "stdout" | "stderr", data: Uint8Array) => void;
}

/** Whether `path` belongs to the shell and not to the files that it works on. */
export function isDevicePath(path: string): boolean {
  return isWithin("/dev", path) || isWithin("/bin", path) || isWithin("/usr/bin", path);
}

/**
 * What a script expects of a machine beside the user's files: `/dev` and the commands in `/bin` and `/usr/bin`.
 *
 * They can be reached by name and hide what the port has there, but no listing of `/` names them, so `find /` and
 * `grep -r /` show the user's files and nothing else. Files below `/dev/fd` and `/dev/shm` live as long as this object.
 */
export function createDevices({ commands, print }: Devices): FileSystem {
  const files = new Map<string, Uint8Array>();
  const directories = new Set(["/dev", "/dev/fd", "/dev/shm", "/bin", "/usr/bin"]);

  const read = (path: string): Uint8Array | undefined => {
    if (path === "/dev/random" || path === "/dev/urandom") {
      return crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
    }
    // As much of what never ends as a reader that stops early is likely to want.
    if (path === "/dev/zero") return new Uint8Array(RANDOM_BYTES);
    if (path === "/dev/null" || path === "/dev/tty" || /^\/dev\/std(in|out|err)$/.test(path)) {
      return new Uint8Array();
    }
    if (isCommand(path)) return encodeText("#!/bin/bash\n");
    return files.get(path);
  };
  const isCommand = (path: string): boolean =>
    (dirname(path) === "/bin" || dirname(path) === "/usr/bin") && commands.has(basename(path));
  const isScratch = (path: string): boolean =>
    dirname(path) === "/dev/fd" || dirname(path) === "/dev/shm";

  const stat = async (path: string): Promise<FileStat> => {
    const target = normalizePath(path);
    if (directories.has(target)) return { type: "directory", size: 0, mtimeMs: 0, mode: 0o755 };
    if (isCommand(target)) return { type: "file", size: 12, mtimeMs: 0, mode: 0o755 };
    const content = read(target);
    if (!content) throw new FileSystemError("ENOENT", path);
    return { type: "file", size: content.length, mtimeMs: 0, mode: 0o666 };
  };

  const write = async (path: string, data: Uint8Array | string, append: boolean): Promise<void> => {
    const target = normalizePath(path);
    const bytes = typeof data === "string" ? encodeText(data) : data.slice();
    if (target === "/dev/null") return;
    if (target === "/dev/stdout" || target === "/dev/tty") return print("stdout", bytes);
    if (target === "/dev/stderr") return print("stderr", bytes);
    if (directories.has(target)) throw new FileSystemError("EISDIR", path);
    if (!isScratch(target)) throw new FileSystemError("EACCES", path);
    const before = append ? files.get(target) : undefined;
    files.set(target, before ? concatBytes([before, bytes]) : bytes);
  };

  const refuse = async (path: string): Promise<never> => {
    throw new FileSystemError("EPERM", path);
  };

  return {
    stat,
    lstat: stat,
    async readFile(path) {
      const target = normalizePath(path);
      const content = read(target);
      if (content) return content.slice();
      throw new FileSystemError(directories.has(target) ? "EISDIR" : "ENOENT", path);
    },
    writeFile: (path, data) => write(path, data, false),
    appendFile: (path, data) => write(path, data, true),
    async readdir(path) {
      const target = normalizePath(path);
      if (!directories.has(target)) {
        throw new FileSystemError(read(target) ? "ENOTDIR" : "ENOENT", path);
      }
      const entries: DirectoryEntry[] = [];
      if (target === "/bin" || target === "/usr/bin") {
        for (const name of commands.keys()) entries.push({ name, type: "file" });
      } else if (target === "/dev") {
        for (const name of ["fd", "shm"]) entries.push({ name, type: "directory" });
        for (const name of [
          "null",
          "random",
          "stderr",
          "stdin",
          "stdout",
          "tty",
          "urandom",
          "zero",
        ]) {
          entries.push({ name, type: "file" });
        }
      }
      for (const file of files.keys()) {
        if (dirname(file) === target) entries.push({ name: basename(file), type: "file" });
      }
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async mkdir(path, options) {
      if (!directories.has(normalizePath(path))) return refuse(path);
      if (!options?.recursive) throw new FileSystemError("EEXIST", path);
    },
    async remove(path, options) {
      const target = normalizePath(path);
      if (files.delete(target)) return;
      if (isScratch(target)) {
        if (!options?.force) throw new FileSystemError("ENOENT", path);
        return;
      }
      return refuse(path);
    },
    rename: refuse,
    symlink: (_target, path) => refuse(path),
    async readlink(path) {
      await stat(path);
      throw new FileSystemError("EINVAL", path);
    },
    async realpath(path) {
      await stat(path);
      return normalizePath(path);
    },
    chmod: async (path) => void (await stat(path)),
    utimes: async (path) => void (await stat(path)),
  };
}
