import { type FileSystem, FileSystemError } from "@robota/runtime";
import { basename, dirname, resolvePath } from "@robota/runtime/ports";
import type { UnsavedTexts } from "../editor/unsaved.ts";

/** Actions on the entry that is selected in the tree. */
export type FileAction = "file" | "folder" | "move" | "delete";

/** Where a new entry goes: into the chosen folder, or beside the chosen file. */
export function placeOf(chosen: { path: string; isDirectory: boolean } | undefined, root: string) {
  if (!chosen) return root;
  return chosen.isDirectory ? chosen.path : dirname(chosen.path);
}

/** The rest of a path behind an entry, empty for the entry itself; `undefined` for a path elsewhere. */
export function pathBelow(path: string | undefined, entry: string): string | undefined {
  if (path === entry) return "";
  return path?.startsWith(`${entry}/`) ? path.slice(entry.length) : undefined;
}

/** Creates an empty file or a folder, with the folders above it. @throws {FileSystemError} `EEXIST` */
export async function create(fs: FileSystem, path: string, kind: "file" | "folder"): Promise<void> {
  await requireFree(fs, path);
  await fs.mkdir(kind === "folder" ? path : dirname(path), { recursive: true });
  if (kind === "file") await fs.writeFile(path, "");
}

/** Moves an entry, and creates the folders above its new place. @throws {FileSystemError} `EEXIST`, `EINVAL` */
export async function move(fs: FileSystem, from: string, to: string): Promise<void> {
  if (from === to) return;
  // Before the folders above the new place are made, which would be in the old one.
  if (pathBelow(to, from) !== undefined)
    throw new FileSystemError("EINVAL", to, { hint: "A folder can't be moved into itself." });
  await requireFree(fs, to);
  await fs.mkdir(dirname(to), { recursive: true });
  await fs.rename(from, to);
}

/** Takes the unsaved texts of an entry, and of all below it, along to its new place; gives them up without one. */
export function moveUnsaved(unsaved: UnsavedTexts, from: string, to?: string): void {
  for (const [path, draft] of unsaved.byPath.get()) {
    const rest = pathBelow(path, from);
    if (rest === undefined) continue;
    unsaved.drop(path);
    if (to !== undefined) unsaved.keep(to + rest, draft);
  }
}

/** The path that a person typed relative to the workspace; `undefined` for one that leads out of it, or to itself. */
export function typedPath(text: string, root: string): string | undefined {
  const path = resolvePath(root, text.trim().replace(/^\/+/, ""));
  return path.startsWith(`${root}/`) && basename(path) !== "" ? path : undefined;
}

/** Nothing is replaced by a slip of the keyboard. */
async function requireFree(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.lstat(path);
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return;
    throw error;
  }
  throw new FileSystemError("EEXIST", path);
}

/** Writes files of the person's machine into a folder; one whose name is taken gets a number. Returns their paths. */
export async function upload(
  fs: FileSystem,
  folder: string,
  files: readonly File[],
): Promise<string[]> {
  const paths: string[] = [];
  for (const file of files) {
    const path = await freePath(fs, resolvePath(folder, basename(file.name)));
    await fs.mkdir(folder, { recursive: true });
    await fs.writeFile(path, new Uint8Array(await file.arrayBuffer()));
    paths.push(path);
  }
  return paths;
}

/** The path, or the next one that is free: `notes 2.txt`. */
async function freePath(fs: FileSystem, path: string): Promise<string> {
  const dot = path.lastIndexOf(".");
  const end = dot > path.lastIndexOf("/") + 1 ? dot : path.length;
  for (let number = 1; ; number += 1) {
    const wanted = number === 1 ? path : `${path.slice(0, end)} ${number}${path.slice(end)}`;
    try {
      await requireFree(fs, wanted);
      return wanted;
    } catch (error) {
      if (!(error instanceof FileSystemError && error.code === "EEXIST")) throw error;
    }
  }
}
