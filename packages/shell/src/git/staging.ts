import { dirname } from "@robota/runtime/ports";
import { type Options, readOptions } from "./arguments.ts";
import { fatal, GitFailure, notHere } from "./failure.ts";
import { ignoreRules } from "./repository/ignore-rules.ts";
import { pathFilter, pathspec, rootPath } from "./pathspec.ts";
import {
  dropFromIndex,
  flattenTree,
  type Index,
  join,
  readIndex,
  type Repository,
  statOf,
  writeIndex,
} from "./repository/repository.ts";
import * as engine from "#isomorphic-git";
import type { Subcommand } from "./result.ts";
import { headOid, readCommit } from "./repository/revisions.ts";
import {
  contentOf,
  entryFor,
  isDenied,
  modeOf,
  openWorktree,
  removeFile,
  untracked,
} from "./repository/worktree.ts";

export const add: Subcommand = async (repo, args) => {
  const options = readOptions("add", args, {
    flags: [
      "A|all",
      "u|update",
      "f|force",
      "n|dry-run",
      "v|verbose",
      "N|intent-to-add",
      "p|patch",
      "i|interactive",
      "e|edit",
      "ignore-errors",
    ],
    valued: ["chmod"],
  });
  for (const name of ["patch", "interactive", "edit"])
    if (options.has(name)) throw notHere(`add --${name}`, "add whole files by their paths");
  const operands = [...options.operands, ...(options.paths ?? [])];
  const isAll = options.has("all") || options.has("update");
  if (operands.length === 0 && !isAll)
    return {
      stderr:
        "Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\nhint: Turn this message off by running\nhint: \"git config advice.addEmptyPathspec false\"\n",
    };
  const index = await readIndex(repo);
  const files = options.has("update") ? [] : await addable(repo, index, operands, options);
  await assertFound(repo, index, files, operands, options);
  const filter = pathFilter(repo, operands);
  const worktree = await openWorktree(repo, index);
  let [stdout, stderr] = ["", ""];
  const named = new Set(operands.map((operand) => rootPath(repo, operand)));
  /** Skips an unreadable file, unless it was given by name. */
  const stageReadable = async (path: string, intentToAdd?: boolean): Promise<void> => {
    try {
      await stage(repo, index, path, intentToAdd);
      tell("add", path);
    } catch (error) {
      if (!isDenied(error) || named.has(path)) throw error;
      stderr += `error: open("${path}"): Permission denied\n`;
    }
  };
  const tell = (verb: string, path: string): void => {
    if (options.has("verbose") || options.has("dry-run")) stdout += `${verb} '${path}'\n`;
  };
  for (const path of new Set([...index.values()].map((entry) => entry.path))) {
    if (!filter(path) || index.get(path)?.mode === 0o160000) continue;
    const blob = await worktree.blob(path);
    const entry = index.get(path);
    if (!blob) {
      dropFromIndex(index, path);
      tell("remove", path);
    } else if (entry?.oid !== blob.oid || entry.mode !== blob.mode || entry.intentToAdd) {
      if (options.has("dry-run")) tell("add", path);
      else await stageReadable(path);
    } else index.set(path, entryFor(path, blob, await statOf(repo.fs, join(repo.dir, path))));
  }
  for (const path of files) {
    if (options.has("dry-run")) tell("add", path);
    else await stageReadable(path, options.has("intent-to-add"));
  }
  const bit = options.get("chmod");
  if (bit !== undefined)
    for (const entry of index.values())
      if (filter(entry.path) && entry.mode !== 0o120000)
        entry.mode = bit === "+x" ? 0o100755 : 0o100644;
  if (!options.has("dry-run")) await writeIndex(repo, index);
  return { stdout, stderr };
};

/** The untracked files that match the operands. */
async function addable(
  repo: Repository,
  index: Index,
  operands: readonly string[],
  options: Options,
): Promise<string[]> {
  const filter = pathFilter(repo, operands);
  const found = await untracked(repo, index, { directories: false });
  const ignored = options.has("force")
    ? await untracked(repo, index, { directories: false, ignored: true })
    : [];
  return [...found, ...ignored].filter(filter);
}

async function assertFound(
  repo: Repository,
  index: Index,
  files: readonly string[],
  operands: readonly string[],
  options: Options,
): Promise<void> {
  const ignored: string[] = [];
  const rules = await ignoreRules(repo);
  for (const operand of operands) {
    const spec = pathspec(repo, operand);
    const isThere = (path: string): boolean => spec.matches(path);
    if (files.some(isThere) || [...index.values()].some(({ path }) => isThere(path))) continue;
    const path = rootPath(repo, operand);
    const stat = await statOf(repo.fs, join(repo.dir, path));
    if (!stat || path === ".git") {
      if (stat) continue;
      throw fatal(`pathspec '${operand}' did not match any files`);
    }
    const isDirectory = stat.type === "directory";
    if (path !== "" && !options.has("force") && rules.isIgnored(isDirectory ? `${path}/` : path))
      ignored.push(path);
  }
  if (ignored.length > 0)
    throw new GitFailure(
      `The following paths are ignored by one of your .gitignore files:\n${ignored.join("\n")}\n` +
        "hint: Use -f if you really want to add them.\nhint: Turn this message off by running\n" +
        'hint: "git config advice.addIgnoredFile false"',
      1,
    );
}

