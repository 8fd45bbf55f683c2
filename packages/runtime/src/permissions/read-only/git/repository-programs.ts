import { FileSystemError } from "../../../errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { dirname, resolvePath } from "../../../ports/path.ts";
import { rawPath, resolvePaths } from "../../paths/real-paths.ts";
import { visibleText } from "../../visible-text.ts";
import { type GitSetting, readGitConfig } from "./config-text.ts";
import { isHarmlessSetting, settingName } from "./harmless-settings.ts";
import { linksOfIndex } from "./index-links.ts";

export type RepositoryFiles = Pick<
  FileSystem,
  "realpath" | "lstat" | "readlink" | "readFile" | "stat"
>;

/** A setting, hook or link by which a repository may have Git start a program. */
export interface RepositoryProgram {
  /** The file that says so, absolute. */
  file: string;
  /** A setting such as `core.fsmonitor`, the name of a hook, or why the file says nothing for certain. */
  setting: string;
  value: string;
}

/** Bounds on nested submodules: number and depth. */
const MAX_REPOSITORIES = 64;
const MAX_DEPTH = 8;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
const MAX_TEXT_BYTES = 1024 * 1024;
/** The one hook that Git runs after a read-only command has refreshed the index. */
const HOOK = "post-index-change";
const decoder = new TextDecoder();

interface Repository {
  gitDirectory: string;
  /** The directory that holds its `.git`; its own for a bare one. */
  top: string;
  depth: number;
}

/** Findings so far, and repositories still to examine. */
interface Search {
  fs: RepositoryFiles;
  programs: RepositoryProgram[];
  waiting: Repository[];
}

/**
 * The programs that Git may start because of the repository in `directory`, when called read-only. Examines the
 * repository of the directory, all enclosing ones, and its submodules: their settings, one hook, and the names in their
 * index. In doubt it reports a finding. Settings of the person and of the machine are the person's own and not
 * examined.
 */
