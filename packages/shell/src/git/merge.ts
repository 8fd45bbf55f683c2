import type { ShellCommandResult } from "../command.ts";
import { readOptions } from "./arguments.ts";
import { cleanMessage, commit, commitSummary, headTree, makeCommit, moveHead } from "./commit.ts";
import { blobReader } from "./diff-command.ts";
import { fatal, GitFailure, notHere } from "./failure.ts";
import { subjectOf } from "./output/log-format.ts";
import { type Merged, mergeTrees } from "./repository/merge-trees.ts";
import { moveTo, resetHard } from "./repository/moves.ts";
import { patchStyle, showChanges, summaryLine } from "./output/patch-output.ts";
import {
  flattenTree,
  indexKey,
  readIndex,
  readText,
  type Repository,
  writeIndex,
  writeTree,
} from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import {
  currentBranch,
  headOid,
  mergeBase,
  readCommit,
  refOid,
  resolveCommit,
  short,
  treeOf,
} from "./repository/revisions.ts";
import { readStatus, unmergedPaths } from "./status.ts";
import { diffTrees } from "./repository/tree-diff.ts";

export const merge: Subcommand = async (repo, args) => {
  const options = readOptions("merge", args, {
    flags: [
      "ff",
      "no-ff",
      "ff-only",
      "abort",
      "continue",
      "quit",
      "squash",
      "no-commit",
      "q|quiet",
      "no-edit",
      "e|edit",
      "no-verify",
      "stat",
      "n|no-stat",
      "no-log",
      "v|verbose",
      "allow-unrelated-histories",
    ],
    valued: ["m|message", "s|strategy", "X|strategy-option"],
  });
  if (options.has("abort")) return abortMerge(repo);
  if (options.has("continue")) return continueMerge(repo);
  for (const name of ["squash", "strategy", "strategy-option", "quit"])
    if (options.has(name))
      throw notHere(`merge --${name}`, "merge without it and resolve the conflicts");
  if (options.operands.length > 1)
    throw notHere("a merge of several branches at once", "merge them one by one");
  const name = options.operands[0];
  if (name === undefined) throw fatal("No commit specified and merge.defaultToUpstream not set.");
  const theirs = await resolveCommit(repo, name).catch(() => {
    throw new GitFailure(`merge: ${name} - not something we can merge`, 1);
  });
  return mergeCommit(
    repo,
    { oid: theirs, name },
    {
      noFastForward: options.has("no-ff"),
      onlyFastForward: options.has("ff-only"),
      noCommit: options.has("no-commit"),
      quiet: options.has("quiet"),
      message: options.has("message") ? options.all("message").join("\n\n") : undefined,
      allowsUnrelated: options.has("allow-unrelated-histories"),
    },
  );
};

export interface MergeHow {
  noFastForward?: boolean;
  onlyFastForward?: boolean;
  noCommit?: boolean;
  quiet?: boolean;
  message?: string | undefined;
  allowsUnrelated?: boolean;
}

export async function mergeCommit(
  repo: Repository,
  theirs: { oid: string; name: string },
  how: MergeHow,
): Promise<ShellCommandResult> {
  const head = await headOid(repo);
  if (unmergedPaths(await readIndex(repo)).size > 0)
    throw new GitFailure(
      "error: Merging is not possible because you have unmerged files.\n" +
        "hint: Fix them up in the work tree, and then use 'git add/rm <file>'\n" +
        "hint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
      128,
    );
  if (await readText(repo.fs, `${repo.gitdir}/MERGE_HEAD`))
    throw fatal(
      "You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.",
    );
  const target = await flattenTree(repo, await treeOf(repo, theirs.oid));
  if (head === undefined) {
    await moveTo(repo, target, "merge");
    await moveHead(repo, theirs.oid, "initial pull");
    return {};
  }
  const base = await mergeBase(repo, head, theirs.oid);
  if (base === undefined && !how.allowsUnrelated)
    throw fatal("refusing to merge unrelated histories");
  if (base === theirs.oid) return { stdout: how.quiet ? "" : "Already up to date.\n" };
  if (base === head && !how.noFastForward) {
    const before = await headTree(repo);
    const stdout = `Updating ${short(head)}..${short(theirs.oid)}\n`;
    try {
      await moveTo(repo, target, "merge");
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      return { stdout, stderr: `${error.message}\n`, exitCode: 1 };
    }
    await moveHead(repo, theirs.oid, `merge ${theirs.name}: Fast-forward`);
    return {
      stdout: how.quiet ? "" : `${stdout}Fast-forward\n${await changesText(repo, before, target)}`,
    };
  }
  if (how.onlyFastForward) throw fatal("Not possible to fast-forward, aborting.");
  return trueMerge(repo, head, theirs, base, how);
}

