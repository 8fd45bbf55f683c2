import { encodeText } from "@robota/runtime/ports";
import * as engine from "#isomorphic-git";
import type { ShellCommandResult } from "../command.ts";
import { assertBranchName } from "./checkout.ts";
import { readOptions } from "./arguments.ts";
import { fatal, GitFailure, notHere } from "./failure.ts";
import { subjectOf } from "./output/log-format.ts";
import { cleanMessage } from "./commit.ts";
import { formatZone, identity } from "./repository/people.ts";
import { noteMove } from "./repository/reflog.ts";
import type { Repository } from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import {
  ancestors,
  currentBranch,
  headOid,
  readCommit,
  refOid,
  resolve,
  resolveCommit,
  short,
  upstreamOf,
} from "./repository/revisions.ts";
import { writeSetting } from "./safe-settings.ts";

export const branch: Subcommand = async (repo, args) => {
  const options = readOptions("branch", args, {
    flags: [
      "d|delete",
      "D",
      "m|move",
      "M",
      "c|copy",
      "a|all",
      "r|remotes",
      "v|verbose",
      "vv",
      "show-current",
      "f|force",
      "q|quiet",
      "l|list",
      "no-color",
      "no-track",
      "unset-upstream",
      "t|track",
      "i|ignore-case",
    ],
    valued: ["u|set-upstream-to", "format", "sort", "points-at"],
    attached: ["color", "column", "contains", "merged", "no-merged"],
  });
  if (options.has("show-current")) {
    const name = await currentBranch(repo);
    return { stdout: name === undefined ? "" : `${name}\n` };
  }
  if (options.has("delete") || options.has("D"))
    return deleteBranches(repo, options.operands, options.has("D") || options.has("force"));
  if (options.has("move") || options.has("M"))
    return renameBranch(repo, options.operands, options.has("M"));
  if (options.has("copy")) throw notHere("branch --copy", "use git branch new old");
  const upstream = options.get("set-upstream-to");
  if (upstream !== undefined) return follow(repo, options.operands[0], upstream);
  const [name, start = "HEAD"] = options.operands;
  const isList = ["list", "all", "remotes", "contains", "merged", "no-merged", "format"].some(
    (one) => options.has(one),
  );
  if (name !== undefined && !isList) {
    if ((await refOid(repo, `refs/heads/${name}`)) && !options.has("force"))
      throw fatal(`a branch named '${name}' already exists`);
    assertBranchName(name);
    const oid = await resolveCommit(repo, start).catch(() => {
      throw fatal(`not a valid object name: '${start}'`);
    });
    await engine.writeRef({ ...repo.at, ref: `refs/heads/${name}`, value: oid, force: true });
    await noteMove(repo, [`refs/heads/${name}`], undefined, oid, `branch: Created from ${start}`);
    return {};
  }
  // `--merged main` names a commit; without a value it means HEAD.
  const asked = ["contains", "merged", "no-merged"].filter((one) => options.has(one));
  const word = (one: string): string | undefined =>
    options.has(one) ? options.get(one) || name || "HEAD" : undefined;
  return listBranches(repo, {
    local: !options.has("remotes"),
    remote: options.has("remotes") || options.has("all"),
    verbose: options.has("verbose") || options.has("vv"),
    all: options.has("all"),
    contains: word("contains"),
    merged: word("merged"),
    unmerged: word("no-merged"),
    format: options.get("format"),
    pattern: asked.length > 0 ? undefined : name,
  });
};

interface Listing {
  local: boolean;
  remote: boolean;
  verbose: boolean;
  all: boolean;
  contains: string | undefined;
  merged: string | undefined;
  unmerged: string | undefined;
  format: string | undefined;
  pattern: string | undefined;
}

