import * as engine from "#isomorphic-git";
import type { ShellCommandResult } from "../command.ts";
import { readOptions } from "./arguments.ts";
import { fatal, GitFailure, notHere } from "./failure.ts";
import { subjectOf } from "./output/log-format.ts";
import { moveTo, resetHard } from "./repository/moves.ts";
import { checkoutPaths } from "./restore.ts";
import { noteMove } from "./repository/reflog.ts";
import { flattenTree, readIndex, type Repository } from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import {
  currentBranch,
  headOid,
  previousBranch,
  readCommit,
  refOid,
  resolveCommit,
  short,
  treeOf,
  tryResolve,
} from "./repository/revisions.ts";
import { readStatus, trackingWords, unmergedPaths } from "./status.ts";
import { writeSetting } from "./safe-settings.ts";

interface Switch {
  /** A branch, or a commit to detach HEAD at. */
  target: string;
  create?: { name: string; resets: boolean } | undefined;
  detach: boolean;
  force: boolean;
  quiet: boolean;
}

async function switchTo(repo: Repository, how: Switch): Promise<ShellCommandResult> {
  const before = await currentBranch(repo);
  const head = await headOid(repo);
  const isBranch = (await refOid(repo, `refs/heads/${how.target}`)) !== undefined;
  const name = how.create?.name ?? (isBranch && !how.detach ? how.target : undefined);
  if (how.create && !how.create.resets && (await refOid(repo, `refs/heads/${how.create.name}`)))
    throw fatal(`a branch named '${how.create.name}' already exists`);
  if (how.create) assertBranchName(how.create.name);
  if (head === undefined && how.create && how.target === "HEAD") {
    await repo.gitFs.writeFile(`${repo.gitdir}/HEAD`, `ref: refs/heads/${how.create.name}\n`);
    return { stderr: how.quiet ? "" : `Switched to a new branch '${how.create.name}'\n` };
  }
  const oid = await resolveCommit(repo, isBranch ? `refs/heads/${how.target}` : how.target);
  if (name !== undefined && name === before && !how.create) {
    const words = await trackingWords(repo, name, oid);
    return {
      stdout: (await localChanges(repo)) + words,
      stderr: how.quiet ? "" : `Already on '${name}'\n`,
    };
  }
  if (unmergedPaths(await readIndex(repo)).size > 0 && !how.force)
    throw new GitFailure(
      `${[...unmergedPaths(await readIndex(repo)).keys()].map((path) => `${path}: needs merge\n`).join("")}error: you need to resolve your current index first`,
      1,
    );
  if (how.force) await resetHard(repo, oid);
  else if (oid !== head)
    await moveTo(repo, await flattenTree(repo, await treeOf(repo, oid)), "checkout");
  if (how.create) {
    await engine.writeRef({
      ...repo.at,
      ref: `refs/heads/${how.create.name}`,
      value: oid,
      force: true,
    });
    await noteMove(
      repo,
      [`refs/heads/${how.create.name}`],
      undefined,
      oid,
      `branch: Created from ${how.target}`,
    );
  }
  await repo.gitFs.writeFile(
    `${repo.gitdir}/HEAD`,
    name === undefined ? `${oid}\n` : `ref: refs/heads/${name}\n`,
  );
  const from = before ?? head ?? "";
  await noteMove(
    repo,
    ["HEAD"],
    head,
    oid,
    `checkout: moving from ${from} to ${name ?? how.target}`,
  );
  if (how.quiet) return {};
  const takesAlong = !how.create || oid !== head;
  return {
    stdout:
      (takesAlong ? await localChanges(repo) : "") +
      (name && !how.create ? await trackingWords(repo, name, oid) : ""),
    stderr: await switchWords(repo, how, { before, head, name, oid }),
  };
}

async function switchWords(
  repo: Repository,
  how: Switch,
  {
    before,
    head,
    name,
    oid,
  }: {
    before: string | undefined;
    head: string | undefined;
    name: string | undefined;
    oid: string;
  },
): Promise<string> {
  const describe = async (id: string): Promise<string> =>
    `${short(id)} ${subjectOf(await readCommit(repo, id))}\n`;
  let text = "";
  if (before === undefined && head !== undefined && head !== oid)
    text += `Previous HEAD position was ${await describe(head)}`;
  if (how.create) return `${text}Switched to a new branch '${how.create.name}'\n`;
  if (name !== undefined) return `${text}Switched to branch '${name}'\n`;
  if (before !== undefined && !how.detach)
    text +=
      `Note: switching to '${how.target}'.\n\nYou are in 'detached HEAD' state. You can look around, make experimental\n` +
      "changes and commit them, and you can discard any commits you make in this\n" +
      "state without impacting any branches by switching back to a branch.\n\n" +
      "If you want to create a new branch to retain commits you create, you may\n" +
      "do so (now or later) by using -c with the switch command. Example:\n\n" +
      "  git switch -c <new-branch-name>\n\nOr undo this operation with:\n\n  git switch -\n\n" +
      "Turn off this advice by setting config variable advice.detachedHead to false\n\n";
  return `${text}HEAD is now at ${await describe(oid)}`;
}

