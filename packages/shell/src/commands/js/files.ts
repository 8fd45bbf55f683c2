import { type FileSystem, basename, dirname, normalizePath } from "@robota/runtime/ports";
import { isInside, type Snapshot, type SnapshotEntry } from "./snapshot.ts";

/** What the sandbox reads as an error: `!CODE|words`. */
export function refused(code: string, words: string): string {
  return `!${code}|${words}`;
}

const DENIED = refused("EACCES", "permission denied");
const MISSING = refused("ENOENT", "no such file or directory");

/** As on Linux. */
const MAX_PATH_CHARACTERS = 4_095;
const MAX_NAME_CHARACTERS = 255;
/** Of memory that something takes beside the bytes in it. */
const OVERHEAD_BYTES = 256;

/** The files of a script without waiting: over a snapshot, with its changes noted for the files themselves. */
export interface ScriptFiles {
  read(path: string): Uint8Array | string;
  stat(path: string): string;
  list(path: string): string;
  write(path: string, data: Uint8Array, appends: boolean): string;
  makeDirectory(path: string, recursive: boolean): string;
  remove(path: string, kind: "file" | "tree" | "directory", force: boolean): string;
  rename(from: string, to: string): string;
  chmod(path: string, mode: number): string;
  /** Bytes of the changes that wait to be made in the files themselves. */
  readonly waitingBytes: number;
}

/**
 * What the script adds to its view of the files is as bounded as its memory, and so is what waits to be made of it: at
 * most `memoryBytes` each. A write beyond fails with `ENOSPC`.
 */
