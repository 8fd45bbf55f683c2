import * as engine from "#isomorphic-git";
import type { ShellCommandResult } from "../command.ts";
import { readOptions } from "./arguments.ts";
import { fatal, GitFailure, notHere } from "./failure.ts";
import {
  configText,
  configured,
  findRepository,
  globalConfig,
  join,
  readText,
  type Repository,
  repositoryAt,
  statOf,
  type Surroundings,
} from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import { assertSafeSetting } from "./safe-settings.ts";

export async function init(
  surroundings: Surroundings,
  args: readonly string[],
): Promise<ShellCommandResult> {
  const options = readOptions("init", args, {
    flags: ["q|quiet", "bare"],
    valued: ["b|initial-branch", "template", "separate-git-dir", "object-format"],
  });
  for (const name of ["bare", "separate-git-dir", "object-format"])
    if (options.has(name)) throw notHere(`init --${name}`, "use git init");
  const { context } = surroundings;
  const dir =
    options.operands[0] === undefined ? surroundings.cwd : context.resolve(options.operands[0]);
  await context.fs.mkdir(dir, { recursive: true });
  const repo = repositoryAt(surroundings, await context.fs.realpath(dir));
  const isThere = (await statOf(context.fs, `${repo.gitdir}/HEAD`)) !== undefined;
  const branch =
    options.get("initial-branch") ??
    (await configured(repo, "init.defaultBranch").catch(() => undefined)) ??
    "main";
  if (!isThere) await engine.init({ ...repo.at, defaultBranch: branch });
  const verb = isThere ? "Reinitialized existing" : "Initialized empty";
  return { stdout: options.has("quiet") ? "" : `${verb} Git repository in ${repo.gitdir}/\n` };
}

/** Reads and writes values in files only: no value makes git start a program. */
export async function config(
  surroundings: Surroundings,
  args: readonly string[],
): Promise<ShellCommandResult> {
  const options = readOptions("config", args, {
    flags: [
      "global",
      "local",
      "get",
      "get-all",
      "l|list",
      "unset",
      "unset-all",
      "add",
      "system",
      "bool",
      "int",
      "path",
      "name-only",
      "show-origin",
      "z|null",
      "e|edit",
      "replace-all",
    ],
    valued: ["type", "default", "f|file"],
  });
  for (const name of ["system", "file", "edit", "show-origin"])
    if (options.has(name))
      throw notHere(`config --${name}`, "use the repository's configuration or --global");
  const { fs, env } = surroundings.context;
  const home = env["HOME"];
  const isGlobal = options.has("global");
  if (isGlobal && home === undefined) throw fatal("$HOME not set");
  const repo = isGlobal ? undefined : await findRepository(surroundings).catch(() => undefined);
  const place = isGlobal && home !== undefined ? await globalConfig(fs, home) : repo?.at;
  const [path, value] = options.operands;
  if (options.has("list"))
    return { stdout: await listConfig(repo, isGlobal ? home : undefined, surroundings) };
  if (path === undefined) throw new GitFailure("usage: git config [<options>]", 129);
  if (!path.includes("."))
    throw new GitFailure(`error: key does not contain a section: ${path}`, 1);
  if (options.has("unset") || options.has("unset-all")) {
    if (!place) throw fatal("not in a git directory");
    const before: unknown = await engine.getConfig({ ...place, path });
    if (before === undefined) return { exitCode: 5 };
    await engine.setConfig({ ...place, path, value: undefined });
    return {};
  }
  if (value !== undefined) {
    if (!place) throw fatal("not in a git directory");
    if (isGlobal && home !== undefined && !(await statOf(fs, join(home, ".gitconfig"))))
      await fs.writeFile(join(home, ".gitconfig"), "");
    if (repo && !isGlobal) assertSafeSetting(repo, path, value);
    await engine.setConfig({ ...place, path, value, append: options.has("add") });
    return {};
  }
  const found = await valueOf(repo, place, path, isGlobal);
  const shown = found ?? options.get("default");
  return shown === undefined ? { exitCode: 1 } : { stdout: `${shown}\n` };
}

async function valueOf(
  repo: Repository | undefined,
  place: { fs: engine.PromiseFsClient; gitdir: string } | undefined,
  path: string,
  isGlobal: boolean,
): Promise<string | undefined> {
  if (repo && !isGlobal) return configured(repo, path);
  if (!place) return undefined;
  return configText(await engine.getConfig({ ...place, path }));
}

async function listConfig(
  repo: Repository | undefined,
  home: string | undefined,
  { context }: Surroundings,
): Promise<string> {
  const person = home ?? context.env["HOME"];
  const texts = [
    person === undefined ? undefined : await readText(context.fs, join(person, ".gitconfig")),
    repo && home === undefined ? await readText(context.fs, `${repo.gitdir}/config`) : undefined,
  ];
  let lines = "";
  for (const text of texts) {
    let section = "";
    for (const line of (text ?? "").split("\n")) {
      const head = /^\s*\[\s*([\w.-]+)(?:\s+"(.*)")?\s*\]/.exec(line);
      if (head)
        section = `${(head[1] ?? "").toLowerCase()}${head[2] === undefined ? "" : `.${head[2]}`}`;
      const entry = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(line.trim());
      if (!head && entry)
        lines += `${section}.${(entry[1] ?? "").toLowerCase()}${entry[2] === undefined ? "" : `=${entry[2]}`}\n`;
    }
  }
  return lines;
}

export const remote: Subcommand = async (repo, args) => {
  const options = readOptions("remote", args, { flags: ["v|verbose", "f"] });
  const [verb, name, url] = options.operands;
  const remotes = (await engine.listRemotes(repo.at)).sort((one, other) =>
    one.remote < other.remote ? -1 : 1,
  );
  const known = remotes.find((one) => one.remote === name);
  const missing = (): Error => new GitFailure(`error: No such remote '${name ?? ""}'`, 2);
  switch (verb) {
    case undefined:
      return {
        stdout: remotes
          .map((one) =>
            options.has("verbose")
              ? `${one.remote}\t${one.url} (fetch)\n${one.remote}\t${one.url} (push)\n`
              : `${one.remote}\n`,
          )
          .join(""),
      };
    case "add":
      if (name === undefined || url === undefined)
        throw new GitFailure("usage: git remote add [<options>] <name> <url>", 129);
      if (known) throw new GitFailure(`error: remote ${name} already exists.`, 3);
      assertSafeSetting(repo, `remote.${name}.url`, url);
      await engine.addRemote({ ...repo.at, remote: name, url });
      return {};
    case "remove":
    case "rm":
      if (!known) throw new GitFailure(`error: No such remote: '${name ?? ""}'`, 2);
      await engine.deleteRemote({ ...repo.at, remote: known.remote });
      await repo.gitFs.remove(`${repo.gitdir}/refs/remotes/${known.remote}`, {
        recursive: true,
        force: true,
      });
      return {};
    case "get-url":
      if (!known) throw missing();
      return { stdout: `${known.url}\n` };
    case "set-url":
      if (!known || url === undefined) throw missing();
      assertSafeSetting(repo, `remote.${known.remote}.url`, url);
      await engine.addRemote({ ...repo.at, remote: known.remote, url, force: true });
      return {};
  }
  throw notHere(`remote ${verb}`, "use add, remove, get-url or set-url");
};
