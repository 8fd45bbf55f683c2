import type { EngineFileSystem, EngineStat } from "../engine/programs/engine-command.ts";
import type { FileStat, FileSystem, FileType } from "@robota/runtime/ports";

function typeOf(entry: { isDirectory: boolean; isSymbolicLink: boolean }): FileType {
  if (entry.isSymbolicLink) return "symlink";
  return entry.isDirectory ? "directory" : "file";
}

function statOf(stat: EngineStat): FileStat {
  return { type: typeOf(stat), size: stat.size, mtimeMs: stat.mtime.getTime(), mode: stat.mode };
}

/** Presents the interpreter's files to a command as the `FileSystem` port they come from. */
export function createCommandFiles(files: EngineFileSystem): FileSystem {
  return {
    readFile: (path) => files.readFileBuffer(path),
    writeFile: (path, data) => files.writeFile(path, data),
    appendFile: (path, data) => files.appendFile(path, data),
    stat: async (path) => statOf(await files.stat(path)),
    lstat: async (path) => statOf(await files.lstat(path)),
    readdir: async (path) =>
      (await files.readdirWithFileTypes(path)).map((entry) => ({
        name: entry.name,
        type: typeOf(entry),
      })),
    mkdir: (path, options) => files.mkdir(path, options),
    remove: (path, options) => files.rm(path, options),
    rename: (from, to) => files.mv(from, to),
    symlink: (target, path) => files.symlink(target, path),
    readlink: (path) => files.readlink(path),
    realpath: (path) => files.realpath(path),
    chmod: (path, mode) => files.chmod(path, mode),
    utimes: (path, mtimeMs) => files.utimes(path, new Date(mtimeMs), new Date(mtimeMs)),
  };
}
