import { fatal } from "../failure.ts";
import { flattenTree, type Repository, type TreeFiles } from "./repository.ts";
import { ancestors, type Commit, mergeBase, readCommit, resolveCommit } from "./revisions.ts";

export interface HistoryOptions {
  revisions: readonly string[];
  /** Omits commits that change none of the matching paths. */
  filter?: ((path: string) => boolean) | undefined;
  firstParent?: boolean;
}

/** Commits from the newest to the oldest, each before its parents. */
export async function* history(
  repo: Repository,
  { revisions, filter, firstParent = false }: HistoryOptions,
): AsyncGenerator<Commit> {
  const { wanted, hidden } = await boundsOf(repo, revisions);
  const excluded = await ancestors(repo, hidden);
  const queue: Commit[] = [];
  const seen = new Set<string>();
  const push = async (oid: string): Promise<void> => {
    if (seen.has(oid) || excluded.has(oid)) return;
    seen.add(oid);
    const commit = await readCommit(repo, oid);
    const at = queue.findIndex((other) => other.committer.timestamp < commit.committer.timestamp);
    queue.splice(at < 0 ? queue.length : at, 0, commit);
  };
  for (const oid of wanted) await push(oid);
  const trees = treeCache(repo, filter);
  for (let commit = queue.shift(); commit; commit = queue.shift()) {
    const all = firstParent ? commit.parents.slice(0, 1) : commit.parents;
    const { shows, parents } = await trees.simplify(commit, all);
    for (const parent of parents) await push(parent);
    if (shows) yield commit;
  }
}

interface Simplifier {
  simplify(
    commit: Commit,
    parents: readonly string[],
  ): Promise<{ shows: boolean; parents: readonly string[] }>;
}

/**
 * Simplifies history: a commit with the same content as one of its parents is skipped, and only that parent followed.
 */
function treeCache(repo: Repository, filter: ((path: string) => boolean) | undefined): Simplifier {
  if (!filter) return { simplify: async (_commit, parents) => ({ shows: true, parents }) };
  const known = new Map<string, TreeFiles>();
  const treeOf = async (oid: string): Promise<TreeFiles> => {
    const before = known.get(oid);
    if (before) return before;
    const tree = new Map([...(await flattenTree(repo, oid))].filter(([path]) => filter(path)));
    known.set(oid, tree);
    return tree;
  };
  const isSame = (one: TreeFiles, other: TreeFiles): boolean =>
    one.size === other.size &&
    [...one].every(([path, { oid, mode }]) => {
      const blob = other.get(path);
      return blob?.oid === oid && blob.mode === mode;
    });
  return {
    async simplify(commit, parents) {
      const own = await treeOf(commit.tree);
      for (const parent of parents) {
        if (isSame(own, await treeOf((await readCommit(repo, parent)).tree)))
          return { shows: false, parents: [parent] };
      }
      return { shows: parents.length === 0 ? own.size > 0 : parents.length === 1, parents };
    },
  };
}

/** The commits included and excluded by `A..B`, `^A` and `A...B`. */
async function boundsOf(
  repo: Repository,
  revisions: readonly string[],
): Promise<{ wanted: string[]; hidden: string[] }> {
  const [wanted, hidden]: [string[], string[]] = [[], []];
  for (const revision of revisions) {
    const range = /^(.*?)(\.{2,3})(.*)$/.exec(revision);
    if (range) {
      const from = await resolveCommit(repo, range[1] || "HEAD");
      const to = await resolveCommit(repo, range[3] || "HEAD");
      wanted.push(to);
      if (range[2] === "..") hidden.push(from);
      else {
        wanted.push(from);
        const base = await mergeBase(repo, from, to);
        if (base !== undefined) hidden.push(base);
      }
    } else if (revision.startsWith("^")) hidden.push(await resolveCommit(repo, revision.slice(1)));
    else wanted.push(await resolveCommit(repo, revision));
  }
  return { wanted, hidden };
}

export function noCommits(branch: string | undefined): Error {
  return fatal(`your current branch '${branch ?? "HEAD"}' does not have any commits yet`);
}
