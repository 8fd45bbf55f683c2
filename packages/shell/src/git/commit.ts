import * as engine from "#isomorphic-git";
import { decodeText } from "@robota/runtime/ports";
import type { ShellCommandResult } from "../command.ts";
import { type Options, readOptions } from "./arguments.ts";
import { changesOfCommit, blobReader } from "./diff-command.ts";
import { fatal, GitFailure, notHere } from "./failure.ts";
import { showChanges, summaryLine, patchStyle } from "./output/patch-output.ts";
import { pathFilter } from "./pathspec.ts";
import { formatDate, identity, parseDate } from "./repository/people.ts";
import { noteMove } from "./repository/reflog.ts";
import {
  dropFromIndex,
  flattenTree,
  type Index,
  indexTree,
  readIndex,
  readText,
  type Repository,
  writeIndex,
  writeTree,
} from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import {
  type Commit,
  currentBranch,
  headOid,
  type Person,
  readCommit,
  resolveCommit,
  short,
} from "./repository/revisions.ts";
import { stage } from "./staging.ts";
import { longStatus, readStatus, unmergedPaths } from "./status.ts";
import { openWorktree } from "./repository/worktree.ts";

export interface NewCommit {
  tree: string;
  parents: readonly string[];
  message: string;
  author?: Person | undefined;
  /** Message for the reflog. */
  note: string;
}

/** Stores a commit and moves HEAD to it. */
export async function makeCommit(repo: Repository, commit: NewCommit): Promise<Commit> {
  const committer = await identity(repo, "COMMITTER");
  const author = commit.author ?? (await identity(repo, "AUTHOR"));
  const oid = await engine.writeCommit({
    ...repo.at,
    commit: {
      tree: commit.tree,
      parent: [...commit.parents],
      message: commit.message,
      author,
      committer,
    },
  });
  await moveHead(repo, oid, commit.note);
  return readCommit(repo, oid);
}

/** Points the current branch, or a detached HEAD, to a commit. */
export async function moveHead(repo: Repository, oid: string, note: string): Promise<void> {
  const [before, branch] = [await headOid(repo), await currentBranch(repo)];
  const ref = branch === undefined ? "HEAD" : `refs/heads/${branch}`;
  await engine.writeRef({ ...repo.at, ref, value: oid, force: true });
  await noteMove(repo, ref === "HEAD" ? ["HEAD"] : ["HEAD", ref], before, oid, note);
}

/** Cleans up the message like git: no trailing blanks, no comments, one newline at the end. */
export function cleanMessage(text: string, keepsComments = true): string {
  const lines = text
    .split("\n")
    .filter((line) => keepsComments || !line.startsWith("#"))
    .map((line) => line.trimEnd());
  const cleaned = lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+|\n+$/g, "");
  return cleaned === "" ? "" : `${cleaned}\n`;
}

const OPTIONS = {
  flags: [
    "a|all",
    "amend",
    "q|quiet",
    "no-edit",
    "allow-empty",
    "allow-empty-message",
    "n|no-verify",
    "s|signoff",
    "v|verbose",
    "e|edit",
    "p|patch",
    "reset-author",
    "no-gpg-sign",
    "i|include",
    "o|only",
    "dry-run",
    "short",
    "porcelain",
  ],
  valued: [
    "m|message",
    "F|file",
    "author",
    "date",
    "C|reuse-message",
    "c|reedit-message",
    "fixup",
    "cleanup",
    "squash",
    "trailer",
  ],
  attached: ["S|gpg-sign", "u"],
};

/** Unsupported options, with alternatives. */
const REFUSED = {
  patch: "add whole files by their paths",
  "gpg-sign": "commit without a signature",
  fixup: "write the message with -m",
  "reedit-message": "use -C",
  squash: "write the message with -m",
  trailer: "write it into the message",
};

