import { encodeText, FileSystemError, type FileStat, dirname } from "@robota/runtime/ports";
import { GitFailure } from "../failure.ts";
import { type IgnoreRules, ignoreRules } from "./ignore-rules.ts";
import type { IndexEntry } from "./index-file.ts";
import {
  type Blob,
  blobOf,
  dropFromIndex,
  hashBlob,
  type Index,
  join,
  type Repository,
  statOf,
  type TreeFiles,
} from "./repository.ts";

/** The id of an unreadable file: no existing blob has it. */
const UNREADABLE = "0".repeat(40);

/** Reports whether rules, or the mode of a file, deny reading it. */
export function isDenied(error: unknown): boolean {
  return error instanceof FileSystemError && (error.code === "EACCES" || error.code === "EPERM");
}

/** The bytes that git stores for a file or a link of the working tree. */
export async function contentOf(repo: Repository, path: string): Promise<Uint8Array> {
  const place = join(repo.dir, path);
  const stat = await repo.fs.lstat(place);
  return stat.type === "symlink"
    ? encodeText(await repo.fs.readlink(place))
    : repo.fs.readFile(place);
}

export function modeOf(stat: FileStat): number {
  if (stat.type === "symlink") return 0o120000;
  return (stat.mode & 0o100) === 0 ? 0o100644 : 0o100755;
}

/** Compares the working tree with an index, reading only files that may have changed since. */
export interface Worktree {
  /** The blob of a file; `undefined` when there is no file. */
  blob(path: string): Promise<Blob | undefined>;
}

export async function openWorktree(repo: Repository, index: Index): Promise<Worktree> {
  const indexTime = (await statOf(repo.fs, `${repo.gitdir}/index`))?.mtimeMs ?? 0;
  return {
    async blob(path) {
      const stat = await statOf(repo.fs, join(repo.dir, path));
      if (!stat || stat.type === "directory") return undefined;
      const mode = modeOf(stat);
      const entry = index.get(path);
      // A file as new as the index may have been written again since, with the same size.
      const isSame =
        entry !== undefined &&
        entry.size === stat.size &&
        entry.mtimeMs === Math.floor(stat.mtimeMs) &&
        entry.mtimeMs < Math.floor(indexTime) &&
        entry.mode === mode;
      if (isSame) return { oid: entry.oid, mode };
      try {
        return { oid: await hashBlob(await contentOf(repo, path)), mode };
      } catch (error) {
        // An unreadable file may have changed, and operations that would overwrite it leave it alone.
        if (isDenied(error)) return { oid: UNREADABLE, mode };
        throw error;
      }
    },
  };
}

/** The working tree's version of the files in the index. */
export async function worktreeTree(repo: Repository, index: Index): Promise<TreeFiles> {
  const worktree = await openWorktree(repo, index);
  const files: TreeFiles = new Map();
  for (const { path, mode } of index.values()) {
    if (files.has(path) || mode === 0o160000) continue;
    const blob = await worktree.blob(path);
    if (blob) files.set(path, blob);
  }
  return files;
}

export interface UntrackedOptions {
  /** Collapses directories without tracked files to one name, instead of listing every file. */
  directories: boolean;
  /** Restricts the result to ignored files. */
  ignored?: boolean;
}

/** Files that are not in the index, sorted; a directory's name ends in `/`. */
export async function untracked(
  repo: Repository,
  index: Index,
  { directories, ignored = false }: UntrackedOptions,
): Promise<string[]> {
  const tracked = new Set<string>();
  const trackedDirectories = new Set<string>();
  for (const { path } of index.values()) {
    tracked.add(path);
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      trackedDirectories.add(path.slice(0, at + 1));
  }
  const found: string[] = [];
  const visit = async (
    directory: string,
    rules: IgnoreRules,
    isIgnored: boolean,
    into: string[],
  ): Promise<void> => {
    const entries = await repo.fs.readdir(join(repo.dir, directory)).catch((error: unknown) => {
      if (!isDenied(error)) throw error;
      return [];
    });
    for (const { name, type } of entries) {
      if (name === ".git") continue;
      const path = directory + name + (type === "directory" ? "/" : "");
      const isOut = isIgnored || rules.isIgnored(path);
      if (type !== "directory") {
        if (!tracked.has(path) && isOut === ignored) into.push(path);
        continue;
      }
      if (isOut && !ignored && !trackedDirectories.has(path)) continue;
      if (directories && isOut && ignored && !trackedDirectories.has(path)) {
        into.push(path);
        continue;
      }
      const isRepository = (await statOf(repo.fs, join(repo.dir, `${path}.git`))) !== undefined;
      if (isRepository) {
        if (isOut === ignored) into.push(path);
        continue;
      }
      const below: string[] = [];
      await visit(path, await rules.inside(path), isOut, below);
      if (below.length === 0) continue;
      if (directories && !ignored && !trackedDirectories.has(path)) into.push(path);
      else for (const inside of below) into.push(inside);
    }
  };
  await visit("", await ignoreRules(repo), false, found);
  return found.sort();
}

