import { type FileSystem, basename, dirname, normalizePath } from "@robota/runtime/ports";
import { isInside, type Snapshot, type SnapshotEntry } from "./snapshot.ts";

/** The sandbox's encoding of an error: `!CODE|words`. */
export function refused(code: string, words: string): string {
  return `!${code}|${words}`;
}

const DENIED = refused("EACCES", "permission denied");
const MISSING = refused("ENOENT", "no such file or directory");

/** The limit of Linux. */
const MAX_PATH_CHARACTERS = 4_095;
const MAX_NAME_CHARACTERS = 255;
/** Memory overhead of an entry in addition to its content. */
const OVERHEAD_BYTES = 256;

/** The synchronous file system of a script: over a snapshot, with its changes recorded for the real files. */
export interface ScriptFiles {
  read(path: string): Uint8Array | string;
  stat(path: string): string;
  list(path: string): string;
  write(path: string, data: Uint8Array, appends: boolean): string;
  makeDirectory(path: string, recursive: boolean): string;
  remove(path: string, kind: "file" | "tree" | "directory", force: boolean): string;
  rename(from: string, to: string): string;
  chmod(path: string, mode: number): string;
  /** Bytes of changes pending for the real files. */
  readonly waitingBytes: number;
}

/**
 * Creates the files of a script. Additions to its view of the files are limited like its memory, and so are pending
 * changes: at most `memoryBytes` each. A write beyond fails with `ENOSPC`.
 */
export function scriptFiles(fs: FileSystem, snapshot: Snapshot, memoryBytes: number): ScriptFiles {
  return new SnapshotFiles(fs, snapshot, memoryBytes);
}

class SnapshotFiles implements ScriptFiles {
  readonly #fs: FileSystem;
  readonly #snapshot: Snapshot;
  readonly #memoryBytes: number;
  #addedBytes = 0;
  #waitingBytes = 0;

  constructor(fs: FileSystem, snapshot: Snapshot, memoryBytes: number) {
    this.#fs = fs;
    this.#snapshot = snapshot;
    this.#memoryBytes = memoryBytes;
  }

  read(path: string): Uint8Array | string {
    const entry = this.#at(path);
    if (!entry) return this.#unknown(path);
    if (entry.type === "directory") return refused("EISDIR", "illegal operation on a directory");
    if (entry.isDenied) return DENIED;
    return (
      entry.bytes ??
      refused("EFBIG", "the file exceeds the size or number of files loaded for a script")
    );
  }

  stat(path: string): string {
    const entry = this.#at(path);
    return entry
      ? `${entry.type} ${entry.size} ${entry.mtimeMs} ${entry.mode}`
      : this.#unknown(path);
  }