export const commit: Subcommand = async (repo, args) => {
  const options = readOptions("commit", args, OPTIONS);
  for (const [name, instead] of Object.entries(REFUSED))
    if (options.has(name)) throw notHere(`commit --${name}`, instead);
  const index = await readIndex(repo);
  await stageAsked(repo, index, options);
  const unmerged = [...unmergedPaths(index).keys()];
  if (unmerged.length > 0) return unresolved(unmerged);
  if (options.has("dry-run"))
    return { stdout: await longStatus(repo, await readStatus(repo, { untracked: "normal" })) };
  const head = await headOid(repo);
  const amended = options.has("amend") ? await amendedCommit(repo, head) : undefined;
  const merged = (await readText(repo.fs, `${repo.gitdir}/MERGE_HEAD`))?.trim().split("\n") ?? [];
  const tree = await writeTree(repo, indexTree(index));
  const parents = amended ? amended.parents : [...(head === undefined ? [] : [head]), ...merged];
  const base = parents[0] === undefined ? undefined : (await readCommit(repo, parents[0])).tree;
  const isSame = parents.length < 2 && (base === undefined ? index.size === 0 : base === tree);
  if (isSame && !options.has("allow-empty") && !amended) return nothingToCommit(repo);
  const message = await messageOf(repo, options, amended);
  if (message === "" && !options.has("allow-empty-message"))
    throw new GitFailure("Aborting commit due to empty commit message.", 1);
  const author = await authorOf(repo, options, amended);
  const subject = message.split("\n", 1)[0] ?? "";
  const kind = amended
    ? " (amend)"
    : parents.length === 0
      ? " (initial)"
      : merged.length > 0
        ? " (merge)"
        : "";
  const made = await makeCommit(repo, {
    tree,
    parents,
    message,
    author,
    note: `commit${kind}: ${subject}`,
  });
  for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"])
    await repo.gitFs.remove(`${repo.gitdir}/${name}`, { force: true });
  if (options.has("quiet")) return {};
  const showsDate = options.has("date") || amended !== undefined || options.has("reuse-message");
  return { stdout: await commitSummary(repo, made, showsDate) };
};

function unresolved(paths: readonly string[]): ShellCommandResult {
  return {
    stdout: paths.map((path) => `U\t${path}\n`).join(""),
    stderr:
      "error: Committing is not possible because you have unmerged files.\n" +
      "hint: Fix them up in the work tree, and then use 'git add/rm <file>'\n" +
      "hint: as appropriate to mark resolution and make a commit.\n" +
      "fatal: Exiting because of an unresolved conflict.\n",
    exitCode: 128,
  };
}

async function stageAsked(repo: Repository, index: Index, options: Options): Promise<void> {
  const operands = [...options.operands, ...(options.paths ?? [])];
  if (!options.has("all") && operands.length === 0) return;
  if (operands.length > 0 && options.has("all"))
    throw fatal(`paths '${operands[0] ?? ""} ...' with -a does not make sense`);
  const filter = pathFilter(repo, operands);
  if (operands.length > 0 && !options.has("include")) {
    // A commit of only these paths would include the other staged changes.
    const other = (await readStatus(repo, { untracked: "no" })).staged.find(
      ({ path }) => !filter(path),
    );
    if (other)
      throw notHere(
        "a commit of some paths while others are staged",
        `unstage ${other.path} first`,
      );
  }
  const worktree = await openWorktree(repo, index);
  const paths = [...new Set([...index.values()].map(({ path }) => path))].filter(filter);
  if (operands.length > 0 && paths.length === 0)
    throw new GitFailure(
      `error: pathspec '${operands[0] ?? ""}' did not match any file(s) known to git`,
      1,
    );
  for (const path of paths) {
    const blob = await worktree.blob(path);
    if (!blob) dropFromIndex(index, path);
    else if (index.get(path)?.oid !== blob.oid || index.get(path)?.mode !== blob.mode)
      await stage(repo, index, path);
  }
  await writeIndex(repo, index);
}

async function amendedCommit(repo: Repository, head: string | undefined): Promise<Commit> {
  if (head === undefined) throw fatal("You have nothing to amend.");
  return readCommit(repo, head);
}