const MAX_REFUSALS = 20;

/**
 * Asks the rules about all files that a command is about to write.
 * @throws {GitFailure} when some may not be written; nothing is changed then
 */
export async function assertWritable(repo: Repository, paths: Iterable<string>): Promise<void> {
  const places = Array.from(paths, (path) => join(repo.dir, path));
  const reasons = await repo.refusals(places);
  if (reasons.length === 0) return;
  const shown = reasons.slice(0, MAX_REFUSALS).map((reason) => `\t${reason}\n`);
  const rest = reasons.length - shown.length;
  if (rest > 0) shown.push(`\tand ${rest} more\n`);
  throw new GitFailure(`error: git may not write these files:\n${shown.join("")}Aborting`, 1);
}

/** Writes a file's bytes to the working tree and returns its index entry. */
export async function writeFile(repo: Repository, path: string, blob: Blob): Promise<IndexEntry> {
  await makeDirectories(repo, dirname(`/${path}`));
  return writeBlob(repo, path, blob);
}

/** Files written at once: a file system with group commits takes a fraction of the time. */
const BATCH_FILES = 64;

/** Writes several files like `writeFile`; returns their index entries. */
export async function writeFiles(
  repo: Repository,
  index: Index,
  files: readonly (readonly [path: string, blob: Blob])[],
): Promise<void> {
  // One after the other, because a file in the way of several must be removed only once.
  for (const directory of new Set(files.map(([path]) => dirname(`/${path}`))))
    await makeDirectories(repo, directory);
  for (let at = 0; at < files.length; at += BATCH_FILES) {
    const some = files.slice(at, at + BATCH_FILES);
    const entries = await Promise.all(some.map(([path, blob]) => writeBlob(repo, path, blob)));
    for (const entry of entries) {
      dropFromIndex(index, entry.path);
      index.set(entry.path, entry);
    }
  }
}

async function writeBlob(repo: Repository, path: string, blob: Blob): Promise<IndexEntry> {
  const place = join(repo.dir, path);
  const bytes = await blobOf(repo, blob.oid);
  const before = await statOf(repo.fs, place);
  if (before && (before.type !== "file" || blob.mode === 0o120000))
    await repo.fs.remove(place, { recursive: true });
  if (blob.mode === 0o120000) await repo.fs.symlink(new TextDecoder().decode(bytes), place);
  else {
    await repo.fs.writeFile(place, bytes);
    const isExecutable = before?.type === "file" && (before.mode & 0o100) !== 0;
    if (isExecutable !== (blob.mode === 0o100755))
      await repo.fs.chmod(place, blob.mode === 0o100755 ? 0o755 : 0o644);
  }
  return entryFor(path, blob, await repo.fs.lstat(place));
}

export function entryFor(path: string, { oid, mode }: Blob, stat?: FileStat): IndexEntry {
  const { size = 0, mtimeMs = 0 } = stat ?? {};
  return { path, oid, mode, stage: 0, size, mtimeMs: Math.floor(mtimeMs), intentToAdd: false };
}

/** Creates directories; a conflicting file is replaced, since git has checked that nothing is lost. */
async function makeDirectories(repo: Repository, directory: string): Promise<void> {
  const place = join(repo.dir, directory);
  const stat = await statOf(repo.fs, place);
  if (stat?.type === "directory") return;
  if (directory !== "/") await makeDirectories(repo, dirname(directory));
  if (stat) await repo.fs.remove(place);
  await repo.fs.mkdir(place, { recursive: true });
}

/** Removes a file and directories that become empty. */
export async function removeFile(repo: Repository, path: string): Promise<void> {
  await repo.fs.remove(join(repo.dir, path), { force: true });
  for (let at = dirname(`/${path}`); at !== "/"; at = dirname(at)) {
    const place = join(repo.dir, at);
    const names = await repo.fs.readdir(place).catch(() => undefined);
    if (names?.length !== 0 || isWithinCwd(repo, place)) return;
    await repo.fs.remove(place);
  }
}

/** Reports whether a directory contains the current one, which is kept. */
function isWithinCwd(repo: Repository, place: string): boolean {
  return `${repo.context.cwd}/`.startsWith(`${place}/`);
}

/** Updates the working tree and the index from `from` to `target`, path by path. */
export async function applyTree(
  repo: Repository,
  index: Index,
  from: TreeFiles,
  target: TreeFiles,
): Promise<void> {
  for (const path of from.keys()) {
    if (target.has(path)) continue;
    dropFromIndex(index, path);
    await removeFile(repo, path);
  }
  const changed = [...target].filter(([path, { oid, mode }]) => {
    const before = from.get(path);
    return before?.oid !== oid || before.mode !== mode;
  });
  await writeFiles(repo, index, changed);
}
