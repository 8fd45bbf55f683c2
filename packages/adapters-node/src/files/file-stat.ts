import type { Stats } from "node:fs";
import type { FileStat, FileType } from "@robota/runtime";

export function typeOf(entry: { isDirectory(): boolean; isSymbolicLink(): boolean }): FileType {
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
    mode: stats.mode & 0o777,
  };
}