async function changesText(
  repo: Repository,
  before: Awaited<ReturnType<typeof flattenTree>>,
  after: Awaited<ReturnType<typeof flattenTree>>,
): Promise<string> {
  const read = blobReader(repo);
  const changes = await diffTrees(before, after, { renames: { read } });
  const style = patchStyle(readOptions("merge", [], {}), ["stat"]);
  return (await showChanges(changes, read, style)) + changes.map(summaryLine).join("");
}

async function trueMerge(
  repo: Repository,
  head: string,
  theirs: { oid: string; name: string },
  base: string | undefined,
  how: MergeHow,
): Promise<ShellCommandResult> {
  const before = await headTree(repo);
  const staged = (await readStatus(repo, { untracked: "no" })).staged;
  if (staged.length > 0)
    throw new GitFailure(
      `error: Your local changes to the following files would be overwritten by merge:\n  ${staged.map(({ path }) => path).join(" ")}`,
      2,
    );
  const merged = await mergeTrees(
    repo,
    {
      base: base && (await treeOf(repo, base)),
      ours: await treeOf(repo, head),
      theirs: await treeOf(repo, theirs.oid),
    },
    { ours: "HEAD", theirs: theirs.name },
  );
  const message =
    how.message === undefined
      ? `${await mergeTitle(repo, theirs.name)}\n`
      : cleanMessage(how.message);
  await moveTo(repo, merged.files, "merge");
  await repo.gitFs.writeFile(`${repo.gitdir}/ORIG_HEAD`, `${head}\n`);
  const report = merged.auto.map((path) => `Auto-merging ${path}\n`);
  if (merged.conflicts.length > 0 || how.noCommit) {
    await repo.gitFs.writeFile(`${repo.gitdir}/MERGE_HEAD`, `${theirs.oid}\n`);
    await repo.gitFs.writeFile(`${repo.gitdir}/MERGE_MODE`, how.noFastForward ? "no-ff" : "");
    const paths = merged.conflicts.map(({ path }) => `#\t${path}\n`).join("");
    await repo.gitFs.writeFile(
      `${repo.gitdir}/MERGE_MSG`,
      paths === "" ? message : `${message}\n# Conflicts:\n${paths}`,
    );
    await noteConflicts(repo, merged);
    if (merged.conflicts.length === 0)
      return {
        stdout: `${report.join("")}Automatic merge went well; stopped before committing as requested\n`,
      };
    return {
      stdout:
        conflictWords(merged, theirs.name) +
        "Automatic merge failed; fix conflicts and then commit the result.\n",
      exitCode: 1,
    };
  }
  const tree = await writeTree(repo, merged.files);
  await makeCommit(repo, {
    tree,
    parents: [head, theirs.oid],
    message,
    note: `merge ${theirs.name}: Merge made by the 'ort' strategy.`,
  });
  if (how.quiet) return {};
  return {
    stdout: `${report.join("")}Merge made by the 'ort' strategy.\n${await changesText(repo, before, merged.files)}`,
  };
}

