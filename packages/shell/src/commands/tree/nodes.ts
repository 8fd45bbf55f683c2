import type { FileStat } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { type Ancestor, enterDirectory } from "../link-cycles.ts";

/** A file or a directory of a tree. */
export interface TreeNode {
  readonly name: string;
  /** The name from the start of the tree. */
  readonly path: string;
  readonly stat: FileStat | undefined;
  /** A link that leads to a directory counts as one. */
  readonly isDirectory: boolean;
  readonly mtimeMs: number;
  readonly target: string | undefined;
  readonly isUnreadable: boolean;
  /** Missing for files, and for directories that are not entered. */
  readonly children: readonly TreeNode[] | undefined;
}

export interface TreePlan {
  readonly deepest: number;
  readonly showsHidden: boolean;
  readonly onlyDirectories: boolean;
  readonly isFollowing: boolean;
  /** Leaves out directories without any file to list. */
  readonly prunes: boolean;
  readonly isWanted: (name: string, isDirectory: boolean) => boolean;
  readonly compare: (one: TreeNode, other: TreeNode) => number;
}

export async function readTree(
  context: ShellCommandContext,
  root: string,
  plan: TreePlan,
): Promise<TreeNode> {
  const stat = await context.fs.stat(context.resolve(root)).catch(() => undefined);
  const place = { name: root, path: root, depth: 0, parent: undefined };
  if (stat?.type !== "directory") return { ...nodeOf(place, stat), isUnreadable: true };
  return { ...nodeOf(place, stat), children: await childrenOf(context, place, plan) };
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly depth: number;
  readonly parent: Ancestor | undefined;
}

function nodeOf({ name, path }: Place, stat: FileStat | undefined): TreeNode {
  return {
    name,
    path,
    stat,
    isDirectory: stat?.type === "directory",
    mtimeMs: stat?.mtimeMs ?? 0,
    target: undefined,
    isUnreadable: false,
    children: undefined,
  };
}

async function childrenOf(
  context: ShellCommandContext,
  place: Place,
  plan: TreePlan,
): Promise<TreeNode[] | undefined> {
  if (place.depth >= plan.deepest) return undefined;
  const { fs, resolve, pace } = context;
  const directory = { name: place.path, path: resolve(place.path) };
  const entered = plan.isFollowing
    ? (await enterDirectory(fs, directory, place.parent)).entered
    : place.parent;
  if (plan.isFollowing && !entered) return undefined;
  const nodes: TreeNode[] = [];
  for (const { name } of await fs.readdir(directory.path)) {
    const turn = pace();
    if (turn) await turn;
    if (name.startsWith(".") && !plan.showsHidden) continue;
    const start = place.path.endsWith("/") ? place.path : `${place.path}/`;
    const child = { name, path: start + name, depth: place.depth + 1, parent: entered };
    const node = await readNode(context, child, plan);
    if (node) nodes.push(node);
  }
  return nodes.sort(plan.compare);
}

async function readNode(
  context: ShellCommandContext,
  place: Place,
  plan: TreePlan,
): Promise<TreeNode | undefined> {
  const { fs, resolve } = context;
  const path = resolve(place.path);
  const stat = await fs.lstat(path);
  const isLink = stat.type === "symlink";
  const leadsTo = isLink ? await fs.stat(path).catch(() => undefined) : stat;
  const isDirectory = leadsTo?.type === "directory";
  if (!plan.isWanted(place.name, isDirectory && !isLink) || (plan.onlyDirectories && !isDirectory))
    return undefined;
  const isEntered = isDirectory && (!isLink || plan.isFollowing);
  const children = isEntered ? await childrenOf(context, place, plan) : undefined;
  if (plan.prunes && isEntered && children?.length === 0) return undefined;
  const target = isLink ? await fs.readlink(path) : undefined;
  return { ...nodeOf(place, stat), isDirectory, target, children };
}
