import { FileSystemError, type DirectoryEntry, type FileSystem } from "@robota/runtime/ports";
import { matches, type MatchOptions } from "../patterns/match.ts";
import { hasPattern, parsePattern, unquotePattern, type Pattern } from "../patterns/pattern.ts";
import { ignoredBy } from "./ignored-names.ts";

export interface GlobOptions {
  readonly files: Pick<FileSystem, "readdir" | "lstat" | "stat">;
  readonly cwd: string;
  /** Options of `shopt` that are on. */
  readonly options: ReadonlySet<string>;
  /** The value of `GLOBIGNORE`: patterns of paths to leave out. With some, hidden files are shown. */
  readonly ignored: string;
}

/** The paths that a pattern with slashes matches, sorted; each spelled as the pattern is. */
export async function expandGlob(source: string, context: GlobOptions): Promise<string[]> {
  const hasExtendedPatterns = context.options.has("extglob");
  const segments = source.split(/(\/+)/);
  let paths = [""];
  for (let index = 0; index < segments.length && paths.length > 0; index += 2) {
    const segment = segments[index] ?? "";
    const slashes = segments[index + 1] ?? "";
    const isLast = slashes === "";
    // Behind a last slash there must be a directory.
    const isEnd = isLast || segments.slice(index + 2).join("") === "";
    if (segment === "**" && context.options.has("globstar")) {
      // One behind another adds nothing.
      if (segments[index + 2] === "**") continue;
      paths = await descend(paths, context, { isLast, slashes });
    } else if (hasPattern(segment, { hasExtendedPatterns })) {
      const pattern = parsePattern(segment, { hasExtendedPatterns });
      paths = await children(paths, { pattern, segment, slashes }, context);
    } else if (segment !== "" || slashes !== "") {
      paths = await named(paths, unquotePattern(segment), { slashes, isEnd }, context);
    }
  }
  const isIgnored = ignoredBy(context.ignored, context.options);
  return paths.filter((path) => path !== "" && !isIgnored(path)).sort((a, b) => (a < b ? -1 : 1));
}

function showsHidden({ options, ignored }: GlobOptions): boolean {
  return options.has("dotglob") || ignored !== "";
}

function resolve(path: string, { cwd }: GlobOptions): string {
  return path.startsWith("/") ? path : `${cwd === "/" ? "" : cwd}/${path}`;
}

async function list(path: string, context: GlobOptions): Promise<DirectoryEntry[]> {
  try {
    return await context.files.readdir(resolve(path, context).replace(/(?<=[^])\/+$/, "") || "/");
  } catch (error) {
    if (error instanceof FileSystemError) return [];
    throw error;
  }
}

async function isDirectory(
  path: string,
  { type }: DirectoryEntry,
  context: GlobOptions,
): Promise<boolean> {
  if (type !== "symlink") return type === "directory";
  return context.files.stat(resolve(path, context)).then(
    (stat) => stat.type === "directory",
    () => false,
  );
}

const DOTS: readonly DirectoryEntry[] = [".", ".."].map((name) => ({ name, type: "directory" }));

async function children(
  paths: readonly string[],
  { pattern, segment, slashes }: { pattern: Pattern; segment: string; slashes: string },
  context: GlobOptions,
): Promise<string[]> {
  const found: string[] = [];
  const match: MatchOptions = { ignoresCase: context.options.has("nocaseglob") };
  const isDotted = /^\\?\./.test(segment);
  const isHiddenShown = showsHidden(context) || isDotted;
  const dots = isDotted && !context.options.has("globskipdots") ? DOTS : [];
  for (const path of paths) {
    for (const entry of [...dots, ...(await list(path, context))]) {
      if (entry.name.startsWith(".") && !isHiddenShown) continue;
      if (!matches(pattern, entry.name, match)) continue;
      const child = path + entry.name;
      if (slashes === "" || (await isDirectory(child, entry, context))) found.push(child + slashes);
    }
  }
  return found;
}

/** A segment without a pattern, which must be there only where it is the last. */
async function named(
  paths: readonly string[],
  name: string,
  { slashes, isEnd }: { slashes: string; isEnd: boolean },
  context: GlobOptions,
): Promise<string[]> {
  const found = paths.map((path) => path + name);
  const there = await Promise.all(
    found.map(async (path) => !isEnd || isThere(path, slashes !== "", context)),
  );
  return found.flatMap((path, at) => (there[at] ? path + slashes : []));
}

async function isThere(
  path: string,
  mustBeDirectory: boolean,
  context: GlobOptions,
): Promise<boolean> {
  const { files } = context;
  const full = resolve(path, context);
  const stat = mustBeDirectory ? files.stat(full) : files.lstat(full);
  return stat.then(
    ({ type }) => !mustBeDirectory || type === "directory",
    () => false,
  );
}

/** `**`: all directories below, and files where it is the last segment. Symlinks are not followed. */
async function descend(
  paths: readonly string[],
  context: GlobOptions,
  { isLast, slashes }: { isLast: boolean; slashes: string },
): Promise<string[]> {
  const found: string[] = [];
  const visit = async (path: string): Promise<void> => {
    for (const entry of await list(path, context)) {
      if (entry.name.startsWith(".") && !showsHidden(context)) continue;
      const child = path + entry.name;
      if (isLast) found.push(child);
      else if (entry.type === "directory") found.push(child + slashes);
      if (entry.type === "directory") await visit(`${child}/`);
    }
  };
  for (const path of paths) {
    if (path !== "" && !(await isThere(path, true, context))) continue;
    found.push(path);
    await visit(path);
  }
  return found;
}
