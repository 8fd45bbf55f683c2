import { decodeText } from "@robota/runtime/ports";
import * as engine from "#isomorphic-git";
import { readOptions } from "./arguments.ts";
import { fatal, GitFailure, notHere } from "./failure.ts";
import { history } from "./repository/history.ts";
import { ignoreRules } from "./repository/ignore-rules.ts";
import { pathFilter, quotePath, rootPath } from "./pathspec.ts";
import {
  blobOf,
  flattenTree,
  hashBlob,
  join,
  readIndex,
  type Repository,
  statOf,
} from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import {
  currentBranch,
  mergeBase,
  peel,
  refOid,
  resolve,
  resolveCommit,
  treeOf,
  tryResolve,
  upstreamOf,
} from "./repository/revisions.ts";
import { untracked, worktreeTree } from "./repository/worktree.ts";

export const revParse: Subcommand = async (repo, args) => {
  const lines: string[] = [];
  let [isVerified, isQuiet, isShort, isName] = [false, false, 0, false];
  for (const arg of args) {
    const given: Record<string, () => string | undefined> = {
      "--show-toplevel": () => repo.dir,
      "--git-dir": () => (repo.prefix === "" ? ".git" : repo.gitdir),
      "--absolute-git-dir": () => repo.gitdir,
      "--git-common-dir": () => (repo.prefix === "" ? ".git" : repo.gitdir),
      "--show-prefix": () => repo.prefix,
      "--show-cdup": () => "../".repeat(repo.prefix.split("/").length - 1),
      "--is-inside-work-tree": () => "true",
      "--is-inside-git-dir": () => "false",
      "--is-bare-repository": () => "false",
      "--is-shallow-repository": () => "false",
      "--verify": () => void (isVerified = true),
      "--quiet": () => void (isQuiet = true),
      "-q": () => void (isQuiet = true),
      "--short": () => void (isShort = 7),
      "--abbrev-ref": () => void (isName = true),
      "--symbolic-full-name": () => undefined,
    };
    const fact = given[arg];
    if (fact) {
      const line = fact();
      if (line !== undefined) lines.push(line);
      continue;
    }
    const length = /^--short=(\d+)$/.exec(arg)?.[1];
    if (length !== undefined) {
      isShort = Number(length);
      continue;
    }
    if (isName && !arg.startsWith("-")) {
      lines.push(await refName(repo, arg));
      continue;
    }
    const range = /^(.*?)\.\.(.*)$/.exec(arg);
    if (range) {
      const [from, to] = [
        await resolve(repo, range[1] || "HEAD"),
        await resolve(repo, range[2] || "HEAD"),
      ];
      lines.push(to, `^${from}`);
      continue;
    }
    const oid = await tryResolve(repo, arg).catch(() => undefined);
    if (oid === undefined) {
      if (isQuiet) return { stdout: linesOf(lines), exitCode: 1 };
      if (isVerified) throw fatal("Needed a single revision");
      if (arg.startsWith("-")) {
        lines.push(arg);
        continue;
      }
      try {
        await resolve(repo, arg);
      } catch (error) {
        if (!(error instanceof GitFailure)) throw error;
        lines.push(arg);
        return {
          stdout: linesOf(lines),
          stderr: `${error.message}
`,
          exitCode: error.exitCode,
        };
      }
    }
    lines.push(isShort > 0 ? (oid ?? "").slice(0, Math.max(4, isShort)) : (oid ?? ""));
  }
  return { stdout: linesOf(lines) };
};

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

async function refName(repo: Repository, revision: string): Promise<string> {
  if (revision === "HEAD" || revision === "@") {
    await resolve(repo, "HEAD");
    return (await currentBranch(repo)) ?? "HEAD";
  }
  const upstream = /^(.*)@\{u(?:pstream)?\}$/.exec(revision);
  if (upstream) {
    const branch = upstream[1] || (await currentBranch(repo));
    const found = branch === undefined ? undefined : await upstreamOf(repo, branch);
    if (!found) throw fatal(`no upstream configured for branch '${branch ?? "HEAD"}'`);
    return found.short;
  }
  await resolve(repo, revision);
  return revision;
}