/** Marks the conflicting paths of a merge in the index. */
async function noteConflicts(repo: Repository, { conflicts }: Merged): Promise<void> {
  const index = await readIndex(repo);
  for (const { path, stages } of conflicts) {
    index.delete(path);
    for (const [at, blob] of stages.entries()) {
      if (!blob) continue;
      const entry = { path, ...blob, stage: at + 1, size: 0, mtimeMs: 0, intentToAdd: false };
      index.set(indexKey(entry), entry);
    }
  }
  await writeIndex(repo, index);
}

function conflictWords({ conflicts, auto }: Merged, theirs: string): string {
  const lines = new Map<string, string>();
  for (const path of auto) lines.set(path, `Auto-merging ${path}\n`);
  for (const { path, kind, deletedIn } of conflicts) {
    const before = lines.get(path) ?? "";
    if (kind === "modify/delete") {
      const [gone, left] = deletedIn === "ours" ? ["HEAD", theirs] : [theirs, "HEAD"];
      lines.set(
        path,
        `CONFLICT (modify/delete): ${path} deleted in ${gone} and modified in ${left}.  Version ${left} of ${path} left in tree.\n`,
      );
    } else if (kind === "binary")
      lines.set(
        path,
        `warning: Cannot merge binary files: ${path} (HEAD vs. ${theirs})\nAuto-merging ${path}\nCONFLICT (content): Merge conflict in ${path}\n`,
      );
    else lines.set(path, `${before}CONFLICT (${kind}): Merge conflict in ${path}\n`);
  }
  return [...lines]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, line]) => line)
    .join("");
}

async function mergeTitle(repo: Repository, name: string): Promise<string> {
  const isBranch = (await refOid(repo, `refs/heads/${name}`)) !== undefined;
  const isRemote = !isBranch && (await refOid(repo, `refs/remotes/${name}`)) !== undefined;
  const isTag = !isBranch && !isRemote && (await refOid(repo, `refs/tags/${name}`)) !== undefined;
  const what = isBranch ? "branch" : isRemote ? "remote-tracking branch" : isTag ? "tag" : "commit";
  const into = (await currentBranch(repo)) ?? "HEAD";
  const target = into === "main" || into === "master" ? "" : ` into ${into}`;
  return `Merge ${what} '${name}'${target}`;
}

async function abortMerge(repo: Repository): Promise<ShellCommandResult> {
  const head = await headOid(repo);
  if (head === undefined || !(await readText(repo.fs, `${repo.gitdir}/MERGE_HEAD`)))
    throw fatal("There is no merge to abort (MERGE_HEAD missing).");
  await resetHard(repo, head);
  for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE"])
    await repo.gitFs.remove(`${repo.gitdir}/${name}`, { force: true });
  return {};
}

async function continueMerge(repo: Repository): Promise<ShellCommandResult> {
  if (!(await readText(repo.fs, `${repo.gitdir}/MERGE_HEAD`)))
    throw fatal("There is no merge in progress (MERGE_HEAD missing).");
  return commit(repo, []);
}

