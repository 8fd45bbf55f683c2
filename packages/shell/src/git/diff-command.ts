import { readOptions } from "./arguments.ts";
import { notHere } from "./failure.ts";
import { patchOptions, patchStyle, showChanges } from "./output/patch-output.ts";
import { pathFilter, rootPath } from "./pathspec.ts";
import {
  blobOf,
  flattenTree,
  type Index,
  indexTree,
  join,
  readIndex,
  type Repository,
  statOf,
  type TreeFiles,
} from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import {
  headOid,
  mergeBase,
  resolve,
  resolveCommit,
  treeOf,
  tryResolve,
} from "./repository/revisions.ts";
import { diffTrees, type TreeChange, type ReadBlob } from "./repository/tree-diff.ts";
import { contentOf, worktreeTree } from "./repository/worktree.ts";

/** Reads blobs from the repository, or from the files of the working tree. */
export function blobReader(repo: Repository, worktreeSide?: "old" | "new"): ReadBlob {
  return (side, path, { oid }) =>
    side === worktreeSide ? contentOf(repo, path) : blobOf(repo, oid);
}

/** Splits the arguments of `git diff` into up to two revisions, and paths. */
export async function splitRevisions(
  repo: Repository,
  operands: readonly string[],
  paths: readonly string[] | undefined,
): Promise<{ revisions: string[]; paths: string[] }> {
  if (paths) return { revisions: [...operands], paths: [...paths] };
  const revisions: string[] = [];
  for (const [at, operand] of operands.entries()) {
    const isRange = /\.\./.test(operand) && !/^\.\.?(?:\/|$)/.test(operand);
    if (isRange || (await tryResolve(repo, operand).catch(() => undefined)) !== undefined) {
      revisions.push(operand);
      continue;
    }
    for (const path of operands.slice(at)) await assertPath(repo, path);
    return { revisions, paths: operands.slice(at) };
  }
  return { revisions, paths: [] };
}

/** Requires that an argument other than a revision exists as a file, or looks like a pattern. */
async function assertPath(repo: Repository, path: string): Promise<void> {
  if (/[*?[]|^:/.test(path)) return;
  const root = rootPath(repo, path);
  if (await statOf(repo.fs, join(repo.dir, root))) return;
  await resolve(repo, path);
}

/** The changes from the index to the working tree, without files in conflict. */
export async function worktreeChanges(
  repo: Repository,
  index: Index,
  filter?: (path: string) => boolean,
): Promise<TreeChange[]> {
  const before: TreeFiles = new Map();
  const empty = { oid: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", mode: 0 };
  const after = await worktreeTree(repo, index);
  const added: TreeChange[] = [];
  for (const entry of index.values()) {
    const now = after.get(entry.path);
    if (entry.stage !== 0) after.delete(entry.path);
    else if (entry.intentToAdd) {
      after.delete(entry.path);
      if (now && (filter?.(entry.path) ?? true))
        added.push({ status: "A", path: entry.path, new: now });
    } else before.set(entry.path, { ...empty, oid: entry.oid, mode: entry.mode });
  }
  const changes = await diffTrees(before, after, filter ? { filter } : {});
  return [...changes, ...added].sort((one, other) => (one.path < other.path ? -1 : 1));
}

export const diff: Subcommand = async (repo, args) => {
  const options = readOptions("diff", args, {
    ...patchOptions,
    flags: [
      ...patchOptions.flags,
      "staged|cached",
      "exit-code",
      "q|quiet",
      "merge-base",
      "R",
      "no-index",
      "check",
    ],
    valued: [...patchOptions.valued, "relative"],
  });
  for (const name of ["no-index", "check", "R"])
    if (options.has(name))
      throw notHere(
        `diff ${name === "R" ? "-R" : `--${name}`}`,
        name === "no-index" ? "use diff -u" : "leave it out",
      );
  const { revisions, paths } = await splitRevisions(repo, options.operands, options.paths);
  const filter = pathFilter(repo, paths);
  const style = patchStyle(options, options.has("quiet") ? [] : ["patch"]);
  const renames = (read: ReadBlob) =>
    style.renames ? { read, atLeast: style.atLeast } : (false as const);
  const index = await readIndex(repo);

  const between = async (
    before: TreeFiles,
    after: TreeFiles,
    read: ReadBlob,
  ): Promise<[TreeChange[], ReadBlob]> => [
    await diffTrees(before, after, { filter, renames: renames(read) }),
    read,
  ];
  const compare = async (): Promise<[TreeChange[], ReadBlob]> => {
    const [first, second] = await rangeOf(repo, revisions);
    if (options.has("cached")) {
      const base = first ?? (await headOid(repo));
      const before = await flattenTree(repo, base && (await treeOf(repo, base)));
      return between(before, indexTree(index), blobReader(repo));
    }
    if (first !== undefined && second !== undefined) {
      const [before, after] = [await treeOf(repo, first), await treeOf(repo, second)];
      return between(
        await flattenTree(repo, before),
        await flattenTree(repo, after),
        blobReader(repo),
      );
    }
    if (first !== undefined) {
      const before = await flattenTree(repo, await treeOf(repo, first));
      return between(before, await worktreeTree(repo, index), blobReader(repo, "new"));
    }
    return [await worktreeChanges(repo, index, filter), blobReader(repo, "new")];
  };
  const [changes, read] = await compare();
  const unmerged =
    revisions.length === 0 && !options.has("cached")
      ? [...new Set([...index.values()].filter(({ stage }) => stage > 0).map(({ path }) => path))]
      : [];
  const isNames = style.formats.includes("name-only") || style.formats.includes("name-status");
  const conflicts = unmerged.filter(filter).map((path) => {
    if (!isNames)
      return `* Unmerged path ${path}
`;
    return style.formats.includes("name-only")
      ? `${path}
`
      : `U	${path}
`;
  });
  const stdout =
    (style.filter === "" || style.filter.includes("U") ? conflicts.join("") : "") +
    (await showChanges(changes, read, style));
  const differs = changes.length > 0 && (options.has("exit-code") || options.has("quiet"));
  return { stdout, exitCode: differs ? 1 : 0 };
};

/** Resolves `a b`, `a..b` and `a...b` to two objects. */
async function rangeOf(
  repo: Repository,
  revisions: readonly string[],
): Promise<readonly [(string | undefined)?, (string | undefined)?]> {
  const [first, second] = revisions;
  if (first === undefined) return [];
  const range = /^(.*?)(\.{2,3})(.*)$/.exec(first);
  if (!range) {
    const oid = await resolve(repo, first);
    return second === undefined ? [oid] : [oid, await resolve(repo, second)];
  }
  const [one, other] = [
    await resolveCommit(repo, range[1] || "HEAD"),
    await resolveCommit(repo, range[3] || "HEAD"),
  ];
  return [range[2] === "..." ? await mergeBase(repo, one, other) : one, other];
}

/** Formats the changes of a commit relative to its first parent. */
export async function changesOfCommit(
  repo: Repository,
  commit: { tree: string; parents: readonly string[] },
  filter: (path: string) => boolean = () => true,
): Promise<TreeChange[]> {
  const [parent] = commit.parents;
  const before = await flattenTree(repo, parent && (await treeOf(repo, parent)));
  const read = blobReader(repo);
  return diffTrees(before, await flattenTree(repo, commit.tree), { filter, renames: { read } });
}