/** Writes the file's bytes to the repository and records them in the index. */
export async function stage(
  repo: Repository,
  index: Index,
  path: string,
  intentToAdd = false,
): Promise<void> {
  const place = join(repo.dir, path);
  const stat = await repo.fs.lstat(place);
  const blob = intentToAdd ? new Uint8Array() : await contentOf(repo, path);
  const oid = await engine.writeBlob({ ...repo.at, blob });
  dropFromIndex(index, path);
  // A file and a directory of the same name can't be in one tree.
  for (let at = dirname(`/${path}`); at !== "/"; at = dirname(at))
    dropFromIndex(index, at.slice(1));
  for (const other of index.keys()) if (other.startsWith(`${path}/`)) index.delete(other);
  const entry = entryFor(path, { oid, mode: modeOf(stat) }, intentToAdd ? undefined : stat);
  index.set(path, { ...entry, intentToAdd });
}

export const rm: Subcommand = async (repo, args) => {
  const options = readOptions("rm", args, {
    flags: ["r", "f|force", "cached", "q|quiet", "n|dry-run", "ignore-unmatch"],
  });
  const operands = [...options.operands, ...(options.paths ?? [])];
  if (operands.length === 0) throw fatal("No pathspec was given. Which files should I remove?");
  const index = await readIndex(repo);
  const paths = [...new Set([...index.values()].map(({ path }) => path))].sort();
  const chosen = new Set<string>();
  for (const operand of operands) {
    const spec = pathspec(repo, operand);
    const found = paths.filter((path) => spec.matches(path));
    if (found.length === 0 && !options.has("ignore-unmatch"))
      throw fatal(`pathspec '${operand}' did not match any files`);
    const isBelow = found.some((path) => path !== rootPath(repo, operand));
    if (isBelow && !options.has("r") && !/[*?[]/.test(operand))
      throw fatal(`not removing '${operand}' recursively without -r`);
    for (const path of found) chosen.add(path);
  }
  if (!options.has("force")) await assertNothingLost(repo, index, chosen, options.has("cached"));
  let stdout = "";
  for (const path of chosen) {
    if (!options.has("quiet")) stdout += `rm '${path}'\n`;
    if (options.has("dry-run")) continue;
    dropFromIndex(index, path);
    if (!options.has("cached")) await removeFile(repo, path);
  }
  if (!options.has("dry-run")) await writeIndex(repo, index);
  return { stdout };
};

async function assertNothingLost(
  repo: Repository,
  index: Index,
  chosen: ReadonlySet<string>,
  isCached: boolean,
): Promise<void> {
  const head = await headOid(repo);
  const tree = await flattenTree(repo, head && (await readCommit(repo, head)).tree);
  const worktree = await openWorktree(repo, index);
  const [both, staged, local]: [string[], string[], string[]] = [[], [], []];
  for (const path of chosen) {
    const entry = index.get(path);
    if (!entry) continue;
    const file = await worktree.blob(path);
    const isLocal = file !== undefined && file.oid !== entry.oid;
    const isStaged = tree.get(path)?.oid !== entry.oid;
    if (isLocal && isStaged) both.push(path);
    else if (isStaged && !isCached) staged.push(path);
    else if (isLocal && !isCached) local.push(path);
  }
  const problem = (paths: readonly string[], what: string, hint: string): string =>
    paths.length === 0
      ? ""
      : `error: the following ${paths.length === 1 ? "file has" : "files have"} ${what}:\n${paths.map((path) => `    ${path}\n`).join("")}(${hint})\n`;
  const text =
    problem(
      both,
      "staged content different from both the\nfile and the HEAD",
      "use -f to force removal",
    ) +
    problem(
      staged,
      "changes staged in the index",
      "use --cached to keep the file, or -f to force removal",
    ) +
    problem(local, "local modifications", "use --cached to keep the file, or -f to force removal");
  if (text !== "") throw new GitFailure(text.trimEnd(), 1);
}

export const mv: Subcommand = async (repo, args) => {
  const options = readOptions("mv", args, { flags: ["f|force", "k", "n|dry-run", "v|verbose"] });
  const operands = [...options.operands, ...(options.paths ?? [])];
  const target = operands.pop();
  if (target === undefined || operands.length === 0)
    throw new GitFailure("usage: git mv [<options>] <source>... <destination>", 129);
  const index = await readIndex(repo);
  const to = rootPath(repo, target);
  const isDirectory = (await statOf(repo.fs, join(repo.dir, to)))?.type === "directory";
  if (operands.length > 1 && !isDirectory)
    throw fatal(`destination '${target}' is not a directory`);
  for (const operand of operands) {
    const from = rootPath(repo, operand);
    const place = isDirectory
      ? `${to === "" ? "" : `${to}/`}${from.slice(from.lastIndexOf("/") + 1)}`
      : to;
    const names = `source=${from}, destination=${place}`;
    const moved = [...index.values()].filter(
      ({ path }) => path === from || path.startsWith(`${from}/`),
    );
    if (!(await statOf(repo.fs, join(repo.dir, from)))) throw fatal(`bad source, ${names}`);
    if (moved.length === 0) throw fatal(`not under version control, ${names}`);
    if ((await statOf(repo.fs, join(repo.dir, place))) && !options.has("force"))
      throw fatal(`destination exists, ${names}`);
    if (!(await statOf(repo.fs, dirname(join(repo.dir, place)))))
      throw fatal(`renaming '${from}' failed: No such file or directory`);
    if (options.has("dry-run")) continue;
    await repo.fs.rename(join(repo.dir, from), join(repo.dir, place));
    for (const entry of moved) {
      dropFromIndex(index, entry.path);
      const path = place + entry.path.slice(from.length);
      index.set(path, { ...entry, path });
    }
  }
  await writeIndex(repo, index);
  return {};
};
