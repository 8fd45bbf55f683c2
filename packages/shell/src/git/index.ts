import type { ShellCommand, ShellCommandResult } from "../command.ts";
import { branch, tag } from "./branches.ts";
import { checkout, switchCommand } from "./checkout.ts";
import { clean } from "./clean.ts";
import { commit } from "./commit.ts";
import { diff } from "./diff-command.ts";
import { GitFailure, notHere } from "./failure.ts";
import { log, reflog, show } from "./log.ts";
import { cherryPick, merge, revert } from "./merge.ts";
import { clone, fetchCommand, pull } from "./network.ts";
import { push } from "./push.ts";
import { reset, restore } from "./restore.ts";
import type { GitOptions } from "./options.ts";
import {
  catFile,
  checkIgnore,
  hashObject,
  lsFiles,
  lsTree,
  mergeBaseCommand,
  revList,
  revParse,
  showRef,
  symbolicRef,
} from "./plumbing.ts";
import { findRepository, type Surroundings } from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import { config, init, remote } from "./setup.ts";
import { add, mv, rm } from "./staging.ts";
import { status } from "./status.ts";

const inRepository: Readonly<Record<string, Subcommand>> = {
  add,
  branch,
  "cat-file": catFile,
  "check-ignore": checkIgnore,
  checkout,
  "cherry-pick": cherryPick,
  clean,
  commit,
  diff,
  fetch: fetchCommand,
  "hash-object": hashObject,
  log,
  "ls-files": lsFiles,
  "ls-tree": lsTree,
  merge,
  "merge-base": mergeBaseCommand,
  mv,
  pull,
  push,
  reflog,
  remote,
  reset,
  restore,
  "rev-list": revList,
  "rev-parse": revParse,
  revert,
  rm,
  show,
  "show-ref": showRef,
  stage: add,
  status,
  switch: switchCommand,
  "symbolic-ref": symbolicRef,
  tag,
};

const anywhere: Readonly<
  Record<string, (at: Surroundings, args: readonly string[]) => Promise<ShellCommandResult>>
> = { clone, config, init };

/** Unsupported git commands, with alternatives. */
const absent: Readonly<Record<string, string>> = {
  am: "use patch -p1",
  apply: "use patch -p1",
  archive: "use tar or zip",
  bisect: "check out commits and test them one by one",
  blame: "use git log -p -- file",
  describe: "use git tag and git log",
  difftool: "use git diff",
  "format-patch": "use git show",
  gc: "there is nothing to collect",
  grep: "use grep -rn",
  lfs: "large files are stored as ordinary files",
  mergetool: "edit the files with conflict markers",
  notes: "write the note into the commit message",
  rebase: "use git merge, or git cherry-pick for single commits",
  shortlog: "use git log --format=%an",
  stash: "commit to a temporary branch instead",
  submodule: "clone the other repository separately",
  worktree: "clone into another directory",
};

/**
 * Creates `git` over the files of the command that runs it, `.git` included. It runs no hook, filter, pager or alias.
 */
export function createGit(options: GitOptions): ShellCommand {
  return {
    name: "git",
    async run(args, context) {
      try {
        const { name, rest, cwd, overrides } = readGlobal(args, context.cwd);
        if (name === undefined) return { stdout: usage(), exitCode: 1 };
        if (name === "version") return { stdout: "git version 2.39.5 (isomorphic-git)\n" };
        if (name === "help") return { stdout: usage() };
        const here = {
          ...context,
          cwd,
          resolve: (path: string) =>
            context.resolve(path.startsWith("/") ? path : `${cwd}/${path}`),
        };
        const surroundings: Surroundings = { context: here, options, cwd, overrides };
        const free = Object.hasOwn(anywhere, name) ? anywhere[name] : undefined;
        if (free) return await free(surroundings, rest);
        const command = Object.hasOwn(inRepository, name) ? inRepository[name] : undefined;
        if (command) return await command(await findRepository(surroundings), rest);
        if (Object.hasOwn(absent, name)) throw notHere(`git ${name}`, absent[name] ?? "");
        throw new GitFailure(`git: '${name}' is not a git command. See 'git --help'.`, 1);
      } catch (error) {
        if (error instanceof GitFailure)
          return { stderr: `${error.message}\n`, exitCode: error.exitCode };
        throw error;
      }
    },
  };
}

/**
 * Parses options before the command. Those that would make git run a program, or work elsewhere, are refused or
 * ignored.
 */
function readGlobal(
  args: readonly string[],
  start: string,
): { name: string | undefined; rest: string[]; cwd: string; overrides: Map<string, string> } {
  const rest = [...args];
  const overrides = new Map<string, string>();
  let cwd = start;
  const next = (what: string): string => {
    const value = rest.shift();
    if (value === undefined)
      throw new GitFailure(`no ${what} given for -${what === "directory" ? "C" : "c"}`, 129);
    return value;
  };
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "-C") {
      const path = next("directory");
      cwd = path.startsWith("/") ? path : `${cwd}/${path}`;
    } else if (arg === "-c") {
      const [key = "", ...value] = next("config string").split("=");
      overrides.set(key.toLowerCase(), value.join("="));
    } else if (
      /^--(?:no-pager|paginate|no-optional-locks|literal-pathspecs|no-replace-objects)$|^-[pP]$/.test(
        arg,
      )
    )
      continue;
    else if (arg === "--version" || arg === "-v") return { name: "version", rest, cwd, overrides };
    else if (arg === "--help" || arg === "-h") return { name: "help", rest, cwd, overrides };
    else if (/^--(?:git-dir|work-tree|exec-path|namespace|bare)/.test(arg))
      throw notHere(arg, "change to the repository's directory, or use -C");
    else if (arg.startsWith("-")) throw new GitFailure(`unknown option: ${arg}`, 129);
    else return { name: arg, rest, cwd: cwd.replace(/\/\.$/, "") || "/", overrides };
  }
  return { name: undefined, rest, cwd, overrides };
}

function usage(): string {
  const names = [...Object.keys(inRepository), ...Object.keys(anywhere)].sort();
  return `usage: git [-C <path>] [-c <name>=<value>] <command> [<args>]\n\nCommands of this git: ${names.join(", ")}.\n`;
}