  list(path: string): string {
    const entry = this.#at(path);
    if (!entry) return this.#unknown(path);
    if (entry.type !== "directory") return refused("ENOTDIR", "not a directory");
    if (entry.isDenied) return DENIED;
    const names: string[] = [];
    for (const [child, { type }] of this.#snapshot.entries)
      if (child !== path && dirname(child) === path)
        names.push(basename(child) + (type === "directory" ? "d" : "f"));
    // The only character besides NUL that names never contain; a NUL would end the text on its way into the sandbox.
    return names
      .sort()
      .map((name) => `${name.at(-1)}${name.slice(0, -1)}/`)
      .join("");
  }

  write(path: string, data: Uint8Array, appends: boolean): string {
    if (this.#at(path)?.type === "directory")
      return refused("EISDIR", "illegal operation on a directory");
    const refusal = this.#parentRefusal(path) ?? this.#roomRefusal(path, data.length);
    if (refusal !== undefined) return refusal;
    const before = appends ? this.#at(path) : undefined;
    const add = (): Promise<void> => this.#fs.appendFile(path, data);
    if (before && !before.bytes && before.size > 0) {
      this.#touch(path, { size: before.size + data.length });
      return this.#change(add, data.length);
    }
    const bytes = before?.bytes ? appended(before.bytes, data) : data;
    this.#touch(path, { bytes, size: bytes.length });
    if (appends) return this.#change(add, data.length);
    return this.#change(() => this.#fs.writeFile(path, data), data.length, path);
  }

  makeDirectory(path: string, recursive: boolean): string {
    const there = this.#at(path);
    if (there)
      return recursive && there.type === "directory"
        ? ""
        : refused("EEXIST", "file already exists");
    if (path.length > MAX_PATH_CHARACTERS) return refused("ENAMETOOLONG", "name too long");
    const refusal =
      (recursive ? undefined : this.#parentRefusal(path)) ?? this.#roomRefusal(path, 0);
    if (refusal !== undefined) return refusal;
    for (let one = path; !this.#at(one); one = dirname(one))
      this.#touch(one, { type: "directory", mode: 0o755 });
    return this.#change(() => this.#fs.mkdir(path, { recursive }));
  }

  remove(path: string, kind: "file" | "tree" | "directory", force: boolean): string {
    const entry = this.#at(path);
    if (!entry) return force ? "" : this.#unknown(path);
    const below = [...this.#snapshot.entries.keys()].filter((one) => one.startsWith(`${path}/`));
    if (entry.type === "directory" && kind === "file")
      return refused("ERR_FS_EISDIR", "Path is a directory");
    if (kind === "directory" && below.length > 0)
      return refused("ENOTEMPTY", "directory not empty");
    for (const one of [path, ...below]) this.#forget(one);
    return this.#change(() => this.#fs.remove(path, { recursive: kind === "tree", force: true }));
  }

  rename(from: string, to: string): string {
    const entry = this.#at(from);
    if (!entry) return this.#unknown(from);
    const refusal = this.#parentRefusal(to) ?? this.#roomRefusal(to, 0);
    if (refusal !== undefined) return refusal;
    for (const one of [
      from,
      ...[...this.#snapshot.entries.keys()].filter((path) => path.startsWith(`${from}/`)),
    ]) {
      const moved = this.#at(one);
      this.#forget(one);
      if (moved) this.#touch(normalizePath(to + one.slice(from.length)), moved);
    }
    return this.#change(() => this.#fs.rename(from, to));
  }

  chmod(path: string, mode: number): string {
    if (!this.#at(path)) return this.#unknown(path);
    const refusal = this.#roomRefusal(path, 0);
    if (refusal !== undefined) return refusal;
    this.#touch(path, { mode: mode & 0o777 });
    return this.#change(() => this.#fs.chmod(path, mode & 0o777));
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  #at(path: string): SnapshotEntry | undefined {
    return this.#snapshot.entries.get(path);
  }

  #unknown(path: string): string {
    return isInside(this.#snapshot, path) && !this.#isSkipped(path)
      ? MISSING
      : refused(
          "ENOENT",
          `not among the files available to this script (those below ${this.#snapshot.root})`,
        );
  }

  #isSkipped(path: string): boolean {
    return [...this.#snapshot.skipped].some((one) => path === one || path.startsWith(`${one}/`));
  }

  #change(apply: () => Promise<void>, bytes = 0, rewrites?: string): string {
    const last = this.#snapshot.changes.at(-1);
    // Repeated rewrites of a file are written once.
    if (rewrites !== undefined && last?.rewrites === rewrites) {
      this.#snapshot.changes.pop();
      this.#waitingBytes -= last.bytes;
    }
    const kept = bytes + OVERHEAD_BYTES;
    this.#waitingBytes += kept;
    const made = async (): Promise<void> => {
      this.#waitingBytes -= kept;
      await apply();
    };
    this.#snapshot.changes.push({
      apply: made,
      bytes: kept,
      rewrites,
    });
    return "";
  }

  #roomRefusal(path: string, bytes: number): string | undefined {
    const isFull =
      Math.max(this.#addedBytes, this.#waitingBytes) + bytes + path.length > this.#memoryBytes;
    return isFull
      ? refused("ENOSPC", "the files written by this script exceed its memory limit")
      : undefined;
  }

  #parentRefusal(path: string): string | undefined {
    if (path.length > MAX_PATH_CHARACTERS || basename(path).length > MAX_NAME_CHARACTERS)
      return refused("ENAMETOOLONG", "name too long");
    const parent = this.#at(dirname(path));
    if (parent?.type === "directory") return undefined;
    return parent ? refused("ENOTDIR", "not a directory") : this.#unknown(dirname(path));
  }

  #keptBy(path: string): number {
    const entry = this.#at(path);
    return entry ? (entry.bytes?.buffer.byteLength ?? 0) + path.length + OVERHEAD_BYTES : 0;
  }

  #forget(path: string): void {
    this.#addedBytes -= this.#keptBy(path);
    this.#snapshot.entries.delete(path);
  }

  #touch(path: string, entry: Partial<SnapshotEntry>): void {
    this.#addedBytes -= this.#keptBy(path);
    this.#snapshot.entries.set(path, {
      type: "file",
      size: 0,
      mode: 0o644,
      ...this.#at(path),
      mtimeMs: Date.now(),
      ...entry,
    });
    this.#addedBytes += this.#keptBy(path);
  }
}

/**
 * Appends `data` to `before` in the spare capacity of an earlier call: a file grows in time proportional to the
 * addition.
 */
function appended(before: Uint8Array, data: Uint8Array): Uint8Array {
  const length = before.length + data.length;
  const hasRoom = growing.has(before) && before.buffer.byteLength >= length;
  const room = hasRoom ? new Uint8Array(before.buffer) : new Uint8Array(length * 2);
  if (!hasRoom) room.set(before);
  room.set(data, before.length);
  const bytes = room.subarray(0, length);
  growing.delete(before);
  growing.add(bytes);
  return bytes;
}

/** Contents whose buffers have spare capacity of their own. */
const growing = new WeakSet<Uint8Array>();
