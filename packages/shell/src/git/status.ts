import { readOptions } from "./arguments.ts";
import { blobReader, worktreeChanges } from "./diff-command.ts";
import { pathFilter, quotePath, shownPath } from "./pathspec.ts";
import {
  flattenTree,
  type Index,
  indexTree,
  readIndex,
  readText,
  type Repository,
} from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import {
  ancestors,
  currentBranch,
  headOid,
  readCommit,
  refOid,
  short,
  upstreamOf,
} from "./repository/revisions.ts";
import { diffTrees, type TreeChange } from "./repository/tree-diff.ts";
import { untracked } from "./repository/worktree.ts";

export interface Status {
  branch: string | undefined;
  head: string | undefined;
  staged: TreeChange[];
  unstaged: TreeChange[];
  /** The two letters of a conflict, by path. */
  unmerged: ReadonlyMap<string, string>;
  untracked: string[];
  ignored: string[];
}

const CONFLICTS: Record<string, string> = {
  "1": "DD",
  "2": "AU",
  "3": "UA",
  "12": "UD",
  "13": "DU",
  "23": "AA",
  "123": "UU",
};

export function unmergedPaths(index: Index): Map<string, string> {
  const stages = new Map<string, string>();
  for (const { path, stage } of [...index.values()].sort((one, other) => one.stage - other.stage))
    if (stage > 0) stages.set(path, (stages.get(path) ?? "") + stage);
  return new Map(
    [...stages]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([path, found]) => [path, CONFLICTS[found] ?? "UU"]),
  );
}

export async function readStatus(
  repo: Repository,
  options: { untracked: "no" | "normal" | "all"; ignored?: boolean; paths?: readonly string[] },
): Promise<Status> {
  const index = await readIndex(repo);
  const head = await headOid(repo);
  const filter = pathFilter(repo, options.paths);
  const before = await flattenTree(repo, head && (await readCommit(repo, head)).tree);
  const unmerged = unmergedPaths(index);
  const after = indexTree(index);
  for (const path of unmerged.keys()) before.delete(path);
  const renames = { read: blobReader(repo) };
  const directories = options.untracked !== "all";
  const list = async (ignored: boolean): Promise<string[]> =>
    (await untracked(repo, index, { directories, ignored })).filter((path) =>
      filter(path.replace(/\/$/, "")),
    );
  return {
    branch: await currentBranch(repo),
    head,
    staged: await diffTrees(before, after, { filter, renames }),
    unstaged: await worktreeChanges(repo, index, filter),
    unmerged: new Map([...unmerged].filter(([path]) => filter(path))),
    untracked: options.untracked === "no" ? [] : await list(false),
    ignored: options.ignored ? await list(true) : [],
  };
}

export const status: Subcommand = async (repo, args) => {
  const options = readOptions("status", args, {
    flags: [
      "s|short",
      "long",
      "b|branch",
      "ignored",
      "show-stash",
      "z|null",
      "ahead-behind",
      "renames",
    ],
    attached: ["u|untracked-files", "porcelain"],
  });
  const mode = options.has("untracked-files") ? options.get("untracked-files") || "all" : "normal";
  const found = await readStatus(repo, {
    untracked: mode === "no" || mode === "all" ? mode : "normal",
    ignored: options.has("ignored"),
    paths: [...options.operands, ...(options.paths ?? [])],
  });
  if (options.has("short") || options.has("porcelain") || options.has("null")) {
    const isPlain = options.has("porcelain") || options.has("null");
    const name = (path: string): string =>
      options.has("null") ? path : withBlanks(isPlain ? quotePath(path) : shownPath(repo, path));
    const lines = shortLines(found, name, options.has("null"));
    const head = options.has("branch") ? [await branchLine(repo, found)] : [];
    const end = options.has("null") ? "\0" : "\n";
    return { stdout: [...head, ...lines].map((line) => line + end).join("") };
  }
  return { stdout: await longStatus(repo, found, { hidesUntracked: mode === "no" }) };
};