export function scriptFiles(fs: FileSystem, snapshot: Snapshot, memoryBytes: number): ScriptFiles {
  const { entries, changes } = snapshot;
  let [addedBytes, waitingBytes] = [0, 0];
  const at = (path: string): SnapshotEntry | undefined => entries.get(path);
  const unknown = (path: string): string =>
    isInside(snapshot, path) && !isSkipped(path)
      ? MISSING
      : refused(
          "ENOENT",
          `not among the files available to this script (those below ${snapshot.root})`,
        );
  const isSkipped = (path: string): boolean =>
    [...snapshot.skipped].some((one) => path === one || path.startsWith(`${one}/`));
  const change = (apply: () => Promise<void>, bytes = 0, rewrites?: string): string => {
    const last = changes.at(-1);
    // A file that is written again and again is written once.
    if (rewrites !== undefined && last?.rewrites === rewrites) {
      changes.pop();
      waitingBytes -= last.bytes;
    }
    const kept = bytes + OVERHEAD_BYTES;
    waitingBytes += kept;
    const made = async (): Promise<void> => {
      waitingBytes -= kept;
      await apply();
    };
    changes.push({ apply: made, bytes: kept, ...(rewrites === undefined ? {} : { rewrites }) });
    return "";
  };
  const roomRefusal = (path: string, bytes: number): string | undefined => {
    const isFull = Math.max(addedBytes, waitingBytes) + bytes + path.length > memoryBytes;
    return isFull
      ? refused("ENOSPC", "the files that this script has written take more than its memory")
      : undefined;
  };
  const parentRefusal = (path: string): string | undefined => {
    if (path.length > MAX_PATH_CHARACTERS || basename(path).length > MAX_NAME_CHARACTERS)
      return refused("ENAMETOOLONG", "name too long");
    const parent = at(dirname(path));
    if (parent?.type === "directory") return undefined;
    return parent ? refused("ENOTDIR", "not a directory") : unknown(dirname(path));
  };
  const keptBy = (path: string): number => {
    const entry = at(path);
    return entry ? (entry.bytes?.buffer.byteLength ?? 0) + path.length + OVERHEAD_BYTES : 0;
  };
  const forget = (path: string): void => {
    addedBytes -= keptBy(path);
    entries.delete(path);
  };
  const touch = (path: string, entry: Partial<SnapshotEntry>): void => {
    addedBytes -= keptBy(path);
    entries.set(path, {
      type: "file",
      size: 0,
      mode: 0o644,
      ...at(path),
      mtimeMs: Date.now(),
      ...entry,
    });
    addedBytes += keptBy(path);
  };
  return {
    read(path) {
      const entry = at(path);
      if (!entry) return unknown(path);
      if (entry.type === "directory") return refused("EISDIR", "illegal operation on a directory");
      if (entry.isDenied) return DENIED;
      return (
        entry.bytes ??
        refused(
          "EFBIG",
          "the file was too large, or one too many, to be read ahead for this script",
        )
      );
    },
    stat(path) {
      const entry = at(path);
      return entry ? `${entry.type} ${entry.size} ${entry.mtimeMs} ${entry.mode}` : unknown(path);
    },
    list(path) {
      const entry = at(path);
      if (!entry) return unknown(path);
      if (entry.type !== "directory") return refused("ENOTDIR", "not a directory");
      if (entry.isDenied) return DENIED;
      const names: string[] = [];
      for (const [child, { type }] of entries)
        if (child !== path && dirname(child) === path)
          names.push(basename(child) + (type === "directory" ? "d" : "f"));
      // The only character that no name has but NUL, at which a text ends on its way into the sandbox.
      return names
        .sort()
        .map((name) => `${name.at(-1)}${name.slice(0, -1)}/`)
        .join("");
    },
    write(path, data, appends) {
      if (at(path)?.type === "directory")
        return refused("EISDIR", "illegal operation on a directory");
      const refusal = parentRefusal(path) ?? roomRefusal(path, data.length);
      if (refusal !== undefined) return refusal;
      const before = appends ? at(path) : undefined;
      const add = (): Promise<void> => fs.appendFile(path, data);
      if (before && !before.bytes && before.size > 0) {
        touch(path, { size: before.size + data.length });
        return change(add, data.length);
      }
      const bytes = before?.bytes ? appended(before.bytes, data) : data;
      touch(path, { bytes, size: bytes.length });
      if (appends) return change(add, data.length);
      return change(() => fs.writeFile(path, data), data.length, path);
    },
    makeDirectory(path, recursive) {
      const there = at(path);
      if (there)
        return recursive && there.type === "directory"
          ? ""
          : refused("EEXIST", "file already exists");
      if (path.length > MAX_PATH_CHARACTERS) return refused("ENAMETOOLONG", "name too long");
      const refusal = (recursive ? undefined : parentRefusal(path)) ?? roomRefusal(path, 0);
      if (refusal !== undefined) return refusal;
      for (let one = path; !at(one); one = dirname(one))
        touch(one, { type: "directory", mode: 0o755 });
      return change(() => fs.mkdir(path, { recursive }));
    },
    remove(path, kind, force) {
      const entry = at(path);
      if (!entry) return force ? "" : unknown(path);
      const below = [...entries.keys()].filter((one) => one.startsWith(`${path}/`));
      if (entry.type === "directory" && kind === "file")
        return refused("ERR_FS_EISDIR", "Path is a directory");
      if (kind === "directory" && below.length > 0)
        return refused("ENOTEMPTY", "directory not empty");
      for (const one of [path, ...below]) forget(one);
      return change(() => fs.remove(path, { recursive: kind === "tree", force: true }));
    },
    rename(from, to) {
      const entry = at(from);
      if (!entry) return unknown(from);
      const refusal = parentRefusal(to) ?? roomRefusal(to, 0);
      if (refusal !== undefined) return refusal;
      for (const one of [
        from,
        ...[...entries.keys()].filter((path) => path.startsWith(`${from}/`)),
      ]) {
        const moved = at(one);
        forget(one);
        if (moved) touch(normalizePath(to + one.slice(from.length)), moved);
      }
      return change(() => fs.rename(from, to));
    },
    chmod(path, mode) {
      if (!at(path)) return unknown(path);
      const refusal = roomRefusal(path, 0);
      if (refusal !== undefined) return refusal;
      touch(path, { mode: mode & 0o777 });
      return change(() => fs.chmod(path, mode & 0o777));
    },
    get waitingBytes() {
      return waitingBytes;
    },
  };
}

/** `data` behind `before`, in the room that an earlier call has left there: a file grows in time of what is added. */
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

/** Contents whose buffers have room that belongs to them alone. */
const growing = new WeakSet<Uint8Array>();
