import { FileSystemError } from "../../errors.ts";
import type { DirectoryEntry } from "../../ports/file-system.ts";
import type { Platform } from "../../ports/platform.ts";
import { basename, dirname, resolvePath } from "../../ports/path.ts";
import { ToolFailure } from "../failure.ts";
import { type AccessContext, isVisible } from "./access.ts";

/** The part of a tool's context that paths are about. */
export interface PathContext extends AccessContext {
  platform: Pick<Platform, "fs">;
  cwd: string;
}

const MAX_SUGGESTIONS = 3;
/** Names of a directory that are shown where a file was expected. */
const MAX_LISTED = 20;
/** Names of a directory that are compared; enough for any that people keep by hand. */
const MAX_COMPARED = 2000;

/** The absolute path of a tool's path argument. */
export function locate({ cwd }: Pick<PathContext, "cwd">, path: string): string {
  return resolvePath(cwd, path);
}

/** An `ENOENT` failure with similar names. */
export async function notFound(
  context: PathContext,
  path: string,
  cause: FileSystemError,
): Promise<ToolFailure> {
  const message = `${path} does not exist.`;
  let parent = dirname(path);
  let missing = path;
  let entries = await visibleEntries(context, parent);
  while (entries === undefined && parent !== "/") {
    missing = parent;
    parent = dirname(parent);
    entries = await visibleEntries(context, parent);
  }
  const names = (entries ?? []).map(({ name }) => name);
  const near = nearNames(basename(missing), names).map((name) => resolvePath(parent, name));
  const hints = [
    ...(missing === path ? [] : [`There is no ${missing} either.`]),
    ...(near.length > 0 ? [`Did you mean ${near.join(" or ")}?`] : []),
    `The working directory is ${context.cwd}.`,
  ];
  return new ToolFailure("ENOENT", message, { cause, hint: hints.join(" ") });
}

/** An `EISDIR` failure with the directory's entries. */
export async function isDirectory(context: PathContext, path: string): Promise<ToolFailure> {
  const entries = (await visibleEntries(context, path)) ?? [];
  const shown = entries.slice(0, MAX_LISTED).map(displayName);
  const more = entries.length > shown.length ? `, and ${entries.length - shown.length} more` : "";
  const content = shown.length > 0 ? `It holds ${shown.join(", ")}${more}. ` : "";
  return new ToolFailure("EISDIR", `${path} is a directory, not a file.`, {
    hint: `${content}Glob finds files in it.`,
  });
}

/** The visible entries of a directory; empty for an unreadable one, since names are only a courtesy here. */
async function visibleEntries(
  context: PathContext,
  directory: string,
): Promise<DirectoryEntry[] | undefined> {
  const { fs } = context.platform;
  try {
    const entries = await fs.readdir(directory);
    if (!context.rules) return entries;
    const real = await fs.realpath(directory);
    return entries.filter(({ name }) =>
      isVisible(context, resolvePath(directory, name), resolvePath(real, name)),
    );
  } catch (error) {
    if (error instanceof FileSystemError) return undefined;
    throw error;
  }
}

function displayName({ name, type }: DirectoryEntry): string {
  return type === "directory" ? `${name}/` : name;
}

/** The names most like `wanted`, best first. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const target = fold(wanted);
  const limit = Math.max(2, Math.floor(target.length / 3));
  return names
    .slice(0, MAX_COMPARED)
    .map((name) => ({ name, distance: nameDistance(target, fold(name)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** Names that a person takes for the same: case, and the ways Unicode has to write one letter. */
function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

function nameDistance(a: string, b: string): number {
  if (a === b) return 0;
  // `index.ts` for `index.tsx`, `user` for `user.ts`: the same thing under another ending.
  if (stem(a) !== "" && stem(a) === stem(b)) return 1;
  return editDistance(a, b);
}

function stem(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf("."))) || name;
}

/** Edit distance from `a` to `b` (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
