import type { FileSystem, FileStat } from "../../packages/runtime/src/ports/file-system.ts";

/** An entry of a tree, comparable with another tree's. */
export interface TreeEntry extends FileStat {
  /** The text of a file or the target of a symlink. */
  content?: string;
}

/** Everything below `directory`, by path; for comparing file systems in tests. */
export async function treeOf(
  fs: FileSystem,
  directory = "/",
  tree: Record<string, TreeEntry> = {},
): Promise<Record<string, TreeEntry>> {
  tree[directory] = await fs.lstat(directory);
  for (const { name } of await fs.readdir(directory)) {
    const path = directory === "/" ? `/${name}` : `${directory}/${name}`;
    const stat = await fs.lstat(path);
    if (stat.type === "directory") await treeOf(fs, path, tree);
    else if (stat.type === "symlink") tree[path] = { ...stat, content: await fs.readlink(path) };
    else tree[path] = { ...stat, content: new TextDecoder().decode(await fs.readFile(path)) };
  }
  return tree;
}
