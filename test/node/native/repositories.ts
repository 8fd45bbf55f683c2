import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Git as a person calls it, with no settings but those of the repository. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@example.com",
    GIT_ALLOW_PROTOCOL: "file",
  };
  const { stdout } = await execute("git", args, { cwd, env });
  return stdout.trim();
}

export async function put(path: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, mode);
}

export async function append(path: string, text: string): Promise<void> {
  await put(path, (await readFile(path, "utf8").catch(() => "")) + text);
}

/** A repository with two commits, a changed file, a new one, and nothing unusual. */
export async function ordinary(cwd: string, ...options: string[]): Promise<void> {
  await mkdir(cwd, { recursive: true });
  await git(cwd, "init", "-q", "-b", "main", ...options);
  await put(join(cwd, "a.txt"), "one\n");
  await git(cwd, "add", ".");
  await git(cwd, "commit", "-q", "-m", "one");
  await put(join(cwd, "a.txt"), "one\ntwo\n");
  await git(cwd, "commit", "-q", "-a", "-m", "two");
  await git(cwd, "tag", "v1");
  await put(join(cwd, "a.txt"), "one\ntwo\nthree\n");
  await put(join(cwd, "new.txt"), "new\n");
}

/** Has the next `git status` write the index anew: Git does so for an index that is no newer than its files. */
export const ageIndex = (cwd: string): Promise<void> => utimes(join(cwd, ".git/index"), 1, 1);

/** A stand-in for a program: it logs that it was started, and by what name. */
export interface StandIn {
  program: string;
  log: string;
}

export interface Trap {
  name: string;
  set(cwd: string, standIn: StandIn): Promise<void>;
  /** Where the commands run, seen from the workspace; the workspace itself when omitted. */
  directory?: string;
  /** A command that starts the stand-in when nothing stops it. */
  sprungBy: readonly string[];
}

const config = (cwd: string): string => join(cwd, ".git/config");

/** Settings in the file of the repository. */
function settings(
  name: string,
  sprungBy: readonly string[],
  text: (standIn: StandIn) => string,
  more?: (cwd: string, standIn: StandIn) => Promise<void>,
): Trap {
  return {
    name,
    sprungBy,
    async set(cwd, standIn) {
      await ordinary(cwd);
      await more?.(cwd, standIn);
      await append(config(cwd), text(standIn));
    },
  };
}

const forAll = (attributes: string) => (cwd: string) =>
  put(join(cwd, ".gitattributes"), `* ${attributes}\n`);

/** A commit that says it is signed. */
async function sign(cwd: string): Promise<void> {
  const commit = await git(cwd, "cat-file", "commit", "HEAD");
  const signature =
    "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n =AAAA\n -----END PGP SIGNATURE-----";
  const signed = commit.replace("\n\n", `\n${signature}\n\n`);
  await put(join(cwd, ".git/signed"), `${signed}\n`);
  const id = await git(cwd, "hash-object", "-t", "commit", "-w", ".git/signed");
  await git(cwd, "update-ref", "HEAD", id);
}

/** Takes what the first version of a file was out of the repository, so that Git has to fetch it. */
async function loseAnObject(cwd: string): Promise<void> {
  const id = await git(cwd, "rev-parse", "HEAD~1:a.txt");
  await rm(join(cwd, ".git/objects", id.slice(0, 2), id.slice(2)), { force: true });
}

const hook = ({ program }: StandIn): string => `#!/bin/sh\nexec ${program} hook\n`;

