import {
  matchesName,
  matchesPath,
  type NamePattern,
  parseName,
  parseSegments,
  type Segment,
} from "../glob/path-segments.ts";

/** Maximum number of rules: more is not a hand-written list, and each is tried for each file. */
const MAX_RULES = 10_000;
const MAX_RULE_LENGTH = 1000;

/**
 * The verdict of a `.gitignore` on a path below its directory: `true` for ignored, `false` for re-included with `!`,
 * `undefined` for unmentioned. Parent directories are assumed not ignored.
 */
export type IgnoreFile = (relative: string, isDirectory: boolean) => boolean | undefined;

interface IgnoreRule {
  /** Verdict on a matching path. */
  ignores: boolean;
  onlyDirectories: boolean;
  /** A name at any depth, or a path from the directory of the file. */
  pattern: NamePattern | Segment[];
}

/**
 * Reads a `.gitignore`. Matching takes time in proportion to pattern times path, as the file may be a stranger's: with
 * `a/**\/` seven times in a row, a regular expression of the host takes minutes in a deep directory.
 */
export function parseIgnoreFile(text: string): IgnoreFile {
  const rules: IgnoreRule[] = [];
  for (const line of text.split("\n")) {
    if (rules.length < MAX_RULES) rules.push(...parseRule(line));
  }
  rules.reverse();
  return (relative, isDirectory) => {
    const name = relative.slice(relative.lastIndexOf("/") + 1);
    for (const { ignores, onlyDirectories, pattern } of rules) {
      if (onlyDirectories && !isDirectory) continue;
      const isMatch = Array.isArray(pattern)
        ? matchesPath(pattern, relative, true)
        : matchesName(pattern, name, true);
      if (isMatch) return ignores;
    }
    return undefined;
  };
}

function parseRule(line: string): IgnoreRule[] {
  if (line.length > MAX_RULE_LENGTH) return [];
  // Spaces at the end count only behind a backslash.
  const rule = line.replace(/\r$/, "").replace(/(?<!\\) +$/, "");
  if (rule === "" || rule.startsWith("#")) return [];
  const ignores = !rule.startsWith("!");
  const body = ignores ? rule : rule.slice(1);
  const onlyDirectories = body.endsWith("/");
  const path = onlyDirectories ? body.slice(0, -1) : body;
  if (path === "" || path.split("/").includes("..")) return [];
  const pattern = path.includes("/") ? parseSegments(path) : parseName(path);
  return [{ ignores, onlyDirectories, pattern }];
}
