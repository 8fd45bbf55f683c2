import type { FileStat, FileSystem } from "../../ports/file-system.ts";
import { basename, dirname } from "../../ports/path.ts";
import { contentOf } from "../file-content.ts";
import { childPath } from "../path-walk.ts";
import { type PathDifference, findDifferences } from "./changes.ts";
import {
  baseDirectory,
  childNode,
  type LayerDirectory,
  type LayerFile,
  type LayerNode,
  listDirectory,
  type LayerOwner,
  readContent,
  statOf,
} from "./layer.ts";

/**
 * Writes the layer to the base. `show` is called with each layer that, over the present base, still looks the same, so
 * that a base that fails half-way leaves a complete overlay:
 *
 * 1. Nodes that show parts of the base at other places (after renames) are made independent of everything that will be
 * overwritten.
 * 2. New and changed entries are written, directories first. Nothing is removed yet, except entries in the way of
 * another type, so that moved content is in the base at least once.
 * 3. Deleted entries are removed, and directories get modes that would have been in the way.
 */
export async function commitLayer(
  base: FileSystem,
  layer: LayerDirectory,
  owner: LayerOwner,
  show: (layer: LayerDirectory) => void,
): Promise<void> {
  const moved: LayerFile[] = [];
  const root = await settleDirectory(base, "/", layer, owner, moved);
  const differences = await findDifferences(base, root);
  await keepFromLoss(base, moved, differences);
  show(root);

  for (const difference of differences) await write(base, difference);

  const removed = topmostRemoved(differences);
  const late = differences.filter(({ after }) => after && isLate(after));
  show(pendingLayer(removed, late, owner));

  for (const path of removed) await base.remove(path, { recursive: true, force: true });
  for (const { path, after } of late.toReversed()) await setFacts(base, path, after);
  show(baseDirectory("/", owner));
}

/** A copy of `node` whose files name the place of their bytes; files whose bytes are elsewhere are added to `moved`. */
async function settle(
  base: FileSystem,
  path: string,
  node: LayerNode,
  owner: LayerOwner,
  moved: LayerFile[],
): Promise<LayerNode> {
  if (node.type === "symlink") return node;
  if (node.type === "directory") return settleDirectory(base, path, node, owner, moved);
  if (!("base" in node.content) || node.content.base === path) return node;
  const file: LayerFile = { ...node, owner, timeSet: true };
  moved.push(file);
  return file;
}

/** As `settle`; a moved directory lists its entries itself from then on. */
async function settleDirectory(
  base: FileSystem,
  path: string,
  node: LayerDirectory,
  owner: LayerOwner,
  moved: LayerFile[],
): Promise<LayerDirectory> {
  const isInPlace = node.base === path;
  const entries: LayerDirectory["entries"] = new Map();
  const names = isInPlace
    ? node.entries.keys()
    : (await listDirectory(base, node)).map((entry) => entry.name);
  for (const name of names) {
    const child = await childNode(base, node, name);
    const settled = child && (await settle(base, childPath(path, name), child, owner, moved));
    entries.set(name, settled ?? null);
  }
  if (isInPlace) return { ...node, owner, entries };
  const { mode, mtimeMs } = await statOf(base, node);
  return { ...node, owner, entries, base: undefined, mode, mtimeMs };
}

/** Reads the files of `moved` whose bytes are at a path that will be overwritten. */
async function keepFromLoss(
  base: FileSystem,
  moved: readonly LayerFile[],
  differences: readonly PathDifference[],
): Promise<void> {
  const endangered = new Set<string>();
  for (const { path, before, after } of differences) {
    if (before && after && !(before.type === "directory" && after.type === "directory")) {
      endangered.add(path);
    }
  }
  for (const file of moved) {
    if (!("base" in file.content) || !isBelowAny(endangered, file.content.base)) continue;
    file.content = contentOf(await base.readFile(file.content.base));
  }
}

function isBelowAny(paths: ReadonlySet<string>, path: string): boolean {
  for (let at = path; at !== "/"; at = dirname(at)) if (paths.has(at)) return true;
  return false;
}

async function write(base: FileSystem, { path, before, after }: PathDifference): Promise<void> {
  if (!after) return;
  const isReplaced =
    before !== undefined && (before.type !== after.type || after.type === "symlink");
  if (isReplaced) await base.remove(path, { recursive: true, force: true });
  const there = isReplaced ? undefined : before;
  switch (after.type) {
    case "symlink":
      return base.symlink(after.target, path);
    case "directory":
      if (!there) await base.mkdir(path);
      if (!isLate(after)) await setFacts(base, path, after);
      return;
    case "file":
      return writeFile(base, path, there, after);
  }
}

async function writeFile(
  base: FileSystem,
  path: string,
  there: FileStat | undefined,
  file: LayerFile,
): Promise<void> {
  const { content, mode, mtimeMs, timeSet } = file;
  const isThere = "base" in content && content.base === path;
  if (!isThere) await base.writeFile(path, await readContent(base, content));
  if (mode !== (there?.mode ?? 0o644)) await base.chmod(path, mode);
  if (timeSet) await base.utimes(path, mtimeMs);
}

/** A directory that would become read-only, or whose time would change when an entry is removed. */
function isLate(node: LayerNode): boolean {
  if (node.type !== "directory") return false;
  return node.timeSet || (node.mode !== undefined && (node.mode & 0o300) !== 0o300);
}

async function setFacts(
  base: FileSystem,
  path: string,
  node: LayerNode | undefined,
): Promise<void> {
  if (node?.type !== "directory") return;
  const stat = await base.stat(path);
  if (node.mode !== undefined && node.mode !== stat.mode) await base.chmod(path, node.mode);
  if (node.timeSet && node.mtimeMs !== undefined) await base.utimes(path, node.mtimeMs);
}

/** Paths to remove after all writes, without those inside a removed directory. */
function topmostRemoved(differences: readonly PathDifference[]): string[] {
  const gone = new Set<string>();
  for (const { path, before, after } of differences) {
    if (before && before.type !== after?.type) gone.add(path);
  }
  return differences
    .filter(({ path, after }) => !after && !isBelowAny(gone, dirname(path)))
    .map(({ path }) => path);
}

/** The remaining work after all writes, as a layer. */
function pendingLayer(
  removed: readonly string[],
  late: readonly PathDifference[],
  owner: LayerOwner,
): LayerDirectory {
  const root = baseDirectory("/", owner);
  const open = (path: string): LayerDirectory => {
    if (path === "/") return root;
    const parent = open(dirname(path));
    const known = parent.entries.get(basename(path));
    if (known?.type === "directory") return known;
    const directory = baseDirectory(path, owner);
    parent.entries.set(basename(path), directory);
    return directory;
  };
  for (const { path, after } of late) {
    if (after?.type !== "directory") continue;
    const { mode, mtimeMs, timeSet } = after;
    Object.assign(open(path), { mode, mtimeMs, timeSet });
  }
  for (const path of removed) open(dirname(path)).entries.set(basename(path), null);
  return root;
}