export const TRAPS: readonly Trap[] = [
  settings("core.fsmonitor", ["git status"], ({ program }) => `[core]\n\tfsmonitor = ${program}\n`),
  settings(
    "a header and a setting on one line",
    ["git status"],
    ({ program }) => `[CORE]FsMonitor=${program}\n`,
  ),
  settings(
    "a value of several lines",
    ["git status"],
    ({ program }) => `[core] fsmonitor = \\\n${program}\n`,
  ),
  settings(
    "a value in quotes",
    ["git status"],
    ({ program }) => `[core]\n\tfsmonitor = "${program}" ; harmless\n`,
  ),
  settings("diff.external", ["git diff"], ({ program }) => `[diff]\n\texternal = ${program}\n`),
  settings(
    "diff.*.textconv",
    ["git diff", "git blame a.txt"],
    ({ program }) => `[diff "x"]\n\ttextconv = ${program}\n`,
    forAll("diff=x"),
  ),
  settings(
    "diff.*.command",
    ["git diff"],
    ({ program }) => `[diff "x"]\n\tcommand = ${program}\n`,
    forAll("diff=x"),
  ),
  settings(
    "filter.*.clean",
    ["git diff"],
    ({ program }) => `[filter "x"]\n\tclean = ${program}\n`,
    forAll("filter=x"),
  ),
  settings(
    "filter.*.process",
    ["git diff"],
    ({ program }) => `[filter "x"]\n\tprocess = ${program}\n`,
    forAll("filter=x"),
  ),
  settings(
    "gpg.program",
    ["git log"],
    ({ program }) => `[gpg]\n\tprogram = ${program}\n[log]\n\tshowSignature = true\n`,
    sign,
  ),
  settings(
    "a remote by ext::",
    ["git log -p"],
    ({ program }) =>
      `[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = "ext::${program} %S"\n\tpromisor = true\n[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n`,
    loseAnObject,
  ),
  settings(
    "remote.*.uploadpack",
    ["git log -p"],
    ({ program }) =>
      `[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ./.git\n\tpromisor = true\n\tuploadpack = ${program}\n`,
    loseAnObject,
  ),
  settings(
    "include.path",
    ["git status"],
    () => "[include]\n\tpath = ../more\n",
    (cwd, { program }) => put(join(cwd, "more"), `[core]\n\tfsmonitor = ${program}\n`),
  ),
  settings(
    "includeIf",
    ["git status"],
    () => '[includeIf "gitdir:**"]\n\tpath = ../more\n',
    (cwd, { program }) => put(join(cwd, "more"), `[core]\n\tfsmonitor = ${program}\n`),
  ),
  settings(
    "core.hooksPath",
    ["git status"],
    () => "[core]\n\thooksPath = hooks\n",
    async (cwd, standIn) => {
      await put(join(cwd, "hooks/post-index-change"), hook(standIn), 0o755);
      await ageIndex(cwd);
    },
  ),
  {
    name: "hooks/post-index-change",
    sprungBy: ["git status"],
    async set(cwd, standIn) {
      await ordinary(cwd);
      await put(join(cwd, ".git/hooks/post-index-change"), hook(standIn), 0o755);
      await ageIndex(cwd);
    },
  },
  {
    name: "a submodule's own settings",
    sprungBy: ["git status", "git diff"],
    async set(cwd, { program }) {
      await ordinary(cwd);
      await ordinary(join(cwd, "sub"));
      await git(cwd, "add", "sub");
      await append(join(cwd, "sub/.git/config"), `[core]\n\tfsmonitor = ${program}\n`);
    },
  },
  {
    name: "a submodule of a submodule",
    sprungBy: ["git status"],
    async set(cwd, { program }) {
      await ordinary(cwd);
      await ordinary(join(cwd, "sub"));
      await ordinary(join(cwd, "sub/inner"));
      await git(join(cwd, "sub"), "add", "inner");
      await git(cwd, "add", "sub");
      await git(cwd, "update-index", "--index-version", "4");
      await append(join(cwd, "sub/inner/.git/config"), `[core]\n\tfsmonitor = ${program}\n`);
    },
  },
  {
    name: "a repository within the workspace",
    directory: "nested",
    sprungBy: ["git status"],
    async set(cwd, { program }) {
      await ordinary(cwd);
      await ordinary(join(cwd, "nested"));
      await append(join(cwd, "nested/.git/config"), `[core]\n\tfsmonitor = ${program}\n`);
    },
  },
  {
    name: "a repository above the workspace",
    directory: "src",
    sprungBy: ["git status"],
    async set(cwd, { program }) {
      await ordinary(cwd);
      await mkdir(join(cwd, "src"));
      await append(config(cwd), `[core]\n\tfsmonitor = ${program}\n`);
    },
  },
  {
    name: "a bare repository in the workspace",
    directory: "store",
    sprungBy: ["git log", "git diff HEAD~1 HEAD"],
    async set(cwd, { program }) {
      await ordinary(join(cwd, "made"));
      await rename(join(cwd, "made/.git"), join(cwd, "store"));
      await append(
        join(cwd, "store/config"),
        `[core]\n\tbare = true\n[diff]\n\texternal = ${program}\n[gpg]\n\tprogram = ${program}\n[log]\n\tshowSignature = true\n`,
      );
      await sign(join(cwd, "store")).catch(() => {});
    },
  },
  {
    name: "a workspace that is a bare repository",
    sprungBy: ["git status", "git diff"],
    async set(cwd, { program }) {
      await ordinary(join(cwd, "made"));
      for (const name of ["HEAD", "config", "index", "objects", "refs"])
        await rename(join(cwd, "made/.git", name), join(cwd, name));
      await append(
        join(cwd, "config"),
        `[core]\n\tbare = false\n\tworktree = made\n\tfsmonitor = ${program}\n`,
      );
    },
  },
  {
    name: "a .git that is a link",
    sprungBy: ["git status"],
    async set(cwd, { program }) {
      await ordinary(cwd);
      await rename(join(cwd, ".git"), join(cwd, "store"));
      await symlink("store", join(cwd, ".git"));
      await append(join(cwd, "store/config"), `[core]\n\tfsmonitor = ${program}\n`);
    },
  },
  {
    name: "a .git that is a file",
    sprungBy: ["git status"],
    async set(cwd, { program }) {
      await ordinary(cwd);
      await mkdir(join(cwd, "deep/er"), { recursive: true });
      await rename(join(cwd, ".git"), join(cwd, "deep/store"));
      await symlink("deep/er", join(cwd, "link"));
      // As a kernel follows it: from where the link leads.
      await put(join(cwd, ".git"), "gitdir: link/../store\n");
      await append(join(cwd, "deep/store/config"), `[core]\n\tfsmonitor = ${program}\n`);
    },
  },
  {
    name: "a worktree's own settings",
    directory: "tree",
    sprungBy: ["git status"],
    async set(cwd, { program }) {
      await ordinary(cwd);
      await git(cwd, "config", "extensions.worktreeConfig", "true");
      await git(cwd, "worktree", "add", "-q", "tree", "HEAD~1");
      await append(
        join(cwd, ".git/worktrees/tree/config.worktree"),
        `[core]\n\tfsmonitor = ${program}\n`,
      );
    },
  },
  {
    name: "the settings that worktrees share",
    directory: "tree",
    sprungBy: ["git status"],
    async set(cwd, { program }) {
      await ordinary(cwd);
      await git(cwd, "worktree", "add", "-q", "tree", "HEAD~1");
      await append(config(cwd), `[core]\n\tfsmonitor = ${program}\n`);
    },
  },
];

/** Every command of Git that counts as one that only looks, in a form that has something to show. */
export const LOOKING: readonly string[] = [
  "git status",
  "git status --short",
  "git diff",
  "git diff --stat",
  "git diff --cached",
  "git diff HEAD~1 HEAD",
  "git log",
  "git log -p",
  "git shortlog -sn HEAD",
  "git show",
  "git show HEAD:a.txt",
  "git blame a.txt",
  "git branch -vv",
  "git tag -l",
  "git remote -v",
  "git rev-parse HEAD",
  "git rev-list --objects HEAD",
  "git ls-files -m",
  "git ls-tree HEAD",
  "git cat-file -p HEAD",
  "git describe --tags --dirty",
  "git merge-base HEAD HEAD~1",
  "git name-rev HEAD",
  "git grep -n one",
  "git stash list",
  "git worktree list",
  "git reflog",
  "git submodule status",
  "git --no-pager diff",
];
