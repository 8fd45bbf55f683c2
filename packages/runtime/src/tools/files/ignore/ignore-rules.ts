import { FileSystemError } from "../../../errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { dirname, isWithin, relativePath, resolvePath } from "../../../ports/path.ts";
import { type IgnoreFile, parseIgnoreFile } from "./ignore-file.ts";

/** In order of precedence: `.ignore` is for search tools alone and, as in ripgrep, comes first. */
const IGNORE_FILES = [".ignore", ".gitignore"];
/** Limit above any hand-written list. */
const MAX_FILE_BYTES = 1_000_000;

/** The rules of a directory's ignore files and those above it, nearest first. */
export interface IgnoreRules {
  readonly directory: string;
  readonly files: readonly IgnoreFile[];
  readonly above: IgnoreRules | undefined;
}

/** Reports whether git would ignore this path. Its parent directories are assumed not ignored. */
export function isIgnored(
  nearest: IgnoreRules | undefined,
  path: string,
  isDirectory: boolean,
): boolean {
  for (let level = nearest; level; level = level.above) {
    const relative = relativePath(level.directory, path);
    for (const file of level.files) {
      const verdict = file(relative, isDirectory);
      if (verdict !== undefined) return verdict;
    }
  }
  return false;
}

export function isIgnoreFile(name: string): boolean {
  return IGNORE_FILES.includes(name);
}

/** The rules inside `directory`, given those above it; the same object when it adds none. */
export async function withRulesOf(
  fs: FileSystem,
  directory: string,
  above: IgnoreRules | undefined,
  names: readonly string[] = IGNORE_FILES,
): Promise<IgnoreRules | undefined> {
  const files: IgnoreFile[] = [];
  for (const name of names) {
    const text = await readText(fs, resolvePath(directory, name));
    if (text !== undefined) files.push(parseIgnoreFile(text));
  }
  return files.length === 0 ? above : { directory, files, above };
}

/** `undefined` for a missing, unreadable or binary file: it ignores nothing. */
async function readText(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    if ((await fs.stat(path)).size > MAX_FILE_BYTES) return undefined;
    return new TextDecoder().decode(await fs.readFile(path));
  } catch (error) {
    if (error instanceof FileSystemError) return undefined;
    throw error;
  }
}

/**
 * The rules that apply in `root` from the directories above it: up to the git working tree's root, or else up to `cwd`.
 * A root that is itself ignored was requested explicitly, so those rules don't count in it.
 */
export async function rulesAbove(
  fs: FileSystem,
  root: string,
  cwd: string,
): Promise<IgnoreRules | undefined> {
  const repository = await gitDirectory(fs, root);
  const top = repository ?? (isWithin(cwd, root) ? cwd : root);
  const directories: string[] = [];
  for (let directory = root; directory !== top;) {
    directory = dirname(directory);
    directories.push(directory);
  }
  // The clone's own exclude file; every `.gitignore` takes precedence.
  let rules =
    repository === undefined
      ? undefined
      : await withRulesOf(fs, repository, undefined, [".git/info/exclude"]);
  for (const directory of directories.toReversed()) {
    rules = await withRulesOf(fs, directory, rules);
    const next = directories[directories.indexOf(directory) - 1] ?? root;
    if (isIgnored(rules, next, true)) return undefined;
  }
  return rules;
}

async function gitDirectory(fs: FileSystem, from: string): Promise<string | undefined> {
  for (let directory = from; ; directory = dirname(directory)) {
    if (await exists(fs, resolvePath(directory, ".git"))) return directory;
    if (directory === "/") return undefined;
  }
}

async function exists(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof FileSystemError) return false;
    throw error;
  }
}
