import { FileSystemError, type FileSystemErrorCode } from "../../errors.ts";
import type { DirectoryEntry, FileStat, FileSystem } from "../../ports/file-system.ts";
import { bytesOf, type FileContent, share } from "../file-content.ts";
import { childPath, type Place } from "../path-walk.ts";

/**
 * The upper layer of an overlay: a tree of differences from the base, and of the directories leading to them.
 *
 * Everything else shows the base. A moved directory keeps pointing at its content's place in the base, so moving one
 * costs nothing. Only its owner may change a node in place; others change a copy, so sharing the whole tree with a fork
 * costs nothing either.
 */
export type LayerNode = LayerFile | LayerDirectory | LayerSymlink;

/** The identity that may change a node in place; forks and their origins become new owners. */
export type LayerOwner = object;

/** Bytes that are in the base, at that path. */
export interface BaseContent {
  readonly base: string;
  readonly size: number;
}

export interface LayerFile {
  readonly type: "file";
  readonly owner: LayerOwner;
  content: FileContent | BaseContent;
  mode: number;
  mtimeMs: number;
  /** The time was set on purpose, so that a commit must bring it along. */
  timeSet: boolean;
}

export interface LayerDirectory {
  readonly type: "directory";
  readonly owner: LayerOwner;
  /** The directory of the base whose entries show where `entries` says nothing. */
  readonly base: string | undefined;
  /** `null`: nothing is there, whatever the base has. */
  readonly entries: Map<string, LayerNode | null>;
  /** Mode of the entry, or `undefined` for that of the base. */
  mode: number | undefined;
  mtimeMs: number | undefined;
  timeSet: boolean;
}

export interface LayerSymlink {
  readonly type: "symlink";
  readonly owner: LayerOwner;
  readonly target: string;
  readonly mode: number;
  readonly mtimeMs: number;
}

/** A directory of the base with nothing changed in it so far. */
export function baseDirectory(base: string, owner: LayerOwner): LayerDirectory {
  return {
    type: "directory",
    owner,
    base,
    entries: new Map(),
    mode: undefined,
    mtimeMs: undefined,
    timeSet: false,
  };
}

export function newDirectory(mtimeMs: number, owner: LayerOwner): LayerDirectory {
  return { ...baseDirectory("", owner), base: undefined, mode: 0o755, mtimeMs };
}

/** The base's entry at `path`, as a node that is not in the layer yet. */
async function baseNode(
  base: FileSystem,
  path: string,
  owner: LayerOwner,
): Promise<LayerNode | undefined> {
  const stat = await lstatIfThere(base, path);
  if (!stat) return undefined;
  const { type, mode, mtimeMs, size } = stat;
  switch (type) {
    case "file":
      return { type, owner, content: { base: path, size }, mode, mtimeMs, timeSet: false };
    case "directory":
      return baseDirectory(path, owner);
    case "symlink":
      return { type, owner, target: await base.readlink(path), mode, mtimeMs };
  }
}

/** The entry `name` of a directory: the layer's when it says something, else the base's. */
export function childNode(
  base: FileSystem,
  directory: LayerDirectory,
  name: string,
): LayerNode | undefined | Promise<LayerNode | undefined> {
  const known = directory.entries.get(name);
  if (known !== undefined) return known ?? undefined;
  if (directory.base === undefined) return undefined;
  const path = childPath(directory.base, name);
  if (isSurelyInBase(base, directory)) return baseNode(base, path, directory.owner);
  return isStillInBase(base, directory.base).then((isThere) =>
    isThere ? baseNode(base, path, directory.owner) : undefined,
  );
}

/** True for a directory just seen in the base, or that the base can confirm at once. */
function isSurelyInBase(base: FileSystem, directory: LayerDirectory): boolean {
  const { base: path = "/" } = directory;
  return path === "/" || isUnchanged(directory) || base.isCanonicalPath?.(path) === true;
}

/** Reports whether no symlink has replaced a directory that was changed here, or one above it. */
async function isStillInBase(base: FileSystem, path: string): Promise<boolean> {
  return (await unlessMissing(base.realpath(path), "ENOENT", "ENOTDIR", "ELOOP")) === path;
}

/**
 * Reports whether the layer has nothing for a normalised `path` or its parents: unless the base has a symlink there,
 * its target is the base's.
 */
