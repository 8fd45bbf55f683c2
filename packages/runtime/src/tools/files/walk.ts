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

/** Cost of one entry, for the pacer. */
const ENTRY_COST = 250;
/** Entries between two calls of the pacer. */
const ENTRIES_AT_ONCE = 64;
/** Size of a group: large enough to make the cost of handing it over negligible. */
const FILES_AT_ONCE = 512;

const GIT = ".git";

export interface WalkOptions extends AccessContext {
  /** The session's working directory, whose `.gitignore` files count. */
  cwd: string;
  pace: Pace;
  /** Size of a group. */
  filesAtOnce?: number | undefined;
  /** Asked with the path relative to the root before a directory is entered. */
  enters?: ((directory: string) => boolean) | undefined;
  /**
   * Called with each path left out because git ignores it, or because it was not entered; once for a whole directory.
   */
  onLeftOut?: ((path: string) => void) | undefined;
  /** Called with unreadable directories, which are left out. */
  onUnreadable?: ((path: string) => void) | undefined;
}

export interface WalkedFile {
  path: string;
  /** Path from the root of the walk. */
  relative: string;
  /** Canonical path, where there are rules to check for it. */
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
 * Yields every file below `root` in groups, ordered by path (code units), which is the same on every host. Leaves out
 * files ignored by git, `.git` itself, and files the session's rules hide; symlinks are listed, never followed, so
 * there are no loops and no way out of the tree.
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

/** The target of a link; the link itself if dangling. */
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

/** Sorts as if all paths below were sorted at once: `a.ts` comes before `a/b`, because `.` comes before `/`. */
function inPathOrder(entries: DirectoryEntry[]): DirectoryEntry[] {
  // Entries arrive sorted by name; without directories, that is the order.
  if (!entries.some(({ type }) => type === "directory")) return entries;
  const keyed = entries.map((entry) => ({
    entry,
    key: entry.type === "directory" ? `${entry.name}/` : entry.name,
  }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ entry }) => entry);
}