export const revList: Subcommand = async (repo, args) => {
  const options = readOptions("rev-list", args, {
    flags: ["count", "all", "no-merges", "merges", "reverse", "first-parent"],
    valued: ["n|max-count"],
  });
  const revisions = [...options.operands];
  if (options.has("all"))
    revisions.push(...(await engine.listBranches(repo.at)).map((name) => `refs/heads/${name}`));
  if (revisions.length === 0)
    throw new GitFailure("usage: git rev-list [<options>] <commit>... [--] [<path>...]", 129);
  const found: string[] = [];
  const most = Number(options.get("max-count") ?? Number.POSITIVE_INFINITY);
  const paths = options.paths;
  for await (const { oid, parents } of history(repo, {
    revisions,
    firstParent: options.has("first-parent"),
    filter: paths && paths.length > 0 ? pathFilter(repo, paths) : undefined,
  })) {
    if (options.has("no-merges") && parents.length > 1) continue;
    if (options.has("merges") && parents.length < 2) continue;
    if (found.length >= most) break;
    found.push(oid);
  }
  if (options.has("reverse")) found.reverse();
  if (options.has("count")) return { stdout: `${found.length}\n` };
  return { stdout: found.map((oid) => `${oid}\n`).join("") };
};

export const lsFiles: Subcommand = async (repo, args) => {
  const options = readOptions("ls-files", args, {
    flags: [
      "c|cached",
      "o|others",
      "m|modified",
      "d|deleted",
      "s|stage",
      "u|unmerged",
      "z",
      "exclude-standard",
      "i|ignored",
      "error-unmatch",
      "full-name",
      "directory",
      "t",
    ],
  });
  const operands = [...options.operands, ...(options.paths ?? [])];
  const index = await readIndex(repo);
  const filter = pathFilter(repo, operands.length > 0 ? operands : repo.prefix === "" ? [] : ["."]);
  const shown = (path: string): string => {
    const name =
      path.startsWith(repo.prefix) && !options.has("full-name")
        ? path.slice(repo.prefix.length)
        : path;
    return options.has("z") ? name : quotePath(name);
  };
  const lines: string[] = [];
  const entries = [...index.values()].filter(({ path }) => filter(path));
  if (options.has("error-unmatch"))
    for (const operand of operands)
      if (!entries.some(({ path }) => pathFilter(repo, [operand])(path)))
        throw new GitFailure(
          `error: pathspec '${operand}' did not match any file(s) known to git\nDid you forget to 'git add'?`,
          1,
        );
  if (options.has("others")) {
    const isIgnored = options.has("ignored");
    const paths = options.has("exclude-standard")
      ? await untracked(repo, index, { directories: options.has("directory"), ignored: isIgnored })
      : [
          ...(await untracked(repo, index, { directories: false })),
          ...(await untracked(repo, index, { directories: false, ignored: true })),
        ].sort();
    for (const path of paths) if (filter(path.replace(/\/$/, ""))) lines.push(shown(path));
  }
  const now =
    options.has("modified") || options.has("deleted") ? await worktreeTree(repo, index) : undefined;
  if (now)
    for (const { path, oid, mode } of entries) {
      const file = now.get(path);
      if (!file || (options.has("modified") && (file.oid !== oid || file.mode !== mode)))
        lines.push(shown(path));
    }
  const isStage = options.has("stage") || options.has("unmerged");
  if (isStage || options.has("cached") || (!options.has("others") && !now))
    for (const { path, oid, mode, stage } of entries) {
      if (options.has("unmerged") && stage === 0) continue;
      lines.push(isStage ? `${mode.toString(8)} ${oid} ${stage}\t${shown(path)}` : shown(path));
    }
  const end = options.has("z") ? "\0" : "\n";
  return { stdout: lines.map((line) => line + end).join("") };
};