/** Creates `cherry-pick` or `revert`: applies the change of one commit, or its inverse, to HEAD. */
function replay(command: "cherry-pick" | "revert"): Subcommand {
  return async (repo, args) => {
    const options = readOptions(command, args, {
      flags: [
        "n|no-commit",
        "x",
        "no-edit",
        "e|edit",
        "abort",
        "continue",
        "skip",
        "quit",
        "s|signoff",
      ],
      valued: ["m|mainline"],
    });
    const marker = command === "revert" ? "REVERT_HEAD" : "CHERRY_PICK_HEAD";
    const head = await headOid(repo);
    if (head === undefined) throw fatal("your current branch does not have any commits yet");
    if (options.has("abort")) {
      if (!(await readText(repo.fs, `${repo.gitdir}/${marker}`)))
        throw new GitFailure(
          `error: no cherry-pick or revert in progress\nfatal: ${command} failed`,
          128,
        );
      await resetHard(repo, head);
      for (const name of [marker, "MERGE_MSG"])
        await repo.gitFs.remove(`${repo.gitdir}/${name}`, { force: true });
      return {};
    }
    if (options.has("continue")) {
      return commit(repo, []);
    }
    for (const name of ["skip", "quit", "mainline"])
      if (options.has(name))
        throw notHere(`${command} --${name}`, "take commits with one parent, one by one");
    if (options.operands.length === 0)
      throw new GitFailure(`usage: git ${command} <commit>...`, 129);
    let stdout = "";
    for (const operand of options.operands) {
      if (operand.includes("..")) throw notHere(`${command} of a range`, "name the commits");
      const result = await replayOne(repo, command, await resolveCommit(repo, operand), {
        noCommit: options.has("no-commit"),
        notes: options.has("x"),
      });
      stdout += String(result.stdout ?? "");
      if (result.exitCode) return { ...result, stdout };
    }
    return { stdout };
  };
}

async function replayOne(
  repo: Repository,
  command: "cherry-pick" | "revert",
  oid: string,
  how: { noCommit: boolean; notes: boolean },
): Promise<ShellCommandResult> {
  const commit = await readCommit(repo, oid);
  if (commit.parents.length > 1)
    throw new GitFailure(
      `error: commit ${oid} is a merge but no -m option was given.\nfatal: ${command} failed`,
      128,
    );
  const [parent] = commit.parents;
  const before = parent === undefined ? undefined : await treeOf(repo, parent);
  const subject = subjectOf(commit);
  const title = `${short(oid)} (${subject})`;
  const head = await headOid(repo);
  if (head === undefined) throw fatal("bad HEAD");
  const ours = await treeOf(repo, head);
  const isRevert = command === "revert";
  const merged = isRevert
    ? await mergeTrees(
        repo,
        { base: commit.tree, ours, theirs: before },
        { ours: "HEAD", theirs: `parent of ${title}` },
      )
    : await mergeTrees(
        repo,
        { base: before, ours, theirs: commit.tree },
        { ours: "HEAD", theirs: title },
      );
  const message = isRevert
    ? `Revert "${subject}"\n\nThis reverts commit ${oid}.\n`
    : how.notes
      ? `${commit.message.trimEnd()}\n\n(cherry picked from commit ${oid})\n`
      : commit.message;
  await moveTo(repo, merged.files, "merge");
  const report = merged.auto.map((path) => `Auto-merging ${path}\n`).join("");
  if (merged.conflicts.length > 0) {
    await noteConflicts(repo, merged);
    await repo.gitFs.writeFile(
      `${repo.gitdir}/${isRevert ? "REVERT_HEAD" : "CHERRY_PICK_HEAD"}`,
      `${oid}\n`,
    );
    await repo.gitFs.writeFile(`${repo.gitdir}/MERGE_MSG`, message);
    const verb = isRevert ? "revert" : "apply";
    return {
      stdout: conflictWords(merged, isRevert ? `parent of ${title}` : title),
      stderr: `error: could not ${verb} ${short(oid)}... ${subject}\nhint: After resolving the conflicts, mark them with\nhint: "git add/rm <pathspec>", then run\nhint: "git ${command} --continue".\n`,
      exitCode: 1,
    };
  }
  if (how.noCommit) return { stdout: report };
  const tree = await writeTree(repo, merged.files);
  if (tree === ours)
    throw new GitFailure(
      `The previous ${command} is now empty, possibly due to conflict resolution.`,
      1,
    );
  const made = await makeCommit(repo, {
    tree,
    parents: [head],
    message,
    author: isRevert ? undefined : commit.author,
    note: `${command}: ${isRevert ? `Revert "${subject}"` : subject}`,
  });
  return { stdout: report + (await commitSummary(repo, made, true)) };
}

export const cherryPick = replay("cherry-pick");
export const revert = replay("revert");