/** Quotes names with blanks, as the short format does. */
function withBlanks(name: string): string {
  return name.includes(" ") && !name.startsWith('"') ? `"${name}"` : name;
}

function shortLines(found: Status, name: (path: string) => string, isNull: boolean): string[] {
  const rows = new Map<string, { staged: string; unstaged: string; from?: string | undefined }>();
  for (const { path, status: letter, from } of found.staged)
    rows.set(path, { staged: letter, unstaged: " ", from });
  for (const { path, status: letter } of found.unstaged)
    rows.set(path, { ...(rows.get(path) ?? { staged: " " }), unstaged: letter });
  for (const [path, letters] of found.unmerged)
    rows.set(path, { staged: letters.charAt(0), unstaged: letters.charAt(1) });
  const tracked = [...rows]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { staged, unstaged, from }]) => {
      const names =
        from === undefined
          ? name(path)
          : isNull
            ? `${name(path)}\0${name(from)}`
            : `${name(from)} -> ${name(path)}`;
      return `${staged}${unstaged} ${names}`;
    });
  const others = found.untracked.map((path) => `?? ${name(path)}`);
  return [...tracked, ...others, ...found.ignored.map((path) => `!! ${name(path)}`)];
}

async function branchLine(repo: Repository, { branch, head }: Status): Promise<string> {
  if (branch === undefined) return "## HEAD (no branch)";
  if (head === undefined) return `## No commits yet on ${branch}`;
  const upstream = await upstreamOf(repo, branch);
  if (!upstream) return `## ${branch}`;
  const distance = await distanceTo(repo, head, upstream.full);
  if (!distance) return `## ${branch}...${upstream.short} [gone]`;
  const { ahead, behind } = distance;
  const words = [...(ahead ? [`ahead ${ahead}`] : []), ...(behind ? [`behind ${behind}`] : [])];
  return `## ${branch}...${upstream.short}${words.length > 0 ? ` [${words.join(", ")}]` : ""}`;
}

async function distanceTo(
  repo: Repository,
  head: string,
  ref: string,
): Promise<{ ahead: number; behind: number } | undefined> {
  const other = await refOid(repo, ref);
  if (other === undefined) return undefined;
  const [ours, theirs] = [await ancestors(repo, [head]), await ancestors(repo, [other])];
  return {
    ahead: [...ours].filter((oid) => !theirs.has(oid)).length,
    behind: [...theirs].filter((oid) => !ours.has(oid)).length,
  };
}

/** Describes the branch relative to its upstream; empty when it has none. */
export async function trackingWords(
  repo: Repository,
  branch: string,
  head: string,
): Promise<string> {
  const upstream = await upstreamOf(repo, branch);
  if (!upstream) return "";
  const distance = await distanceTo(repo, head, upstream.full);
  if (!distance)
    return `Your branch is based on '${upstream.short}', but the upstream is gone.\n  (use "git branch --unset-upstream" to fixup)\n`;
  const { ahead, behind } = distance;
  const commits = (count: number): string => `${count} commit${count === 1 ? "" : "s"}`;
  if (ahead === 0 && behind === 0) return `Your branch is up to date with '${upstream.short}'.\n`;
  if (behind === 0)
    return `Your branch is ahead of '${upstream.short}' by ${commits(ahead)}.\n  (use "git push" to publish your local commits)\n`;
  if (ahead === 0)
    return `Your branch is behind '${upstream.short}' by ${commits(behind)}, and can be fast-forwarded.\n  (use "git pull" to update your local branch)\n`;
  return `Your branch and '${upstream.short}' have diverged,\nand have ${ahead} and ${behind} different commits each, respectively.\n  (use "git pull" to merge the remote branch into yours)\n`;
}

const WORDS: Record<TreeChange["status"], string> = {
  A: "new file:   ",
  D: "deleted:    ",
  M: "modified:   ",
  T: "typechange: ",
  R: "renamed:    ",
};
const CONFLICT_WORDS: Record<string, string> = {
  DD: "both deleted:    ",
  AU: "added by us:     ",
  UA: "added by them:   ",
  UD: "deleted by them: ",
  DU: "deleted by us:   ",
  AA: "both added:      ",
  UU: "both modified:   ",
};

