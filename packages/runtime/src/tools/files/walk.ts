import { FileSystemError } from "../../errors.ts";
import type { DirectoryEntry, FileSystem } from "../../ports/file-system.ts";
import { resolvePath } from "../../ports/path.ts";
import { type AccessContext, isVisible } from "./access.ts";
import {
  type IgnoreRules,
  isIgnored,
  isIgnoreFile,
  rulesAbove,
  withRulesOf,
} from "./ignore-rules.ts";
import type { Pace } from "./pacer.ts";

/** Of looking at one entry, for the pacer. */
const ENTRY_COST = 1000;

export interface WalkOptions extends AccessContext {
  /** The session's working directory, whose `.gitignore` files count. */
  cwd: string;
  pace: Pace;
  /** Asked with the path relative to the root before a directory is entered. */
  enters?: (directory: string) => boolean;
  /** Told of directories that can't be listed; they are left out. */
  onUnreadable?: (path: string) => void;
}

export interface WalkedFile {
  path: string;
  /** From the root of the walk. */
  relative: string;
  /** With every symlink resolved, where there are rules to ask about it. */
  realPath: string;
  isSymlink: boolean;
}

/**
 * Every file below `root` in the order of its path (by code units), which is the same on every host. Left out is what git
 * ignores, `.git` itself, and what the session's rules refuse to show; symlinks are named, never followed, so there are no
 * loops and no way out of the tree.
 * @throws {FileSystemError} when `root` can't be listed
 */
export async function* walkFiles(
  fs: FileSystem,
  root: string,
  options: WalkOptions,
): AsyncGenerator<WalkedFile> {
  const { cwd, pace, enters = () => true, onUnreadable } = options;
  const top = await open(fs, root, "", await rulesAbove(fs, root, cwd));
  const realRoot = options.rules ? await fs.realpath(root) : root;
  const trail = [top];
  for (let current = trail.at(-1); current; current = trail.at(-1)) {
    const turn = pace(ENTRY_COST);
    if (turn) await turn;
    const entry = current.entries[current.next];
    current.next += 1;
    if (!entry) {
      trail.pop();
      continue;
    }
    const path = resolvePath(current.path, entry.name);
    const relative = current.relative === "" ? entry.name : `${current.relative}/${entry.name}`;
    const isDirectory = entry.type === "directory";
    if (entry.name.toLowerCase() === ".git" || isIgnored(current.rules, path, isDirectory))
      continue;
    if (!isDirectory) {
      const isSymlink = entry.type === "symlink";
      const realPath =
        isSymlink && options.rules ? await target(fs, path) : resolvePath(realRoot, relative);
      if (isVisible(options, path, realPath)) yield { path, relative, realPath, isSymlink };
    } else if (enters(relative)) {
      try {
        trail.push(await open(fs, path, relative, current.rules));
      } catch (error) {
        if (!(error instanceof FileSystemError)) throw error;
        onUnreadable?.(path);
      }
    }
  }
}

/** Where a link leads; nowhere but to itself when that is not there. */
async function target(fs: FileSystem, link: string): Promise<string> {
  try {
    return await fs.realpath(link);
  } catch (error) {
    if (error instanceof FileSystemError) return link;
    throw error;
  }
}

interface OpenDirectory {
  path: string;
  relative: string;
  entries: DirectoryEntry[];
  /** Index in `entries`. */
  next: number;
  rules: IgnoreRules | undefined;
}

async function open(
  fs: FileSystem,
  path: string,
  relative: string,
  above: IgnoreRules | undefined,
): Promise<OpenDirectory> {
  const entries = (await fs.readdir(path)).sort(byPath);
  const hasRules = entries.some(({ name }) => isIgnoreFile(name));
  const rules = hasRules ? await withRulesOf(fs, path, above) : above;
  return { path, relative, entries, next: 0, rules };
}

/** As if all paths below were sorted at once: `a.ts` comes before `a/b`, because `.` comes before `/`. */
function byPath(left: DirectoryEntry, right: DirectoryEntry): number {
  const [a, b] = [pathKey(left), pathKey(right)];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function pathKey({ name, type }: DirectoryEntry): string {
  return type === "directory" ? `${name}/` : name;
}