async function nothingToCommit(repo: Repository): Promise<ShellCommandResult> {
  const status = await readStatus(repo, { untracked: "normal" });
  return { stdout: await longStatus(repo, status, { isCommitting: true }), exitCode: 1 };
}

async function messageOf(
  repo: Repository,
  options: Options,
  amended: Commit | undefined,
): Promise<string> {
  const given = options.all("message");
  const keepsComments = options.get("cleanup") !== "strip";
  const signed = async (text: string): Promise<string> => {
    if (!options.has("signoff")) return text;
    const { name, email } = await identity(repo, "COMMITTER");
    const line = `Signed-off-by: ${name} <${email}>\n`;
    if (text.endsWith(line)) return text;
    return `${text}${/\n[\w-]+: .+\n$/.test(text) ? "" : "\n"}${line}`;
  };
  if (given.length > 0) return signed(cleanMessage(given.join("\n\n"), keepsComments));
  const file = options.get("file");
  if (file !== undefined) {
    const text =
      file === "-"
        ? decodeText(await repo.context.input())
        : await readText(repo.fs, repo.context.resolve(file));
    if (text === undefined)
      throw fatal(`could not read log file '${file}': No such file or directory`);
    return signed(cleanMessage(text, keepsComments));
  }
  const reused = options.get("reuse-message");
  if (reused !== undefined)
    return (await readCommit(repo, await resolveCommit(repo, reused))).message;
  if (amended) return signed(amended.message);
  const prepared = await readText(repo.fs, `${repo.gitdir}/MERGE_MSG`);
  // A prepared message loses its comments, as in an editor; with --no-edit they stay.
  if (prepared !== undefined) return cleanMessage(prepared, options.has("no-edit"));
  throw notHere("an editor for the message", "give it with -m or -F");
}

async function authorOf(
  repo: Repository,
  options: Options,
  amended: Commit | undefined,
): Promise<Person | undefined> {
  const reused = options.get("reuse-message");
  const date = options.get("date");
  let author: Person | undefined = options.has("reset-author") ? undefined : amended?.author;
  if (reused !== undefined)
    author = (await readCommit(repo, await resolveCommit(repo, reused))).author;
  const named = options.get("author");
  if (named !== undefined) {
    const found = /^(.*?)\s*<(.*)>$/.exec(named);
    if (!found)
      throw fatal(`--author '${named}' is not 'Name <email>' and matches no existing author`);
    const when = author ?? parseDate(repo.context.env["GIT_AUTHOR_DATE"]);
    author = { ...when, name: found[1] ?? "", email: found[2] ?? "" };
  }
  if (date !== undefined)
    author = { ...(author ?? (await identity(repo, "AUTHOR"))), ...parseDate(date) };
  return author;
}

/** Formats `[main 1234567] Subject` and a summary of the changes. */
export async function commitSummary(
  repo: Repository,
  made: Commit,
  showsDate = false,
): Promise<string> {
  const branch = (await currentBranch(repo)) ?? "detached HEAD";
  const root = made.parents.length === 0 ? " (root-commit)" : "";
  const { author, committer } = made;
  let text = `[${branch}${root} ${short(made.oid)}] ${made.message.split("\n", 1)[0] ?? ""}\n`;
  if (author.name !== committer.name || author.email !== committer.email)
    text += ` Author: ${author.name} <${author.email}>\n`;
  if (showsDate) text += ` Date: ${formatDate(author)}\n`;
  if (made.parents.length > 1) return text;
  const changes = await changesOfCommit(repo, made);
  const style = patchStyle(readOptions("commit", [], {}), ["shortstat"]);
  return (
    text + (await showChanges(changes, blobReader(repo), style)) + changes.map(summaryLine).join("")
  );
}

/** The tree of HEAD; empty before the first commit. */
export async function headTree(repo: Repository) {
  const head = await headOid(repo);
  return flattenTree(repo, head && (await readCommit(repo, head)).tree);
}
