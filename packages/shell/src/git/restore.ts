import type { ShellCommandResult } from "../command.ts";
import { readOptions } from "./arguments.ts";
import { headTree, moveHead } from "./commit.ts";
import { fatal, GitFailure, notHere } from "./failure.ts";
import { subjectOf } from "./output/log-format.ts";
import { indexOf, resetHard } from "./repository/moves.ts";
import { pathspec, pathFilter, rootPath } from "./pathspec.ts";
import {
  dropFromIndex,
  flattenTree,
  type Index,
  indexTree,
  join,
  readIndex,
  type Repository,
  statOf,
  type TreeFiles,
  writeIndex,
} from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import {
  headOid,
  peel,
  readCommit,
  resolve,
  resolveCommit,
  short,
  treeOf,
  tryResolve,
} from "./repository/revisions.ts";
import { readStatus } from "./status.ts";
import {
  assertWritable,
  entryFor,
  openWorktree,
  removeFile,
  writeFile,
} from "./repository/worktree.ts";

export async function checkoutPaths(
  repo: Repository,
  paths: readonly string[],
  {
    revision,
    side,
    quiet,
  }: { revision: string | undefined; side: 2 | 3 | undefined; quiet: boolean },
): Promise<ShellCommandResult> {
  const index = await readIndex(repo);
  const source =
    revision === undefined
      ? sideTree(index, side)
      : await flattenTree(repo, await treeOf(repo, await resolve(repo, revision)));
  const count = await restorePaths(repo, index, {
    source,
    paths,
    staged: revision !== undefined,
    worktree: true,
    removes: false,
  });
  await writeIndex(repo, index);
  const what = `${count} path${count === 1 ? "" : "s"}`;
  const from =
    revision === undefined
      ? "the index"
      : short((await peel(repo, await resolve(repo, revision))).oid);
  return quiet ? {} : { stderr: `Updated ${what} from ${from}\n` };
}

/** The tree of the index, with one side of each conflict. */
function sideTree(index: Index, side: 2 | 3 | undefined): TreeFiles {
  const tree = indexTree(index);
  for (const entry of index.values()) if (entry.stage === side) tree.set(entry.path, entry);
  return tree;
}

interface Restore {
  source: TreeFiles;
  paths: readonly string[];
  staged: boolean;
  worktree: boolean;
  /** True if paths missing from the source are removed. */
  removes: boolean;
}

/** The paths whose file differs from `source`. @throws {GitFailure} when some may not be written */
async function changedPaths(
  repo: Repository,
  index: Index,
  source: TreeFiles,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const worktree = await openWorktree(repo, index);
  const changed = new Set<string>();
  for (const path of paths) {
    const [file, blob] = [await worktree.blob(path), source.get(path)];
    if (file?.oid !== blob?.oid || file?.mode !== blob?.mode) changed.add(path);
  }
  await assertWritable(repo, changed);
  return changed;
}

/** @returns the number of written files */
async function restorePaths(repo: Repository, index: Index, how: Restore): Promise<number> {
  const known = new Set([
    ...how.source.keys(),
    ...(how.removes ? [...index.values()].map(({ path }) => path) : []),
  ]);
  for (const given of how.paths) {
    const spec = pathspec(repo, given);
    if (![...known].some((path) => spec.matches(path)))
      throw new GitFailure(`error: pathspec '${given}' did not match any file(s) known to git`, 1);
  }
  const filter = pathFilter(repo, how.paths);
  const chosen = [...known].filter(filter).sort();
  const changed = how.worktree ? await changedPaths(repo, index, how.source, chosen) : new Set();
  let count = 0;
  for (const path of chosen) {
    const blob = how.source.get(path);
    if (!blob) {
      if (how.staged) dropFromIndex(index, path);
      if (how.worktree) await removeFile(repo, path);
      continue;
    }
    if (how.worktree) {
      if (changed.has(path) || how.staged) {
        const entry = changed.has(path)
          ? await writeFile(repo, path, blob)
          : entryFor(path, blob, await statOf(repo.fs, join(repo.dir, path)));
        count += 1;
        if (how.staged) {
          dropFromIndex(index, path);
          index.set(path, entry);
        } else if (index.get(path)?.oid === blob.oid) index.set(path, entry);
      }
    } else {
      dropFromIndex(index, path);
      for (const [key, entry] of indexOf(index, new Map([[path, blob]]))) index.set(key, entry);
    }
  }
  return count;
}

