import { type FileSystem, dirname, isWithin, normalizePath } from "@robota/runtime/ports";

/** Writes the members of an archive below one directory, and nowhere else. */
export interface Extraction {
  file(name: string, content: Uint8Array, facts: { mode: number; mtimeMs: number }): Promise<void>;
  directory(name: string): Promise<void>;
  symlink(name: string, target: string): Promise<void>;
  exists(name: string): Promise<boolean>;
}

/**
 * Refuses a name that leads out of `directory`, by `..` as well as through an existing link or one that the archive
 * created before. A file or link in the way is replaced, never written through.
 */
export function createExtraction(fs: FileSystem, directory: string): Extraction {
  const placeFor = async (name: string): Promise<string> => {
    if (name.split("/").includes("..")) throw new Error(`${name}: Member name contains '..'`);
    const path = normalizePath(`${directory}/${name.replace(/^\/+/, "")}`);
    if (path === normalizePath(directory)) return path;
    const root = await fs.realpath(directory);
    // The nearest existing parent decides; the directories below it will be created as plain directories.
    let parent = dirname(path);
    while (!(await isThere(parent)) && parent !== "/") parent = dirname(parent);
    if (!isWithin(root, await fs.realpath(parent))) {
      throw new Error(`${name}: refused, a link on its path leads out of the directory`);
    }
    await fs.mkdir(dirname(path), { recursive: true });
    return path;
  };
  const isThere = (path: string): Promise<boolean> =>
    fs.lstat(path).then(
      () => true,
      () => false,
    );
  const clear = async (path: string): Promise<void> => {
    const stat = await fs.lstat(path).catch(() => undefined);
    if (stat && stat.type !== "directory") await fs.remove(path);
  };
  return {
    async file(name, content, { mode, mtimeMs }) {
      const path = await placeFor(name);
      await clear(path);
      await fs.writeFile(path, content);
      await fs.chmod(path, mode & 0o777);
      await fs.utimes(path, mtimeMs);
    },
    async directory(name) {
      const path = await placeFor(name);
      await clear(path);
      await fs.mkdir(path, { recursive: true });
    },
    async symlink(name, target) {
      const path = await placeFor(name);
      await clear(path);
      await fs.symlink(target, path);
    },
    exists: async (name) => isThere(normalizePath(`${directory}/${name}`)),
  };
}
