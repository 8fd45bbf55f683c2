import type { FileSystem } from "../../../../ports/file-system.ts";
import { basename, dirname, normalizePath } from "../../../../ports/path.ts";
import { concatBytes } from "../../bytes.ts";
import { isInside, type Snapshot, type SnapshotEntry } from "./snapshot.ts";

/** What the sandbox reads as an error: `!CODE|words`. */
export function refused(code: string, words: string): string {
  return `!${code}|${words}`;
}

const MISSING = refused("ENOENT", "no such file or directory");

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
}

export function scriptFiles(fs: FileSystem, snapshot: Snapshot): ScriptFiles {
  const { entries, changes } = snapshot;
  const at = (path: string): SnapshotEntry | undefined => entries.get(path);
  const unknown = (path: string): string =>
    isInside(snapshot, path) && !isSkipped(path)
      ? MISSING
      : refused(
          "ENOENT",
          `not among the files that were read for this script (those below ${snapshot.root})`,
        );
  const isSkipped = (path: string): boolean =>
    [...snapshot.skipped].some((one) => path === one || path.startsWith(`${one}/`));
  const change = (run: () => Promise<void>): string => {
    changes.push(run);
    return "";
  };
  const parentRefusal = (path: string): string | undefined => {
    const parent = at(dirname(path));
    if (parent?.type === "directory") return undefined;
    return parent ? refused("ENOTDIR", "not a directory") : unknown(dirname(path));
  };
  const touch = (path: string, entry: Partial<SnapshotEntry>): void => {
    entries.set(path, {
      type: "file",
      size: 0,
      mode: 0o644,
      ...at(path),
      mtimeMs: Date.now(),
      ...entry,
    });
  };
  return {
    read(path) {
      const entry = at(path);
      if (!entry) return unknown(path);
      if (entry.type === "directory") return refused("EISDIR", "illegal operation on a directory");
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
      const names: string[] = [];
      for (const [child, { type }] of entries)
        if (child !== path && dirname(child) === path)
          names.push(basename(child) + (type === "directory" ? "d" : "f"));
      return names
        .sort()
        .map((name) => `${name.at(-1)}${name.slice(0, -1)}\0`)
        .join("");
    },
    write(path, data, appends) {
      if (at(path)?.type === "directory")
        return refused("EISDIR", "illegal operation on a directory");
      const refusal = parentRefusal(path);
      if (refusal !== undefined) return refusal;
      const before = appends ? at(path) : undefined;
      if (before && !before.bytes && before.size > 0) {
        touch(path, { size: before.size + data.length });
        return change(() => fs.appendFile(path, data));
      }
      const bytes = before?.bytes ? concatBytes([before.bytes, data]) : data;
      touch(path, { bytes, size: bytes.length });
      return change(() => (appends ? fs.appendFile(path, data) : fs.writeFile(path, data)));
    },
    makeDirectory(path, recursive) {
      const there = at(path);
      if (there)
        return recursive && there.type === "directory"
          ? ""
          : refused("EEXIST", "file already exists");
      if (!recursive) {
        const refusal = parentRefusal(path);
        if (refusal !== undefined) return refusal;
      }
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
      for (const one of [path, ...below]) entries.delete(one);
      return change(() => fs.remove(path, { recursive: kind === "tree", force: true }));
    },
    rename(from, to) {
      const entry = at(from);
      if (!entry) return unknown(from);
      const refusal = parentRefusal(to);
      if (refusal !== undefined) return refusal;
      for (const one of [
        from,
        ...[...entries.keys()].filter((path) => path.startsWith(`${from}/`)),
      ]) {
        const moved = at(one);
        entries.delete(one);
        if (moved) entries.set(normalizePath(to + one.slice(from.length)), moved);
      }
      return change(() => fs.rename(from, to));
    },
    chmod(path, mode) {
      if (!at(path)) return unknown(path);
      touch(path, { mode: mode & 0o777 });
      return change(() => fs.chmod(path, mode & 0o777));
    },
  };
}