async function listBranches(repo: Repository, how: Listing): Promise<ShellCommandResult> {
  const current = await currentBranch(repo);
  const head = await headOid(repo);
  const rows: { name: string; oid: string; mark: string }[] = [];
  if (how.local && current === undefined && head !== undefined)
    rows.push({ name: `(HEAD detached at ${short(head)})`, oid: head, mark: "*" });
  if (how.local)
    for (const name of (await engine.listBranches(repo.at)).sort())
      rows.push({
        name,
        oid: (await refOid(repo, `refs/heads/${name}`)) ?? "",
        mark: name === current ? "*" : " ",
      });
  if (how.remote)
    for (const { remote } of await engine.listRemotes(repo.at))
      for (const name of (await engine.listBranches({ ...repo.at, remote })).sort()) {
        const shown = `${how.all ? "remotes/" : ""}${remote}/${name}`;
        rows.push({
          name: shown,
          oid: (await refOid(repo, `refs/remotes/${remote}/${name}`)) ?? "",
          mark: " ",
        });
      }
  const kept: typeof rows = [];
  for (const row of rows) if (await isListed(repo, row, how)) kept.push(row);
  const width = Math.max(0, ...kept.map(({ name }) => name.length));
  let stdout = "";
  for (const { name, oid, mark } of kept) {
    if (how.format !== undefined) {
      const fields: Record<string, string> = {
        "refname:short": name,
        refname: `refs/heads/${name}`,
        "objectname:short": short(oid),
        objectname: oid,
        HEAD: mark,
      };
      stdout += `${how.format.replace(/%\(([^)]*)\)/g, (whole, field: string) => fields[field] ?? whole)}\n`;
    } else if (how.verbose) {
      stdout += `${mark} ${name.padEnd(width)} ${short(oid)} ${subjectOf(await readCommit(repo, oid))}\n`;
    } else stdout += `${mark} ${name}\n`;
  }
  return { stdout };
}

async function isListed(
  repo: Repository,
  { name, oid }: { name: string; oid: string },
  how: Listing,
): Promise<boolean> {
  if (how.pattern !== undefined) {
    const source = how.pattern
      .replace(/[.+^${}()|\\]/g, String.raw`\$&`)
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
    if (!new RegExp(`^${source}$`).test(name)) return false;
  }
  if (how.contains !== undefined) {
    const wanted = await resolveCommit(repo, how.contains || "HEAD");
    if (!(await ancestors(repo, [oid])).has(wanted)) return false;
  }
  for (const [revision, expected] of [
    [how.merged, true],
    [how.unmerged, false],
  ] as const) {
    if (revision === undefined) continue;
    const within = await ancestors(repo, [await resolveCommit(repo, revision || "HEAD")]);
    if (within.has(oid) !== expected) return false;
  }
  return true;
}

