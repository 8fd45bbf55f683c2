import {
  dirname,
  FileSystemError,
  type FileSystem,
  decodeText,
  isWithin,
  relativePath,
} from "@robota/runtime/ports";
import { matches } from "../../engine/patterns/match.ts";
import { parsePattern, type Pattern } from "../../engine/patterns/pattern.ts";

/** In order of precedence: `.ignore` is for search tools alone and comes first. */
const IGNORE_FILES = [".ignore", ".gitignore"];
const MAX_RULES = 10_000;
const MAX_RULE_LENGTH = 1_000;

/**
 * The verdict of an ignore file on a path below its directory: `true` for ignored, `false` for re-included with `!`,
 * `undefined` for unmentioned. Parent directories are assumed not ignored.
 */
export type IgnoreFile = (relative: string, isDirectory: boolean) => boolean | undefined;

/** Stands for any number of directories. */
const ANY_DEPTH = "**";

type Segment = Pattern | typeof ANY_DEPTH;

interface Rule {
  readonly ignores: boolean;
  readonly onlyDirectories: boolean;
  /** A path from the directory of the file; a single name at any depth. */
  readonly segments: readonly Segment[];
}

/** Reads an ignore file. Matching takes time in proportion to pattern times path. */
export function parseIgnoreFile(text: string): IgnoreFile {
  const rules = text.split("\n").flatMap(parseRule).slice(0, MAX_RULES).reverse();
  return (relative, isDirectory) => {
    const names = relative.split("/");
    const rule = rules.find(
      ({ onlyDirectories, segments }) =>
        (isDirectory || !onlyDirectories) && matchesSegments(segments, names),
    );
    return rule?.ignores;
  };
}

function parseRule(line: string): Rule[] {
  if (line.length > MAX_RULE_LENGTH) return [];
  // Spaces at the end count only behind a backslash.
  const rule = line.replace(/\r$/, "").replace(/(?<!\\) +$/, "");
  if (rule === "" || rule.startsWith("#")) return [];
  const ignores = !rule.startsWith("!");
  const body = ignores ? rule : rule.slice(1);
  const path = body.replace(/\/$/, "");
  const parts = path.replace(/^\//, "").split("/");
  if (path === "" || parts.includes("..")) return [];
  const segments = parts.map((part): Segment =>
    part === ANY_DEPTH ? ANY_DEPTH : parsePattern(part, { hasExtendedPatterns: false }),
  );
  return [
    {
      ignores,
      onlyDirectories: body.endsWith("/"),
      segments: path.includes("/") ? segments : [ANY_DEPTH, ...segments],
    },
  ];
}

/** Advances through the names of a path with all positions in the pattern at once. */
function matchesSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  let positions = new Set([0]);
  // Directories without a name may be at any place of the pattern, but not at its end, which stands for something.
  const spread = (from: Set<number>): Set<number> => {
    for (const at of from)
      if (segments[at] === ANY_DEPTH && at < segments.length - 1) from.add(at + 1);
    return from;
  };
  for (const name of names) {
    const next = new Set<number>();
    for (const at of spread(positions)) {
      const segment = segments[at];
      if (segment === undefined) continue;
      if (segment === ANY_DEPTH) {
        next.add(at);
        if (at === segments.length - 1) next.add(at + 1);
      } else if (matches(segment, name)) next.add(at + 1);
    }
    positions = next;
  }
  return positions.has(segments.length);
}

/** The rules of a directory's ignore files and those above it, the nearest first. */
export interface IgnoreRules {
  readonly directory: string;
  readonly files: readonly IgnoreFile[];
  readonly above: IgnoreRules | undefined;
}

/** Reports whether a path is ignored. Its parent directories are assumed not ignored. */
export function isIgnored(
  nearest: IgnoreRules | undefined,
  path: string,
  isDirectory: boolean,
): boolean {
  for (let level = nearest; level; level = level.above) {
    const relative = relativePath(level.directory, path);
    const verdicts = level.files.map((file) => file(relative, isDirectory));
    const verdict = verdicts.find((one) => one !== undefined);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

/** The rules inside a directory, given those above it. */
export async function withRulesOf(
  fs: FileSystem,
  directory: string,
  above: IgnoreRules | undefined,
): Promise<IgnoreRules | undefined> {
  const files: IgnoreFile[] = [];
  for (const name of IGNORE_FILES) {
    const bytes = await fs.readFile(`${directory === "/" ? "" : directory}/${name}`).catch(missing);
    if (bytes) files.push(parseIgnoreFile(decodeText(bytes)));
  }
  return files.length === 0 ? above : { directory, files, above };
}

function missing(error: unknown): undefined {
  if (error instanceof FileSystemError) return undefined;
  throw error;
}

/** The rules of the directories above one, up to that of the repository, or else to the working directory. */
export async function rulesAbove(
  fs: FileSystem,
  root: string,
  cwd: string,
): Promise<IgnoreRules | undefined> {
  const above: string[] = [];
  for (let at = root; at !== "/";) {
    if (await fs.lstat(`${at}/.git`).then(() => true, missing)) break;
    at = dirname(at);
    above.push(at);
  }
  const repository = above.at(-1) ?? root;
  const isInside = await fs
    .lstat(`${repository === "/" ? "" : repository}/.git`)
    .then(() => true, missing);
  const counted = isInside ? above : above.filter((one) => isWithin(cwd, one));
  let rules: IgnoreRules | undefined;
  for (const directory of counted.toReversed()) rules = await withRulesOf(fs, directory, rules);
  return rules;
}
