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
} from "./ignore/ignore-rules.ts";
import type { Pace } from "./pacer.ts";

/** Of looking at one entry, for the pacer. */
const ENTRY_COST = 250;
/** Entries that are looked at between two questions to the pacer. */
const ENTRIES_AT_ONCE = 64;
/** Files that come at once: enough that what it costs to hand them over is nothing for each. */
const FILES_AT_ONCE = 512;

const GIT = ".git";

export interface WalkOptions extends AccessContext {
  /** The session's working directory, whose `.gitignore` files count. */
  cwd: string;
  pace: Pace;
  /** How many files come at once. */
  filesAtOnce?: number;
  /** Asked with the path relative to the root before a directory is entered. */
  enters?: (directory: string) => boolean;
  /** Told of what is left out because git ignores it, or because it was not entered; of a directory as a whole. */
  onLeftOut?: (path: string) => void;
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

/** As `walkFileGroups`, one file at a time. */
export async function* walkFiles(
  fs: FileSystem,
  root: string,
  options: WalkOptions,
): AsyncGenerator<WalkedFile> {
  for await (const files of walkFileGroups(fs, root, options)) yield* files;
}

/**
 * Every file below `root`, some hundred at a time, in the order of its path (by code units), which is the same on every host. Left out is what git
 * ignores, `.git` itself, and what the session's rules refuse to show; symlinks are named, never followed, so there are no
 * loops and no way out of the tree.
 * @throws {FileSystemError} when `root` can't be listed
 */
export async function* walkFileGroups(
  fs: FileSystem,
  root: string,
  options: WalkOptions,
): AsyncGenerator<WalkedFile[]> {
  const { cwd, pace, filesAtOnce = FILES_AT_ONCE, enters = () => true } = options;
  const { onLeftOut, onUnreadable } = options;
  const top = await open(fs, root, "", await rulesAbove(fs, root, cwd));
  const realRoot = options.rules ? await fs.realpath(root) : root;
  const isCanonicalPath = realRoot === root;
  const trail = [top];
  let found: WalkedFile[] = [];
  let looked = 0;
  for (let current = trail.at(-1); current; current = trail.at(-1)) {
    if (looked++ % ENTRIES_AT_ONCE === 0) {
      const turn = pace(ENTRIES_AT_ONCE * ENTRY_COST);
      if (turn) await turn;
    }
    if (found.length >= filesAtOnce) {
      yield found;
      found = [];
    }
    const entry = current.entries[current.next];
    current.next += 1;
    if (!entry) {
      trail.pop();
      continue;
    }
    const { name } = entry;
    const path = current.path === "/" ? `/${name}` : `${current.path}/${name}`;
    const relative = current.relative === "" ? name : `${current.relative}/${name}`;
    const isDirectory = entry.type === "directory";
    const isGit = name.length === GIT.length && name.toLowerCase() === GIT;
    if (isGit || isIgnored(current.rules, path, isDirectory)) {
      onLeftOut?.(path);
      continue;
    }
    if (!isDirectory) {
      const isSymlink = entry.type === "symlink";
      const realPath =
        isSymlink && options.rules
          ? await target(fs, path)
          : isCanonicalPath
            ? path
            : resolvePath(realRoot, relative);
      if (isVisible(options, path, realPath)) found.push({ path, relative, realPath, isSymlink });
    } else if (enters(relative)) {
      try {
        trail.push(await open(fs, path, relative, current.rules));
      } catch (error) {
        if (!(error instanceof FileSystemError)) throw error;
        onUnreadable?.(path);
      }
    } else {
      onLeftOut?.(path);
    }
  }
  if (found.length > 0) yield found;
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
  const entries = inPathOrder(await fs.readdir(path));
  const hasRules = entries.some(({ name }) => isIgnoreFile(name));
  const rules = hasRules ? await withRulesOf(fs, path, above) : above;
  return { path, relative, entries, next: 0, rules };
}

/** As if all paths below were sorted at once: `a.ts` comes before `a/b`, because `.` comes before `/`. */
function inPathOrder(entries: DirectoryEntry[]): DirectoryEntry[] {
  // They come sorted by name, and without directories that is the order.
  if (!entries.some(({ type }) => type === "directory")) return entries;
  const keyed = entries.map((entry) => ({
    entry,
    key: entry.type === "directory" ? `${entry.name}/` : entry.name,
  }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ entry }) => entry);
}
