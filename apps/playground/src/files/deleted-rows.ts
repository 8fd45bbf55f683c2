import type { FileRow } from "@robota/react/store";
import type { FileChangeKind } from "@robota/runtime/sessions";

/** The rows of a tree with those of deleted files, each in the lowest of its folders that is still there. */
export function withDeleted(
  rows: readonly FileRow[],
  marks: ReadonlyMap<string, FileChangeKind>,
  root: string,
): readonly FileRow[] {
  const known = new Map(rows.map((row) => [row.path, row]));
  const all = [...rows];
  for (const [path, kind] of marks) {
    if (kind !== "deleted" || known.has(path)) continue;
    let folder = path;
    do folder = folder.slice(0, folder.lastIndexOf("/"));
    while (folder.length > root.length && !known.has(folder));
    const parent = known.get(folder);
    if (parent && !parent.isOpen) continue;
    const level = (parent?.level ?? 0) + 1;
    const name = path.slice(folder.length + 1);
    // Behind the folders and the earlier names of its folder, with all that these hold.
    const from = parent ? all.indexOf(parent) + 1 : 0;
    let at = from;
    while (at < all.length && all[at]!.level >= level && !comesBehind(all[at]!, name, level))
      at += 1;
    all.splice(at, 0, { path, name, isDirectory: false, level, isOpen: false });
  }
  return all;
}

function comesBehind(row: FileRow, name: string, level: number): boolean {
  return row.level === level && !row.isDirectory && row.name > name;
}
