import type { FileSystem, OpenFile, SoughtTexts } from "../../ports/file-system.ts";

/** The directory `base` of `fs`, seen as `/`. Only for tests: `..` and links that lead out of it are not held back. */
export function rebase(
  fs: FileSystem & Partial<AsyncDisposable>,
  base: string,
): FileSystem & AsyncDisposable {
  const down = (path: string): string => `${base}${path}`;
  const up = (path: string): string =>
    path === base ? "/" : path.startsWith(`${base}/`) ? path.slice(base.length) : path;
  const target = (path: string): string => (path.startsWith("/") ? down(path) : path);

  const open = async (path: string): Promise<OpenFile> => {
    const file = await fs.open!(down(path));
    return {
      path: up(file.path),
      size: file.size,
      read: (offset, length) => file.read(offset, length),
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  };

  return {
    ...(fs.open && { open }),
    ...(fs.isStraight && {
      isStraight: (path: string) => path.startsWith("/") && fs.isStraight!(down(path)),
    }),
    ...(fs.statStraight && {
      statStraight: (path: string) =>
        path.startsWith("/") ? fs.statStraight!(down(path)) : undefined,
    }),
    ...(fs.readdirStraight && {
      readdirStraight: (path: string) =>
        path.startsWith("/") ? fs.readdirStraight!(down(path)) : undefined,
    }),
    ...(fs.mayHold && {
      mayHold: (paths: readonly string[], sought: SoughtTexts, signal: AbortSignal) =>
        fs.mayHold!(paths.map(down), sought, signal),
    }),
    ...(fs.readMany && {
      readMany: (paths: readonly string[], maxBytes: number) =>
        fs.readMany!(paths.map(down), maxBytes),
    }),
    readFile: (path) => fs.readFile(down(path)),
    writeFile: (path, data) => fs.writeFile(down(path), data),
    appendFile: (path, data) => fs.appendFile(down(path), data),
    stat: (path) => fs.stat(down(path)),
    lstat: (path) => fs.lstat(down(path)),
    readdir: (path) => fs.readdir(down(path)),
    mkdir: (path, options) => fs.mkdir(down(path), options),
    remove: (path, options) => fs.remove(down(path), options),
    rename: (from, to) => fs.rename(down(from), down(to)),
    symlink: (to, path) => fs.symlink(target(to), down(path)),
    readlink: async (path) => up(await fs.readlink(down(path))),
    realpath: async (path) => up(await fs.realpath(down(path))),
    chmod: (path, mode) => fs.chmod(down(path), mode),
    utimes: (path, mtimeMs) => fs.utimes(down(path), mtimeMs),
    [Symbol.asyncDispose]: async () => fs[Symbol.asyncDispose]?.(),
  };
}
