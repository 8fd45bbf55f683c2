import { defined } from "../../defined.ts";
import type { FileStat, FileSystem } from "../../ports/file-system.ts";
import { childPath } from "../path-walk.ts";
import {
  childNode,
  type LayerDirectory,
  type LayerNode,
  listDirectory,
  lstatIfThere,
  readContent,
  statOf,
} from "./layer.ts";

/** One side of a change. */
export interface FileVersion extends FileStat {
  /** Target of a symlink. */
  target?: string;
  /** Reads the bytes of a file. The base's are read on call, so read before a commit. */
  read?: () => Promise<Uint8Array>;
}

/** A change of an overlay against its base. */
export interface FileSystemChange {
  path: string;
  kind: "created" | "modified" | "deleted";
  /** State in the base; absent when it was created. */
  before?: FileVersion;
  /** State in the overlay; absent when it was deleted. */
  after?: FileVersion;
}

/** A path where base and layer differ. */
export interface PathDifference {
  path: string;
  before: FileStat | undefined;
  after: LayerNode | undefined;
}

export async function listChanges(
  base: FileSystem,
  root: LayerDirectory,
): Promise<FileSystemChange[]> {
  const differences = await findDifferences(base, root);
  return Promise.all(
    differences.map(async ({ path, before, after }): Promise<FileSystemChange> => {
      const old = before && (await versionInBase(base, path, before));
      const next = after && (await versionInLayer(base, after));
      if (!old) return defined({ path, kind: "created", after: next });
      return next
        ? { path, kind: "modified", before: old, after: next }
        : { path, kind: "deleted", before: old };
    }),
  );
}

/** Every path that differs, directories before their entries. */
export async function findDifferences(
  base: FileSystem,
  root: LayerDirectory,
): Promise<PathDifference[]> {
  const found = await compare(base, "/", await lstatIfThere(base, "/"), root);
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function compare(
  base: FileSystem,
  path: string,
  before: FileStat | undefined,
  after: LayerNode | undefined,
): Promise<PathDifference[]> {
  if (!before && !after) return [];
  // The target of a symlink in the base is not below it.
  const hasBelow = before?.type === "directory";
  const names = await namesToCompare(base, path, before, after);
  const [isSame, ...below] = await Promise.all([
    isUnchanged(base, path, before, after),
    ...names.map(async (name) => {
      const at = childPath(path, name);
      const old = hasBelow ? await lstatIfThere(base, at) : undefined;
      const child = after?.type === "directory" ? await childNode(base, after, name) : undefined;
      return compare(base, at, old, child);
    }),
  ]);
  return isSame ? below.flat() : [{ path, before, after }, ...below.flat()];
}

async function namesToCompare(
  base: FileSystem,
  path: string,
  before: FileStat | undefined,
  after: LayerNode | undefined,
): Promise<string[]> {
  const isDirectoryBefore = before?.type === "directory";
  if (after?.type !== "directory") {
    return isDirectoryBefore ? (await base.readdir(path)).map((entry) => entry.name) : [];
  }
  // A directory of the base in its original place can differ only by entries of the layer.
  if (after.base === path && isDirectoryBefore) return [...after.entries.keys()];
  const names = new Set((await listDirectory(base, after)).map((entry) => entry.name));
  if (isDirectoryBefore) for (const { name } of await base.readdir(path)) names.add(name);
  return [...names];
}

async function isUnchanged(
  base: FileSystem,
  path: string,
  before: FileStat | undefined,
  after: LayerNode | undefined,
): Promise<boolean> {
  if (before?.type !== after?.type || !before || !after) return false;
  if (after.type === "symlink") return (await base.readlink(path)) === after.target;
  if (after.timeSet && after.mtimeMs !== before.mtimeMs) return false;
  if (after.type === "directory") {
    if (after.mode === undefined && after.base === path) return true;
    return (await statOf(base, after)).mode === before.mode;
  }
  if (after.mode !== before.mode) return false;
  if ("base" in after.content && after.content.base === path) return true;
  if (after.content.size !== before.size) return false;
  return isSameBytes(await base.readFile(path), await readContent(base, after.content));
}

function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

async function versionInBase(base: FileSystem, path: string, stat: FileStat): Promise<FileVersion> {
  if (stat.type === "symlink") return { ...stat, target: await base.readlink(path) };
  if (stat.type === "file") return { ...stat, read: () => base.readFile(path) };
  return stat;
}

async function versionInLayer(base: FileSystem, node: LayerNode): Promise<FileVersion> {
  const stat = await statOf(base, node);
  if (node.type === "symlink") return { ...stat, target: node.target };
  if (node.type === "directory") return stat;
  const { content } = node;
  return { ...stat, read: () => readContent(base, content) };
}