export async function longStatus(
  repo: Repository,
  found: Status,
  { hidesUntracked = false, isCommitting = false } = {},
): Promise<string> {
  const { branch, head, staged, unstaged, unmerged } = found;
  const name = (path: string): string => shownPath(repo, path);
  let text =
    branch === undefined ? `HEAD detached at ${short(head ?? "")}\n` : `On branch ${branch}\n`;
  if (branch !== undefined && head !== undefined) {
    const words = await trackingWords(repo, branch, head);
    if (words !== "") text += `${words}\n`;
  }
  const isMerging = (await readText(repo.fs, `${repo.gitdir}/MERGE_HEAD`)) !== undefined;
  if (isMerging && unmerged.size > 0)
    text +=
      'You have unmerged paths.\n  (fix conflicts and run "git commit")\n  (use "git merge --abort" to abort the merge)\n\n';
  else if (isMerging)
    text +=
      'All conflicts fixed but you are still merging.\n  (use "git commit" to conclude merge)\n\n';
  if (head === undefined) text += isCommitting ? "\nInitial commit\n\n" : "\nNo commits yet\n\n";
  const change = ({ status: letter, path, from }: TreeChange): string =>
    `\t${WORDS[letter]}${from === undefined ? "" : `${name(from)} -> `}${name(path)}\n`;
  const unstage =
    head === undefined ? "git rm --cached <file>..." : "git restore --staged <file>...";
  if (staged.length > 0)
    text += `Changes to be committed:\n${isMerging ? "" : `  (use "${unstage}" to unstage)\n`}${staged.map(change).join("")}\n`;
  if (unmerged.size > 0) {
    const hasDeletion = [...unmerged.values()].some((letters) => letters.includes("D"));
    text += `Unmerged paths:\n${isMerging ? "" : `  (use "${unstage}" to unstage)\n`}`;
    text += `  (use "git add${hasDeletion ? "/rm" : ""} <file>..." ${hasDeletion ? "as appropriate to mark resolution" : "to mark resolution"})\n`;
    text += [...unmerged]
      .map(([path, letters]) => `\t${CONFLICT_WORDS[letters] ?? ""}${name(path)}\n`)
      .join("");
    text += "\n";
  }
  if (unstaged.length > 0) {
    const add = unstaged.some((one) => one.status === "D") ? "git add/rm" : "git add";
    text += `Changes not staged for commit:\n  (use "${add} <file>..." to update what will be committed)\n`;
    text += `  (use "git restore <file>..." to discard changes in working directory)\n`;
    text += `${unstaged.map(change).join("")}\n`;
  }
  const listed = (title: string, hint: string, paths: readonly string[]): string =>
    paths.length === 0
      ? ""
      : `${title}:\n  (use "git add ${hint}<file>..." to include in what will be committed)\n${paths.map((path) => `\t${name(path)}\n`).join("")}\n`;
  text += listed("Untracked files", "", found.untracked);
  text += listed("Ignored files", "-f ", found.ignored);
  if (hidesUntracked && (staged.length > 0 || unstaged.length > 0))
    text += "Untracked files not listed (use -u option to show untracked files)\n";
  if (staged.length > 0) return text;
  return text + lastLine(found, isMerging, hidesUntracked);
}

function lastLine(found: Status, isMerging: boolean, hidesUntracked: boolean): string {
  if (found.unstaged.length > 0 || found.unmerged.size > 0)
    return 'no changes added to commit (use "git add" and/or "git commit -a")\n';
  if (isMerging) return "";
  if (found.untracked.length > 0)
    return 'nothing added to commit but untracked files present (use "git add" to track)\n';
  if (found.head === undefined)
    return 'nothing to commit (create/copy files and use "git add" to track)\n';
  return hidesUntracked
    ? "nothing to commit (use -u to show untracked files)\n"
    : "nothing to commit, working tree clean\n";
}