export async function repositoryPrograms(
  fs: RepositoryFiles,
  directory: string,
): Promise<RepositoryProgram[]> {
  const search: Search = { fs, programs: [], waiting: [] };
  const { programs, waiting } = search;
  try {
    await searchAbove(search, await fs.realpath(directory));
    const seen = new Set<string>();
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const key = `${await fs.realpath(next.gitDirectory)}\0${next.top}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (seen.size > MAX_REPOSITORIES || next.depth > MAX_DEPTH) {
        programs.push(doubt(next.gitDirectory, "too many repositories within each other"));
        break;
      }
      await searchIn(search, next);
    }
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    programs.push(doubt(directory, "can't be examined"));
  }
  return programs;
}

/** The reason why Git would not be read-only, in a sentence for a person; `undefined` without findings. */
export function programsReason(programs: readonly RepositoryProgram[]): string | undefined {
  const [first] = programs;
  if (!first) return undefined;
  const settings = [...new Set(programs.map(({ setting }) => setting))];
  const shown = settings.slice(0, 5).join(", ") + (settings.length > 5 ? ", …" : "");
  const text = `Git would obey ${first.file}, which may start programs: ${shown}.`;
  return visibleText(text, { singleLine: true });
}

/** Every repository that Git may choose for a directory: it takes the first that it finds whole. */
async function searchAbove(search: Search, directory: string): Promise<void> {
  for (let at = directory; ; at = dirname(at)) {
    await searchDirectory(search, at, 0);
    if (await isThere(search.fs, resolvePath(at, "HEAD")))
      search.waiting.push({ gitDirectory: at, top: at, depth: 0 });
    if (at === "/") return;
  }
}

/** The git directory behind a directory's `.git`: itself, or the path written in it. */
async function searchDirectory(search: Search, top: string, depth: number): Promise<void> {
  const { fs, programs, waiting } = search;
  const path = resolvePath(top, ".git");
  if (!(await isThere(fs, path, true))) return;
  if ((await fs.stat(path)).type === "directory") {
    waiting.push({ gitDirectory: path, top, depth });
    return;
  }
  const [, target] = /^gitdir: ([^\0\n\r]+)[\n\r]*$/.exec((await readText(fs, path)) ?? "") ?? [];
  const places = target === undefined ? undefined : await placesOf(fs, top, target);
  if (!places) programs.push(doubt(path, "can't be read"));
  for (const gitDirectory of places ?? [])
    if (await isThere(fs, gitDirectory, true)) waiting.push({ gitDirectory, top, depth });
}

async function searchIn(search: Search, repository: Repository): Promise<void> {
  const { fs, programs } = search;
  const { gitDirectory, top, depth } = repository;
  const holders = await holdersOf(search, gitDirectory);
  const hookDirectories = new Set(holders.map((holder) => resolvePath(holder, "hooks")));
  let hashBytes: 20 | 32 = 20;
  for (const holder of holders) {
    for (const name of ["config", "config.worktree"]) {
      const file = resolvePath(holder, name);
      for (const setting of await settingsIn(search, file)) {
        const { section, name: key, value } = setting;
        if (section === "core" && key === "hookspath" && isPlainPath(value)) {
          for (const base of [top, ...holders])
            for (const place of (await placesOf(fs, base, value)) ?? []) hookDirectories.add(place);
        } else if (!isHarmlessSetting(setting) && !(await isOwnWorktree(fs, setting, repository)))
          programs.push({ file, setting: settingName(setting), value });
        if (section === "extensions" && key === "objectformat" && /^sha256$/i.test(value))
          hashBytes = 32;
      }
    }
  }
  for (const directory of hookDirectories) {
    const file = resolvePath(directory, HOOK);
    if (await isThere(fs, file)) programs.push({ file, setting: HOOK, value: "" });
  }
  for (const link of await linksIn(search, resolvePath(gitDirectory, "index"), hashBytes)) {
    if (link.split("/").includes("..")) programs.push(doubt(link, "leads out of the repository"));
    else await searchDirectory(search, resolvePath(top, link), depth + 1);
  }
}

/** The files with a repository's settings: those of a linked worktree include the main one's. */
async function holdersOf({ fs, programs }: Search, gitDirectory: string): Promise<string[]> {
  const file = resolvePath(gitDirectory, "commondir");
  if (!(await isThere(fs, file))) return [gitDirectory];
  const text = (await readText(fs, file))?.replace(/(?<![\r\n])[\r\n]+$/, "");
  const places =
    text === undefined || /[\0\n]/.test(text) ? undefined : await placesOf(fs, gitDirectory, text);
  if (!places) programs.push(doubt(file, "can't be read"));
  return [gitDirectory, ...(places ?? [])];
}

async function settingsIn(search: Search, file: string): Promise<GitSetting[]> {
  const { fs, programs } = search;
  if (!(await isThere(fs, file))) return [];
  const text = await readText(fs, file);
  const settings = text === undefined ? undefined : readGitConfig(text);
  if (!settings) programs.push(doubt(file, "can't be read for certain"));
  return settings ?? [];
}

function isPlainPath(value: string): boolean {
  return !/^[~%]|^:\(/.test(value);
}

/** Submodules name the directory that they were found in. Another one would be shown instead of it. */
async function isOwnWorktree(
  fs: RepositoryFiles,
  { section, name, value }: GitSetting,
  { gitDirectory, top }: Repository,
): Promise<boolean> {
  if (section !== "core" || name !== "worktree") return false;
  const places = await placesOf(fs, await fs.realpath(gitDirectory), value);
  const own = await fs.realpath(top);
  const real = await Promise.all(
    (places ?? ["/"]).map((place) => fs.realpath(place).catch(() => undefined)),
  );
  return real.every((place) => place === own);
}

async function linksIn(search: Search, file: string, hashBytes: 20 | 32): Promise<string[]> {
  const { fs, programs } = search;
  if (!(await isThere(fs, file))) return [];
  const { type, size } = await fs.stat(file);
  const isUsual = type === "file" && size <= MAX_INDEX_BYTES;
  const links = isUsual ? linksOfIndex(await fs.readFile(file), hashBytes) : undefined;
  if (!links) programs.push(doubt(file, "can't be read for certain"));
  return links ?? [];
}

/** The targets of a path in a file of Git, which follows links before `..`. */
async function placesOf(
  fs: RepositoryFiles,
  base: string,
  path: string,
): Promise<readonly string[] | undefined> {
  const raw = rawPath(base, path);
  if (path === "" || path.includes("\ufffd")) return undefined;
  if (!raw.split("/").includes("..")) return [resolvePath("/", raw)];
  return (await resolvePaths(fs, [raw])).get(raw);
}

/** The text of a small file; `undefined` when it is missing, or too large to be one of Git's. */
async function readText(fs: RepositoryFiles, file: string): Promise<string | undefined> {
  try {
    const { type, size } = await fs.stat(file);
    return type === "file" && size <= MAX_TEXT_BYTES
      ? decoder.decode(await fs.readFile(file))
      : undefined;
  } catch (error) {
    if (error instanceof FileSystemError) return undefined;
    throw error;
  }
}

/** Reports whether a name exists; with `follow`, whether its target does. */
async function isThere(fs: RepositoryFiles, path: string, follow = false): Promise<boolean> {
  try {
    await (follow ? fs.stat(path) : fs.lstat(path));
    return true;
  } catch (error) {
    const isMissing =
      error instanceof FileSystemError && (error.code === "ENOENT" || error.code === "ENOTDIR");
    if (isMissing) return false;
    throw error;
  }
}

/** Something that might be anything. */
function doubt(file: string, why: string): RepositoryProgram {
  return { file, setting: why, value: "" };
}