/** Lists the files with local changes, which a checkout keeps. */
async function localChanges(repo: Repository): Promise<string> {
  const { staged, unstaged } = await readStatus(repo, { untracked: "no" });
  const letters = new Map<string, string>();
  for (const { path, status, from } of [...staged, ...unstaged]) {
    if (from !== undefined) letters.set(from, "D");
    letters.set(path, status === "R" ? "A" : (letters.get(path) ?? status));
  }
  return [...letters]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, letter]) => `${letter}\t${path}\n`)
    .join("");
}

export function assertBranchName(name: string): void {
  if (name === "HEAD" || /^[-.]|[\s~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$|\.lock$|^\/|^@$/.test(name))
    throw fatal(`'${name}' is not a valid branch name`);
}

async function withPrevious(repo: Repository, target: string): Promise<string> {
  if (target !== "-") return target;
  const previous = await previousBranch(repo, 1);
  if (previous === undefined)
    throw new GitFailure("error: pathspec '-' did not match any file(s) known to git", 1);
  return previous;
}

export const checkout: Subcommand = async (repo, args) => {
  const options = readOptions("checkout", args, {
    flags: [
      "q|quiet",
      "f|force",
      "d|detach",
      "ours",
      "theirs",
      "p|patch",
      "m|merge",
      "no-track",
      "progress",
      "t|track",
      "l",
    ],
    valued: ["b", "B", "orphan", "conflict"],
  });
  for (const name of ["patch", "merge", "orphan", "conflict"])
    if (options.has(name)) throw notHere(`checkout --${name}`, "check out whole files or branches");
  const created = options.get("b") ?? options.get("B");
  const [first, ...rest] = options.operands;
  if (created !== undefined)
    return switchTo(repo, {
      target: first === undefined ? "HEAD" : await withPrevious(repo, first),
      create: { name: created, resets: options.has("B") },
      detach: false,
      force: options.has("force"),
      quiet: options.has("quiet"),
    });
  const side = options.has("ours") ? 2 : options.has("theirs") ? 3 : undefined;
  const isRevision =
    first !== undefined && (first === "-" || (await tryResolve(repo, first)) !== undefined);
  if (options.paths || rest.length > 0 || side || (first !== undefined && !isRevision)) {
    const hasTree =
      first !== undefined && isRevision && (options.paths !== undefined || rest.length > 0);
    const paths = [...(hasTree ? rest : options.operands), ...(options.paths ?? [])];
    if (paths.length > 0) {
      const remote =
        !hasTree && paths.length === 1 && !options.paths
          ? await trackRemote(repo, paths[0] ?? "", options.has("quiet"))
          : undefined;
      return (
        remote ??
        checkoutPaths(repo, paths, {
          revision: hasTree ? first : undefined,
          side,
          quiet: options.paths !== undefined || options.has("quiet"),
        })
      );
    }
  }
  if (first === undefined && !options.has("force")) return { stdout: await localChanges(repo) };
  return switchTo(repo, {
    target: await withPrevious(repo, first ?? "HEAD"),
    detach: options.has("detach"),
    force: options.has("force"),
    quiet: options.has("quiet"),
  });
};

/** Creates a tracking branch for a name that exactly one remote has. */
async function trackRemote(
  repo: Repository,
  name: string,
  quiet: boolean,
): Promise<ShellCommandResult | undefined> {
  const found: string[] = [];
  for (const { remote } of await engine.listRemotes(repo.at))
    if (await refOid(repo, `refs/remotes/${remote}/${name}`)) found.push(remote);
  const [remote] = found;
  if (found.length !== 1 || remote === undefined) return undefined;
  const result = await switchTo(repo, {
    target: `refs/remotes/${remote}/${name}`,
    create: { name, resets: false },
    detach: false,
    force: false,
    quiet,
  });
  await writeSetting(repo, `branch.${name}.remote`, remote);
  await writeSetting(repo, `branch.${name}.merge`, `refs/heads/${name}`);
  return { ...result, stdout: `branch '${name}' set up to track '${remote}/${name}'.\n` };
}

export const switchCommand: Subcommand = async (repo, args) => {
  const options = readOptions("switch", args, {
    flags: [
      "q|quiet",
      "d|detach",
      "f|force|discard-changes",
      "no-track",
      "t|track",
      "guess",
      "m|merge",
    ],
    valued: ["c|create", "C|force-create", "orphan"],
  });
  for (const name of ["merge", "orphan"])
    if (options.has(name)) throw notHere(`switch --${name}`, "commit first, then switch");
  const created = options.get("create") ?? options.get("force-create");
  const [first] = options.operands;
  if (first === undefined && created === undefined)
    throw fatal("missing branch or commit argument");
  const target = first === undefined ? "HEAD" : await withPrevious(repo, first);
  const isBranch = (await refOid(repo, `refs/heads/${target}`)) !== undefined;
  const base = {
    detach: options.has("detach"),
    force: options.has("discard-changes"),
    quiet: options.has("quiet"),
  };
  if (created === undefined && !isBranch && !base.detach) {
    const tracked = await trackRemote(repo, target, base.quiet);
    if (tracked) return tracked;
    if ((await tryResolve(repo, target)) === undefined) throw fatal(`invalid reference: ${target}`);
    throw fatal(
      `a branch is expected, got commit '${target}'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.`,
    );
  }
  return switchTo(repo, {
    ...base,
    target,
    create:
      created === undefined ? undefined : { name: created, resets: options.has("force-create") },
  });
};