export const lsTree: Subcommand = async (repo, args) => {
  const options = readOptions("ls-tree", args, {
    flags: ["r", "t", "d", "l|long", "z", "name-only|name-status", "full-tree", "full-name"],
    attached: ["abbrev"],
  });
  const [revision, ...paths] = [...options.operands, ...(options.paths ?? [])];
  if (revision === undefined)
    throw new GitFailure("usage: git ls-tree [<options>] <tree-ish> [<path>...]", 129);
  const root = await treeOf(repo, await resolve(repo, revision));
  const lines: string[] = [];
  const line = async (mode: string, type: string, oid: string, path: string): Promise<void> => {
    const size = type === "blob" && options.has("long") ? (await blobOf(repo, oid)).length : "-";
    const long = options.has("long") ? ` ${String(size).padStart(7)}` : "";
    lines.push(
      options.has("name-status")
        ? quotePath(path)
        : `${mode} ${type} ${oid}${long}\t${quotePath(path)}`,
    );
  };
  const wanted = paths.map((path) => path.replace(/\/$/, ""));
  if (options.has("r")) {
    const filter = pathFilter(repo, paths);
    for (const [path, { oid, mode }] of await flattenTree(repo, root))
      if (filter(path)) await line(mode.toString(8).padStart(6, "0"), "blob", oid, path);
  } else {
    const visit = async (oid: string, before: string): Promise<void> => {
      for (const entry of (await engine.readTree({ ...repo.at, oid })).tree) {
        const path = before + entry.path;
        const isInside =
          wanted.some((one) => one.startsWith(`${path}/`)) || paths.includes(`${path}/`);
        const isWanted =
          wanted.length === 0 ? before === "" : wanted.includes(path) || paths.includes(before);
        if (entry.type === "tree" && isInside) await visit(entry.oid, `${path}/`);
        else if (isWanted && (!options.has("d") || entry.type === "tree"))
          await line(entry.mode.padStart(6, "0"), entry.type, entry.oid, path);
      }
    };
    await visit(root, "");
  }
  const end = options.has("z") ? "\0" : "\n";
  return { stdout: lines.map((one) => one + end).join("") };
};

export const catFile: Subcommand = async (repo, args) => {
  const options = readOptions("cat-file", args, {
    flags: ["p", "t", "s", "e"],
    attached: ["batch", "batch-check"],
  });
  if (options.has("batch") || options.has("batch-check"))
    throw notHere("cat-file --batch", "ask for the objects one by one");
  const operands = [...options.operands];
  const kind =
    ["blob", "tree", "commit", "tag"].includes(operands[0] ?? "") && operands.length > 1
      ? operands.shift()
      : undefined;
  const name = operands[0];
  if (name === undefined)
    throw new GitFailure("usage: git cat-file (-t | -s | -e | -p | <type>) <object>", 129);
  const found = await tryResolve(repo, name);
  if (found === undefined) throw fatal(`Not a valid object name ${name}`);
  const oid =
    kind === "tree"
      ? await treeOf(repo, found)
      : kind === "commit"
        ? (await peel(repo, found)).oid
        : found;
  const { type, object } = await engine.readObject({ ...repo.at, oid, format: "content" });
  if (!(object instanceof Uint8Array)) throw fatal(`bad object ${name}`);
  if (options.has("e")) return {};
  if (options.has("t")) return { stdout: `${type}\n` };
  if (options.has("s")) return { stdout: `${object.length}\n` };
  if (type === "tree") {
    const { tree } = await engine.readTree({ ...repo.at, oid });
    return {
      stdout: tree
        .map(
          (entry) =>
            `${entry.mode.padStart(6, "0")} ${entry.type} ${entry.oid}\t${quotePath(entry.path)}\n`,
        )
        .join(""),
    };
  }
  return { stdout: type === "blob" ? new Uint8Array(object) : decodeText(object) };
};

