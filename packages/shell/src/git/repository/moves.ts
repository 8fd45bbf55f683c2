import { GitFailure } from "../failure.ts";
import {
  type Blob,
  dropFromIndex,
  flattenTree,
  type Index,
  readIndex,
  type Repository,
  type TreeFiles,
  writeIndex,
} from "./repository.ts";
import { headTree } from "../commit.ts";
import { treeOf } from "./revisions.ts";
import { applyTree, assertWritable, openWorktree, removeFile, writeFiles } from "./worktree.ts";

export type MoveKind = "checkout" | "merge";

/**
 * Moves the working tree and the index from HEAD to another tree, and keeps local changes of files that are equal in
 * both.
 * @throws {GitFailure} When that would overwrite local changes; nothing is changed then
 */
export async function moveTo(repo: Repository, target: TreeFiles, kind: MoveKind): Promise<void> {
  const index = await readIndex(repo);
  const from = await headTree(repo);
  const [local, inTheWay] = await obstacles(repo, index, from, target);
  const text = refusal(local, inTheWay, kind);
  if (text !== "") throw new GitFailure(text, kind === "merge" ? 2 : 1);
  await assertWritable(repo, differences(from, target));
  await applyTree(repo, index, from, target);
  await writeIndex(repo, index);
}

/** Paths that differ between two trees. */
function differences(from: TreeFiles, target: TreeFiles): string[] {
  return [...new Set([...from.keys(), ...target.keys()])].filter((path) => {
    const [before, after] = [from.get(path), target.get(path)];
    return before?.oid !== after?.oid || before?.mode !== after?.mode;
  });
}

async function obstacles(
  repo: Repository,
  index: Index,
  from: TreeFiles,
  target: TreeFiles,
): Promise<[local: string[], inTheWay: string[]]> {
  const worktree = await openWorktree(repo, index);
  const [local, inTheWay]: [string[], string[]] = [[], []];
  for (const path of differences(from, target)) {
    const [before, after] = [from.get(path), target.get(path)];
    const entry = index.get(path);
    const file = await worktree.blob(path);
    if (!entry && !before) {
      if (file && file.oid !== after?.oid) inTheWay.push(path);
      continue;
    }
    const isChanged = entry?.oid !== before?.oid || (file !== undefined && file.oid !== entry?.oid);
    const isThereAlready = entry?.oid === after?.oid && file?.oid === after?.oid;
    if (isChanged && !isThereAlready) local.push(path);
  }
  return [local, inTheWay];
}

function refusal(local: readonly string[], inTheWay: readonly string[], kind: MoveKind): string {
  const list = (paths: readonly string[]): string =>
    paths
      .toSorted()
      .map((path) => `\t${path}\n`)
      .join("");
  const [action, before] =
    kind === "checkout" ? ["checkout", "switch branches"] : ["merge", "merge"];
  let text = "";
  if (local.length > 0)
    text += `error: Your local changes to the following files would be overwritten by ${action}:\n${list(local)}Please commit your changes or stash them before you ${before}.\n`;
  if (inTheWay.length > 0)
    text += `error: The following untracked working tree files would be overwritten by ${action}:\n${list(inTheWay)}Please move or remove them before you ${before}.\n`;
  return text === "" ? "" : `${text}Aborting`;
}

/** Builds an index of `target`; unchanged files keep their stat data. */
export function indexOf(index: Index, target: TreeFiles): Index {
  const next: Index = new Map();
  for (const [path, { oid, mode }] of target) {
    const before = index.get(path);
    next.set(
      path,
      before?.oid === oid && before.mode === mode && !before.intentToAdd
        ? before
        : { path, oid, mode, stage: 0, size: 0, mtimeMs: 0, intentToAdd: false },
    );
  }
  return next;
}

/** Resets the working tree and the index to a commit. */
export async function resetHard(repo: Repository, oid: string): Promise<void> {
  const index = await readIndex(repo);
  const target = await flattenTree(repo, await treeOf(repo, oid));
  const worktree = await openWorktree(repo, index);
  const paths = new Set([...index.values()].map(({ path }) => path));
  const removed = [...paths].filter((path) => !target.has(path));
  const changed: [string, Blob][] = [];
  for (const [path, blob] of target) {
    const [file, entry] = [await worktree.blob(path), index.get(path)];
    const isThere = file?.oid === blob.oid && file.mode === blob.mode;
    if (!isThere || entry?.oid !== blob.oid || entry.mode !== blob.mode) changed.push([path, blob]);
  }
  await assertWritable(repo, [...removed, ...changed.map(([path]) => path)]);
  for (const path of removed) {
    dropFromIndex(index, path);
    await removeFile(repo, path);
  }
  await writeFiles(repo, index, changed);
  await writeIndex(repo, index);
}