async function deleteBranches(
  repo: Repository,
  names: readonly string[],
  force: boolean,
): Promise<ShellCommandResult> {
  if (names.length === 0) throw fatal("branch name required");
  let [stdout, stderr] = ["", ""];
  const current = await currentBranch(repo);
  for (const name of names) {
    const oid = await refOid(repo, `refs/heads/${name}`);
    if (name === current)
      stderr += `error: Cannot delete branch '${name}' checked out at '${repo.dir}'\n`;
    else if (oid === undefined) stderr += `error: branch '${name}' not found.\n`;
    else if (!force && !(await isMerged(repo, name, oid)))
      stderr += `error: The branch '${name}' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D ${name}'.\n`;
    else {
      await engine.deleteRef({ ...repo.at, ref: `refs/heads/${name}` });
      await repo.gitFs.remove(`${repo.gitdir}/logs/refs/heads/${name}`, { force: true });
      stdout += `Deleted branch ${name} (was ${short(oid)}).\n`;
    }
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
}

async function isMerged(repo: Repository, name: string, oid: string): Promise<boolean> {
  const upstream = await upstreamOf(repo, name);
  const into = (upstream && (await refOid(repo, upstream.full))) ?? (await headOid(repo));
  return into !== undefined && (await ancestors(repo, [into])).has(oid);
}

async function renameBranch(
  repo: Repository,
  names: readonly string[],
  force: boolean,
): Promise<ShellCommandResult> {
  const current = await currentBranch(repo);
  const [from, to] = names.length > 1 ? names : [current, names[0]];
  if (to === undefined || from === undefined) throw fatal("branch name required");
  assertBranchName(to);
  const oid = await refOid(repo, `refs/heads/${from}`);
  if (oid === undefined && from !== current)
    throw new GitFailure(
      `error: refname refs/heads/${from} not found\nfatal: Branch rename failed`,
    );
  if (from !== to && !force && (await refOid(repo, `refs/heads/${to}`)))
    throw fatal(`a branch named '${to}' already exists`);
  if (oid !== undefined && from !== to) {
    await engine.deleteRef({ ...repo.at, ref: `refs/heads/${from}` });
    await engine.writeRef({ ...repo.at, ref: `refs/heads/${to}`, value: oid, force: true });
  }
  if (from === current) {
    await repo.gitFs.writeFile(`${repo.gitdir}/HEAD`, `ref: refs/heads/${to}\n`);
    if (oid !== undefined)
      await noteMove(
        repo,
        ["HEAD"],
        oid,
        oid,
        `Branch: renamed refs/heads/${from} to refs/heads/${to}`,
      );
  }
  return {};
}

async function follow(
  repo: Repository,
  given: string | undefined,
  upstream: string,
): Promise<ShellCommandResult> {
  const name = given ?? (await currentBranch(repo));
  if (name === undefined)
    throw fatal("could not set upstream of HEAD when it does not point to any branch.");
  const [remote = "", ...rest] = upstream.split("/");
  const isRemote = (await refOid(repo, `refs/remotes/${upstream}`)) !== undefined;
  if (!isRemote && !(await refOid(repo, `refs/heads/${upstream}`)))
    throw fatal(`the requested upstream branch '${upstream}' does not exist`);
  const target = isRemote ? rest.join("/") : upstream;
  await writeSetting(repo, `branch.${name}.remote`, isRemote ? remote : ".");
  await writeSetting(repo, `branch.${name}.merge`, `refs/heads/${target}`);
  return { stdout: `branch '${name}' set up to track '${upstream}'.\n` };
}

export const tag: Subcommand = async (repo, args) => {
  const options = readOptions("tag", args, {
    flags: ["a|annotate", "d|delete", "l|list", "f|force", "s|sign"],
    valued: ["m|message", "F|file", "sort", "contains", "points-at", "format"],
    attached: ["n"],
  });
  if (options.has("sign")) throw notHere("tag --sign", "use -a");
  const [name, target = "HEAD"] = options.operands;
  if (options.has("delete")) {
    let [stdout, stderr] = ["", ""];
    for (const one of options.operands) {
      const oid = await refOid(repo, `refs/tags/${one}`);
      if (oid === undefined) stderr += `error: tag '${one}' not found.\n`;
      else {
        await engine.deleteRef({ ...repo.at, ref: `refs/tags/${one}` });
        stdout += `Deleted tag '${one}' (was ${short(oid)})\n`;
      }
    }
    return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
  }
  if (name === undefined || options.has("list")) {
    const pattern = name
      ?.replace(/[.+^${}()|\\]/g, String.raw`\$&`)
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
    const names = (await engine.listTags(repo.at)).sort();
    const kept =
      pattern === undefined ? names : names.filter((one) => new RegExp(`^${pattern}$`).test(one));
    return { stdout: kept.map((one) => `${one}\n`).join("") };
  }
  if ((await refOid(repo, `refs/tags/${name}`)) && !options.has("force"))
    throw fatal(`tag '${name}' already exists`);
  assertBranchName(name);
  const object = await resolve(repo, target);
  const isAnnotated = options.has("annotate") || options.has("message") || options.has("file");
  if (!isAnnotated) {
    await engine.writeRef({ ...repo.at, ref: `refs/tags/${name}`, value: object, force: true });
    return {};
  }
  if (!options.has("message")) throw notHere("an editor for the message", "give it with -m");
  const { type } = await engine.readObject({ ...repo.at, oid: object });
  const tagger = await identity(repo, "COMMITTER");
  const who = `${tagger.name} <${tagger.email}> ${tagger.timestamp} ${formatZone(tagger.timezoneOffset)}`;
  const message = cleanMessage(options.all("message").join("\n\n"));
  const text = `object ${object}\ntype ${type}\ntag ${name}\ntagger ${who}\n\n${message}`;
  const value = await engine.writeObject({
    ...repo.at,
    type: "tag",
    object: encodeText(text),
    format: "content",
  });
  await engine.writeRef({ ...repo.at, ref: `refs/tags/${name}`, value, force: true });
  return {};
};
