import type { PromiseFsClient } from "#isomorphic-git";
import { decodeText, FileSystemError, type FileStat, type FileSystem } from "@robota/runtime/ports";

const KINDS = { file: 0o100000, directory: 0o040000, symlink: 0o120000 };

/** Adapts `fs` to the part of Node's `fs.promises` that isomorphic-git uses. */
export function nodeFiles(fs: FileSystem): PromiseFsClient {
  return {
    promises: {
      async readFile(path: string, options?: { encoding?: string } | string) {
        const bytes = await fs.readFile(path);
        const encoding = typeof options === "string" ? options : options?.encoding;
        return encoding === undefined ? bytes : decodeText(bytes);
      },
      async writeFile(path: string, data: Uint8Array | string, options?: { mode?: number }) {
        await fs.writeFile(path, data);
        if (options?.mode === 0o777) await fs.chmod(path, 0o755);
      },
      unlink: (path: string) => fs.remove(path),
      async readdir(path: string) {
        return (await fs.readdir(path)).map(({ name }) => name);
      },
      mkdir: (path: string) => fs.mkdir(path),
      async rmdir(path: string) {
        if ((await fs.lstat(path)).type !== "directory") throw new FileSystemError("ENOTDIR", path);
        await fs.remove(path);
      },
      stat: async (path: string) => nodeStat(await fs.stat(path)),
      lstat: async (path: string) => nodeStat(await fs.lstat(path)),
      readlink: (path: string) => fs.readlink(path),
      symlink: (target: string, path: string) => fs.symlink(target, path),
      chmod: (path: string, mode: number) => fs.chmod(path, mode),
    },
  };
}

function nodeStat({ type, size, mtimeMs, mode }: FileStat): object {
  return {
    isFile: () => type === "file",
    isDirectory: () => type === "directory",
    isSymbolicLink: () => type === "symlink",
    mode: KINDS[type] | mode,
    size,
    mtimeMs,
    ctimeMs: mtimeMs,
    dev: 0,
    ino: 0,
    uid: 0,
    gid: 0,
  };
}
