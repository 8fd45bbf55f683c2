import type { FileSystem } from "./file-system.ts";

/** Folders below the directory of commands. */
const MAX_DEPTH = 4;

/**
 * The files of commands below a directory, by their paths in it, such as `frontend/fix.md`. Links to folders are not
 * followed.
 * @throws {FileSystemError} when the directory itself can't be listed
 */
export async function commandFiles(
  fs: FileSystem,
  directory: string,
  depth = 0,
): Promise<string[]> {
  const entries = await fs.readdir(directory);
  const found = await Promise.all(
    entries.map(async ({ name, type }): Promise<string[]> => {
      if (type !== "directory") return name.endsWith(".md") ? [name] : [];
      if (depth === MAX_DEPTH) return [];
      const inner = await commandFiles(fs, `${directory}/${name}`, depth + 1).catch(() => []);
      return inner.map((file) => `${name}/${file}`);
    }),
  );
  return found.flat();
}