export const hashObject: Subcommand = async (repo, args) => {
  const options = readOptions("hash-object", args, { flags: ["w", "stdin"], valued: ["t"] });
  const inputs = options.has("stdin")
    ? [await repo.context.input()]
    : await Promise.all(
        options.operands.map((path) => repo.fs.readFile(repo.context.resolve(path))),
      );
  const ids: string[] = [];
  for (const bytes of inputs)
    ids.push(
      options.has("w")
        ? await engine.writeBlob({ ...repo.at, blob: bytes })
        : await hashBlob(bytes),
    );
  return { stdout: ids.map((oid) => `${oid}\n`).join("") };
};

export const mergeBaseCommand: Subcommand = async (repo, args) => {
  const options = readOptions("merge-base", args, { flags: ["is-ancestor", "a|all"] });
  const [one, other] = options.operands;
  if (one === undefined || other === undefined)
    throw new GitFailure("usage: git merge-base [-a | --all] <commit> <commit>...", 129);
  const [first, second] = [await resolveCommit(repo, one), await resolveCommit(repo, other)];
  const base = await mergeBase(repo, first, second);
  if (options.has("is-ancestor")) return { exitCode: base === first ? 0 : 1 };
  return base === undefined ? { exitCode: 1 } : { stdout: `${base}\n` };
};

export const checkIgnore: Subcommand = async (repo, args) => {
  const options = readOptions("check-ignore", args, {
    flags: ["q|quiet", "no-index", "v|verbose"],
  });
  if (options.has("verbose")) throw notHere("check-ignore -v", "leave out -v");
  const index = await readIndex(repo);
  const found: string[] = [];
  for (const operand of [...options.operands, ...(options.paths ?? [])]) {
    const path = rootPath(repo, operand);
    if (index.has(path) && !options.has("no-index")) continue;
    let [rules, isIgnored] = [await ignoreRules(repo), false];
    const names = path.split("/");
    for (const at of names.keys()) {
      const part = names.slice(0, at + 1).join("/");
      const isDirectory =
        at < names.length - 1 ||
        (await statOf(repo.fs, join(repo.dir, part)))?.type === "directory";
      isIgnored ||= rules.isIgnored(isDirectory ? `${part}/` : part);
      if (at < names.length - 1) rules = await rules.inside(`${part}/`);
    }
    if (isIgnored) found.push(operand);
  }
  const stdout = options.has("quiet") ? "" : found.map((path) => `${path}\n`).join("");
  return { stdout, exitCode: found.length > 0 ? 0 : 1 };
};

export const showRef: Subcommand = async (repo, args) => {
  const options = readOptions("show-ref", args, {
    flags: ["heads", "tags", "head", "verify", "q|quiet"],
  });
  const lines: string[] = [];
  for (const kind of ["heads", "remotes", "tags"]) {
    if (options.has("heads") !== options.has("tags") && !options.has(kind)) continue;
    for (const name of (await engine.listRefs({ ...repo.at, filepath: `refs/${kind}` })).sort()) {
      const ref = `refs/${kind}/${name}`;
      const isAsked =
        options.operands.length === 0 ||
        options.operands.some((one) => ref === one || ref.endsWith(`/${one}`));
      const oid = isAsked ? await refOid(repo, ref) : undefined;
      if (oid !== undefined) lines.push(`${oid} ${ref}\n`);
    }
  }
  return { stdout: options.has("quiet") ? "" : lines.join(""), exitCode: lines.length > 0 ? 0 : 1 };
};

export const symbolicRef: Subcommand = async (repo, args) => {
  const options = readOptions("symbolic-ref", args, { flags: ["short", "q|quiet"] });
  if (options.operands[0] !== "HEAD") throw notHere("symbolic-ref of other names", "use HEAD");
  const target = options.operands[1];
  if (target !== undefined) {
    await repo.gitFs.writeFile(`${repo.gitdir}/HEAD`, `ref: ${target}\n`);
    return {};
  }
  const name = await currentBranch(repo);
  if (name === undefined) {
    if (options.has("quiet")) return { exitCode: 1 };
    throw fatal("ref HEAD is not a symbolic ref");
  }
  return { stdout: options.has("short") ? `${name}\n` : `refs/heads/${name}\n` };
};