export const restore: Subcommand = async (repo, args) => {
  const options = readOptions("restore", args, {
    flags: ["S|staged", "W|worktree", "q|quiet", "ours", "theirs", "p|patch", "m|merge", "overlay"],
    valued: ["s|source", "conflict"],
  });
  for (const name of ["patch", "merge", "conflict"])
    if (options.has(name)) throw notHere(`restore --${name}`, "restore whole files");
  const paths = [...options.operands, ...(options.paths ?? [])];
  if (paths.length === 0) throw fatal("you must specify path(s) to restore");
  const index = await readIndex(repo);
  const staged = options.has("staged");
  const given = options.get("source");
  const side = options.has("ours") ? 2 : options.has("theirs") ? 3 : undefined;
  const source =
    given !== undefined
      ? await flattenTree(repo, await sourceTree(repo, given))
      : staged
        ? await headTree(repo)
        : sideTree(index, side);
  await restorePaths(repo, index, {
    source,
    paths,
    staged,
    worktree: !staged || options.has("worktree"),
    removes: staged || given !== undefined,
  });
  await writeIndex(repo, index);
  return {};
};

export const reset: Subcommand = async (repo, args) => {
  const options = readOptions("reset", args, {
    flags: [
      "q|quiet",
      "hard",
      "soft",
      "mixed",
      "merge",
      "keep",
      "p|patch",
      "N|intent-to-add",
      "refresh",
    ],
  });
  for (const name of ["merge", "keep", "patch"])
    if (options.has(name)) throw notHere(`reset --${name}`, "use --hard, --mixed or --soft");
  const [first, ...rest] = options.operands;
  const isRevision = first !== undefined && (await tryResolve(repo, first)) !== undefined;
  if (first !== undefined && !isRevision && options.paths === undefined) {
    const isPath =
      (await statOf(repo.fs, join(repo.dir, rootPath(repo, first)))) ||
      [...(await readIndex(repo)).values()].some(({ path }) => pathspec(repo, first).matches(path));
    if (!isPath) await resolve(repo, first);
  }
  const paths = [...(isRevision ? rest : options.operands), ...(options.paths ?? [])];
  const revision = isRevision ? first : "HEAD";
  if (paths.length > 0) {
    if (options.has("hard") || options.has("soft"))
      throw fatal(`Cannot do ${options.has("hard") ? "hard" : "soft"} reset with paths.`);
    return resetPaths(repo, revision, paths, options.has("quiet"));
  }
  const head = await headOid(repo);
  if (head === undefined && !isRevision) {
    await writeIndex(repo, new Map());
    return {};
  }
  const oid = await resolveCommit(repo, revision);
  if (options.has("hard")) await resetHard(repo, oid);
  else if (!options.has("soft"))
    await writeIndex(
      repo,
      indexOf(await readIndex(repo), await flattenTree(repo, await treeOf(repo, oid))),
    );
  if (!options.has("soft"))
    for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"])
      await repo.gitFs.remove(`${repo.gitdir}/${name}`, { force: true });
  if (head !== undefined) await repo.gitFs.writeFile(`${repo.gitdir}/ORIG_HEAD`, `${head}\n`);
  await moveHead(repo, oid, `reset: moving to ${revision}`);
  if (options.has("quiet") || options.has("soft")) return {};
  if (options.has("hard"))
    return { stdout: `HEAD is now at ${short(oid)} ${subjectOf(await readCommit(repo, oid))}\n` };
  return { stdout: await unstagedWords(repo) };
};

async function resetPaths(
  repo: Repository,
  revision: string,
  paths: readonly string[],
  quiet: boolean,
): Promise<ShellCommandResult> {
  const index = await readIndex(repo);
  const head = await headOid(repo);
  const source: TreeFiles =
    head === undefined
      ? new Map()
      : await flattenTree(repo, await treeOf(repo, await resolve(repo, revision)));
  await restorePaths(repo, index, { source, paths, staged: true, worktree: false, removes: true });
  await writeIndex(repo, index);
  return quiet ? {} : { stdout: await unstagedWords(repo) };
}

async function unstagedWords(repo: Repository): Promise<string> {
  const { unstaged } = await readStatus(repo, { untracked: "no" });
  if (unstaged.length === 0) return "";
  return `Unstaged changes after reset:\n${unstaged.map(({ status, path }) => `${status}\t${path}\n`).join("")}`;
}

async function sourceTree(repo: Repository, revision: string): Promise<string> {
  const oid = await tryResolve(repo, revision);
  if (oid === undefined) throw fatal(`could not resolve ${revision}`);
  return treeOf(repo, oid);
}