export function isUntouched(root: LayerDirectory, path: string): boolean {
  let directory = root;
  for (let start = 1; start < path.length;) {
    const slash = path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    const known = directory.entries.get(path.slice(start, end));
    if (known === undefined) return true;
    // A moved directory shows the base at another path.
    if (known?.type !== "directory" || known.base !== path.slice(0, end)) return false;
    directory = known;
    start = end + 1;
  }
  return false;
}

/** Reports whether a directory shows only the base. */
export function isUnchanged({ entries, mode, mtimeMs }: LayerDirectory): boolean {
  return entries.size === 0 && mode === undefined && mtimeMs === undefined;
}

/**
 * The entries of a directory, layer and base merged, unordered. A directory changed here stays when it is removed from
 * the base, with its content in the layer.
 */
export async function listDirectory(
  base: FileSystem,
  directory: LayerDirectory,
): Promise<DirectoryEntry[]> {
  const list = (await listBelow(base, directory)).filter(
    ({ name }) => !directory.entries.has(name),
  );
  for (const [name, node] of directory.entries) if (node) list.push({ name, type: node.type });
  return list;
}

async function listBelow(base: FileSystem, directory: LayerDirectory): Promise<DirectoryEntry[]> {
  if (directory.base === undefined) return [];
  const isThere = isSurelyInBase(base, directory) || (await isStillInBase(base, directory.base));
  return (isThere && (await unlessGone(base.readdir(directory.base)))) || [];
}

export async function statOf(base: FileSystem, node: LayerNode): Promise<FileStat> {
  const { type } = node;
  switch (type) {
    case "file":
      return { type, size: node.content.size, mode: node.mode, mtimeMs: node.mtimeMs };
    case "symlink": {
      const size = new TextEncoder().encode(node.target).length;
      return { type, size, mode: node.mode, mtimeMs: node.mtimeMs };
    }
    case "directory": {
      const { mode, mtimeMs } = node;
      if (mode !== undefined && mtimeMs !== undefined) return { type, size: 0, mode, mtimeMs };
      const there = await unlessGone(base.lstat(node.base ?? "/"));
      const below = there?.type === "directory" ? there : { mode: 0o755, mtimeMs: 0 };
      return { type, size: 0, mode: mode ?? below.mode, mtimeMs: mtimeMs ?? below.mtimeMs };
    }
  }
}

export async function readContent(
  base: FileSystem,
  content: FileContent | BaseContent,
): Promise<Uint8Array> {
  return "base" in content ? base.readFile(content.base) : bytesOf(content);
}

/** `node` itself when `owner` may change it in place, else a copy that it may. */
export function owned<Node extends LayerNode>(node: Node, owner: LayerOwner): Node;
export function owned(node: LayerNode, owner: LayerOwner): LayerNode {
  if (node.owner === owner) return node;
  if (node.type === "directory") return { ...node, owner, entries: new Map(node.entries) };
  if (node.type === "symlink" || "base" in node.content) return { ...node, owner };
  return { ...node, owner, content: share(node.content) };
}

/**
 * The directory that holds `place`, in the layer and changeable, with all directories on the way there. `root` must be
 * owned already.
 */
export function openParent(
  root: LayerDirectory,
  place: Place<LayerNode>,
  owner: LayerOwner,
): LayerDirectory {
  const names = place.path.split("/");
  let directory = root;
  for (const [depth, known] of place.trail.entries()) {
    if (depth === 0) continue;
    const name = names[depth]!;
    // Newer than the walk when the same operation changed something on this way already.
    const current = directory.entries.get(name);
    const child = owned(current?.type === "directory" ? current : known, owner);
    directory.entries.set(name, child);
    directory = child;
  }
  return directory;
}

export async function isEmpty(base: FileSystem, node: LayerNode): Promise<boolean> {
  return node.type !== "directory" || (await listDirectory(base, node)).length === 0;
}

export function lstatIfThere(base: FileSystem, path: string): Promise<FileStat | undefined> {
  return unlessGone(base.lstat(path));
}

function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  return unlessMissing(asked, "ENOENT", "ENOTDIR");
}

/** `undefined` instead of a rejection that says that nothing is there. */
export async function unlessMissing<T>(
  asked: Promise<T>,
  ...codes: FileSystemErrorCode[]
): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof FileSystemError && codes.includes(error.code)) return undefined;
    throw error;
  }
}
