import type { Dirent, Stats } from "node:fs";
import { type DirectoryEntry, type FileStat, type FileType } from "@robota/runtime";
import { MODE_BITS } from "@robota/runtime/ports";

function typeOf(entry: { isDirectory(): boolean; isSymbolicLink(): boolean }): FileType {
  if (entry.isSymbolicLink()) return "symlink";
  return entry.isDirectory() ? "directory" : "file";
}

export function toFileStat(stats: Stats): FileStat {
  const type = typeOf(stats);
  return {
    type,
    size: type === "directory" ? 0 : stats.size,
    // Node computes milliseconds from nanoseconds in floating point; to the microsecond the value is right.
    mtimeMs: Math.round(stats.mtimeMs * 1000) / 1000,
    mode: stats.mode & MODE_BITS,
    uid: stats.uid,
  };
}

/** Entries by name, in the order of code units. */
export function entriesOf(entries: readonly Dirent[]): DirectoryEntry[] {
  return entries
    .map((entry) => ({ name: entry.name, type: typeOf(entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
