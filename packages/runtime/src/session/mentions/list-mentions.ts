import { FileSystemError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { createPacer } from "../../tools/files/pacer.ts";
import { walkFiles } from "../../tools/files/walk.ts";

/** Far more than anybody finds by a few letters, and a second's work at most. */
const MAX_FILES = 20_000;

/**
 * The paths that a prompt can mention: files of the workspace that git does not ignore, and the directories they are in,
 * which end in a slash.
 */
export async function mentionablePaths(
  { fs, cwd }: { fs: FileSystem; cwd: string },
  signal: AbortSignal,
): Promise<string[]> {
  const directories = new Set<string>();
  const files: string[] = [];
  try {
    for await (const { relative } of walkFiles(fs, cwd, { cwd, pace: createPacer(signal) })) {
      for (let at = relative.indexOf("/"); at >= 0; at = relative.indexOf("/", at + 1))
        directories.add(relative.slice(0, at + 1));
      if (files.push(relative) >= MAX_FILES) break;
    }
  } catch (error) {
    // A workspace that is not there yet has no files.
    if (!(error instanceof FileSystemError)) throw error;
  }
  return [...directories, ...files];
}

/**
 * The paths that typed letters may stand for, best first: names that begin with them, then names and paths that have
 * them, then paths that have them in this order. Case is ignored. Without letters, what lies nearest.
 */
export function pathsLike(paths: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  return paths
    .map((path) => ({ path, rank: rankOf(path.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank < Infinity)
    .toSorted(
      (a, b) =>
        a.rank - b.rank ||
        depth(a.path) - depth(b.path) ||
        a.path.length - b.path.length ||
        (a.path < b.path ? -1 : 1),
    )
    .map(({ path }) => path);
}

function rankOf(path: string, wanted: string): number {
  if (wanted === "") return 0;
  const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1);
  if (name.startsWith(wanted)) return 1;
  if (path.startsWith(wanted)) return 2;
  if (name.includes(wanted)) return 3;
  if (path.includes(wanted)) return 4;
  let at = -1;
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1);
    if (at < 0) return Infinity;
  }
  return 5;
}

/** Number of directories above it. */
function depth(path: string): number {
  return path.split("/").length - (path.endsWith("/") ? 2 : 1);
}
