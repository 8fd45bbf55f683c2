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
  /** The commands listed in `/bin` and `/usr/bin`. */
  commands: Pick<ReadonlyMap<string, unknown>, "has" | "keys">;
  /** Receives writes to `/dev/stdout`, `/dev/stderr` and `/dev/tty`. */
  print: (stream: "stdout" | "stderr", data: Uint8Array) => void;
}

/** Reports whether `path` belongs to the shell rather than to the user's files. */
export function isDevicePath(path: string): boolean {
  return isWithin("/dev", path) || isWithin("/bin", path) || isWithin("/usr/bin", path);
}

/**
 * The files that a script expects of a machine beside the user's: `/dev` and the commands in `/bin` and `/usr/bin`.
 *
 * They can be reached by name and shadow those of the port, but no listing of `/` names them, so `find /` and `grep -r
 * /` show only the user's files. Files below `/dev/fd` and `/dev/shm` live as long as this object.
 */
export function createDevices(devices: Devices): FileSystem {
  return new DeviceFiles(devices);
}

class DeviceFiles implements FileSystem {
  readonly #commands: Devices["commands"];
  readonly #print: Devices["print"];
  readonly #files = new Map<string, Uint8Array>();
  readonly #directories = new Set(["/dev", "/dev/fd", "/dev/shm", "/bin", "/usr/bin"]);

  constructor({ commands, print }: Devices) {
    this.#commands = commands;
    this.#print = print;
  }

  async stat(path: string): Promise<FileStat> {
    const target = normalizePath(path);
    if (this.#directories.has(target))
      return { type: "directory", size: 0, mtimeMs: 0, mode: 0o755 };
    if (this.#isCommand(target)) return { type: "file", size: 12, mtimeMs: 0, mode: 0o755 };
    const content = this.#read(target);
    if (!content) throw new FileSystemError("ENOENT", path);
    return { type: "file", size: content.length, mtimeMs: 0, mode: 0o666 };
  }

  lstat(path: string): Promise<FileStat> {
    return this.stat(path);
  }

  rename(from: string): Promise<void> {
    return this.#refuse(from);
  }

  async readFile(path: string): Promise<Uint8Array> {
    const target = normalizePath(path);
    const content = this.#read(target);
    if (content) return content.slice();
    throw new FileSystemError(this.#directories.has(target) ? "EISDIR" : "ENOENT", path);
  }

  writeFile(path: string, data: Uint8Array | string): Promise<void> {
    return this.#write(path, data, false);
  }

  appendFile(path: string, data: Uint8Array | string): Promise<void> {
    return this.#write(path, data, true);
  }

  async readdir(path: string): Promise<DirectoryEntry[]> {
    const target = normalizePath(path);
    if (!this.#directories.has(target)) {
      throw new FileSystemError(this.#read(target) ? "ENOTDIR" : "ENOENT", path);
    }
    const entries: DirectoryEntry[] = [];
    if (target === "/bin" || target === "/usr/bin") {
      for (const name of this.#commands.keys()) entries.push({ name, type: "file" });
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
    for (const file of this.#files.keys()) {
      if (dirname(file) === target) entries.push({ name: basename(file), type: "file" });
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    if (!this.#directories.has(normalizePath(path))) return this.#refuse(path);
    if (!options?.recursive) throw new FileSystemError("EEXIST", path);
  }

  async remove(path: string, options?: { force?: boolean }): Promise<void> {
    const target = normalizePath(path);
    if (this.#files.delete(target)) return;
    if (this.#isScratch(target)) {
      if (!options?.force) throw new FileSystemError("ENOENT", path);
      return;
    }
    return this.#refuse(path);
  }

  symlink(_target: string, path: string): Promise<void> {
    return this.#refuse(path);
  }

  async readlink(path: string): Promise<string> {
    await this.stat(path);
    throw new FileSystemError("EINVAL", path);
  }

  async realpath(path: string): Promise<string> {
    await this.stat(path);
    return normalizePath(path);
  }

  async chmod(path: string): Promise<void> {
    return void (await this.stat(path));
  }

  async utimes(path: string): Promise<void> {
    return void (await this.stat(path));
  }

  #read(path: string): Uint8Array | undefined {
    if (path === "/dev/random" || path === "/dev/urandom") {
      return crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
    }
    // Enough of an endless device for a reader that stops early.
    if (path === "/dev/zero") return new Uint8Array(RANDOM_BYTES);
    if (path === "/dev/null" || path === "/dev/tty" || /^\/dev\/std(in|out|err)$/.test(path)) {
      return new Uint8Array();
    }
    if (this.#isCommand(path)) return encodeText("#!/bin/bash\n");
    return this.#files.get(path);
  }

  #isCommand(path: string): boolean {
    return (
      (dirname(path) === "/bin" || dirname(path) === "/usr/bin") &&
      this.#commands.has(basename(path))
    );
  }

  #isScratch(path: string): boolean {
    return dirname(path) === "/dev/fd" || dirname(path) === "/dev/shm";
  }

  async #write(path: string, data: Uint8Array | string, append: boolean): Promise<void> {
    const target = normalizePath(path);
    const bytes = typeof data === "string" ? encodeText(data) : data.slice();
    if (target === "/dev/null") return;
    if (target === "/dev/stdout" || target === "/dev/tty") return this.#print("stdout", bytes);
    if (target === "/dev/stderr") return this.#print("stderr", bytes);
    if (this.#directories.has(target)) throw new FileSystemError("EISDIR", path);
    if (!this.#isScratch(target)) throw new FileSystemError("EACCES", path);
    const before = append ? this.#files.get(target) : undefined;
    this.#files.set(target, before ? concatBytes([before, bytes]) : bytes);
  }

  async #refuse(path: string): Promise<never> {
    throw new FileSystemError("EPERM", path);
  }
}
