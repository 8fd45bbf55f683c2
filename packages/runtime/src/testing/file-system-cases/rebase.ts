import { defined } from "../../defined.ts";
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
    // A file system without one of these lacks it below another path, too.
    ...defined({
      open: fs.open && open,
      isCanonicalPath:
        fs.isCanonicalPath &&
        ((path: string) => path.startsWith("/") && fs.isCanonicalPath!(down(path))),
      statCanonical:
        fs.statCanonical &&
        ((path: string) => (path.startsWith("/") ? fs.statCanonical!(down(path)) : undefined)),
      readdirCanonical:
        fs.readdirCanonical &&
        ((path: string) => (path.startsWith("/") ? fs.readdirCanonical!(down(path)) : undefined)),
      mayHold:
        fs.mayHold &&
        ((paths: readonly string[], sought: SoughtTexts, signal: AbortSignal) =>
          fs.mayHold!(paths.map(down), sought, signal)),
      readMany:
        fs.readMany &&
        ((paths: readonly string[], maxBytes: number) => fs.readMany!(paths.map(down), maxBytes)),
      honorsNoFollow: fs.honorsNoFollow && (() => fs.honorsNoFollow?.() ?? false),
    }),
    readFile: (path, options) => fs.readFile(down(path), options),
    writeFile: (path, data, options) => fs.writeFile(down(path), data, options),
    appendFile: (path, data, options) => fs.appendFile(down(path), data, options),
    stat: (path) => fs.stat(down(path)),
    lstat: (path) => fs.lstat(down(path)),
    readdir: (path, options) => fs.readdir(down(path), options),
    mkdir: (path, options) => fs.mkdir(down(path), options),
    remove: (path, options) => fs.remove(down(path), options),
    rename: (from, to, options) => fs.rename(down(from), down(to), options),
    symlink: (to, path, options) => fs.symlink(target(to), down(path), options),
    readlink: async (path) => up(await fs.readlink(down(path))),
    realpath: async (path) => up(await fs.realpath(down(path))),
    chmod: (path, mode, options) => fs.chmod(down(path), mode, options),
    utimes: (path, mtimeMs, options) => fs.utimes(down(path), mtimeMs, options),
    [Symbol.asyncDispose]: async () => fs[Symbol.asyncDispose]?.(),
  };
}
