import type { Ignore } from "ignore";
import { FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { dirname, isWithin, relativePath } from "../../ports/path.ts";

/** The `.gitignore` of a directory and of those above it, nearest first. */
export interface IgnoreRules {
  readonly directory: string;
  readonly rules: Ignore;
  readonly above: IgnoreRules | undefined;
}

/** Whether git would leave this path out. The directories on the way to it are taken as not ignored. */
export function isIgnored(
  nearest: IgnoreRules | undefined,
  path: string,
  isDirectory: boolean,
): boolean {
  for (let level = nearest; level; level = level.above) {
    const relative = relativePath(level.directory, path);
    const { ignored, unignored } = level.rules.test(isDirectory ? `${relative}/` : relative);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** The rules inside `directory`, given those above it; the same ones when it has no `.gitignore`. */
export async function withRulesOf(
  fs: FileSystem,
  directory: string,
  above: IgnoreRules | undefined,
): Promise<IgnoreRules | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await fs.readFile(`${directory}/.gitignore`);
  } catch (error) {
    // None there, or none that may be read: there is nothing to leave out by.
    if (error instanceof FileSystemError) return above;
    throw error;
  }
  const { default: ignore } = await import("ignore");
  const rules = ignore({ ignoreCase: false }).add(new TextDecoder().decode(bytes));
  return { directory, rules, above };
}

/**
 * The rules that hold in `root` from the directories above it: up to the one that git works from, or else up to `cwd`. A
 * root that is itself ignored was asked for by name, so those rules don't count in it.
 */
export async function rulesAbove(
  fs: FileSystem,
  root: string,
  cwd: string,
): Promise<IgnoreRules | undefined> {
  const top = (await gitDirectory(fs, root)) ?? (isWithin(cwd, root) ? cwd : root);
  const directories: string[] = [];
  for (let directory = root; directory !== top;) {
    directory = dirname(directory);
    directories.push(directory);
  }
  let rules: IgnoreRules | undefined;
  for (const directory of directories.toReversed()) {
    rules = await withRulesOf(fs, directory, rules);
    const next = directories[directories.indexOf(directory) - 1] ?? root;
    if (isIgnored(rules, next, true)) return undefined;
  }
  return rules;
}

async function gitDirectory(fs: FileSystem, from: string): Promise<string | undefined> {
  for (let directory = from; ; directory = dirname(directory)) {
    if (await exists(fs, directory === "/" ? "/.git" : `${directory}/.git`)) return directory;
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
