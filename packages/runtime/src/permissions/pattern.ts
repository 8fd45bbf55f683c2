import { isWithin, normalizePath, resolvePath } from "../ports/path.ts";
import type { ToolArgs } from "../messages/message.ts";
import { parseCommands } from "./shell-words.ts";

/** `Tool` or `Tool(pattern)`, taken apart. */
export interface PermissionPattern {
  tool: string;
  /** Absent for a bare tool name: any call of the tool. */
  argument?: string;
}

/** The argument that a pattern of each known tool is matched against. */
const PATTERN_ARGUMENTS: Readonly<Record<string, string>> = {
  Bash: "command",
  Read: "filePath",
  Write: "filePath",
  Edit: "filePath",
  Glob: "pattern",
  Grep: "pattern",
  WebFetch: "url",
  WebSearch: "query",
};
const PATH_TOOLS = new Set(["Read", "Write", "Edit"]);

export function parsePattern(text: string): PermissionPattern | undefined {
  const match = /^([\w.:-]+)(?:\((.*)\))?$/s.exec(text.trim());
  if (!match) return undefined;
  const [, tool = "", argument] = match;
  return argument === undefined ? { tool } : { tool, argument };
}

/** Whether a rule that forbids or asks concerns a call. For a shell line, one part of it is enough. */
export function concerns(
  pattern: PermissionPattern,
  tool: string,
  args: ToolArgs,
  cwd = "/",
): boolean {
  const { argument } = pattern;
  if (tool !== "Bash" || argument === undefined) return matches(pattern, tool, args, cwd);
  const command = pattern.tool === tool ? args.command : undefined;
  if (typeof command !== "string") return false;
  const words = wordsOf(argument);
  return (
    argument === "*" ||
    parseCommands(command).commands.some((line) => coversWords(words, line)) ||
    wildcard(argument, command.trim())
  );
}

/**
 * The rules that together allow a call, or `undefined` when they don't. Every command of a shell line must be covered by
 * one of them, and nothing in the line may be beyond proof.
 */
export function allowingRules(
  rules: readonly { rule: string; pattern: PermissionPattern }[],
  tool: string,
  args: ToolArgs,
  cwd = "/",
): string[] | undefined {
  const whole = rules.find(({ pattern }) => {
    const isAny = pattern.argument === undefined || pattern.argument === "*";
    return (tool !== "Bash" || isAny) && matches(pattern, tool, args, cwd);
  });
  if (whole) return [whole.rule];
  if (tool !== "Bash" || typeof args.command !== "string") return undefined;
  const { commands, isProvable } = parseCommands(args.command);
  if (!isProvable || commands.length === 0) return undefined;
  const used = new Set<string>();
  for (const line of commands) {
    const covering = rules.find(
      ({ pattern }) => pattern.tool === tool && coversWords(wordsOf(pattern.argument ?? ""), line),
    );
    if (!covering) return undefined;
    used.add(covering.rule);
  }
  return [...used];
}

function matches(pattern: PermissionPattern, tool: string, args: ToolArgs, cwd: string): boolean {
  if (pattern.tool !== tool) return false;
  if (pattern.argument === undefined || pattern.argument === "*") return true;
  const value = args[PATTERN_ARGUMENTS[tool] ?? ""];
  if (typeof value !== "string") return false;
  return PATH_TOOLS.has(tool)
    ? matchesPath(pattern.argument, value, cwd)
    : wildcard(pattern.argument, value);
}

function wordsOf(argument: string): string[] {
  return argument.trim().split(/\s+/);
}

/** Token by token, so that `ls *` is not `lsof`. A last `*` stands for any further words, also none. */
function coversWords(pattern: readonly string[], words: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === "*";
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((token, index) => wildcard(token, words[index] ?? ""));
}

/**
 * `/src/**` is anchored at the working directory, and at the filesystem's root when the path lies outside of it;
 * `//abs` always at the root; anything else is relative to the working directory.
 */
function matchesPath(pattern: string, path: string, cwd: string): boolean {
  const target = resolvePath(cwd, path);
  if (pattern.startsWith("//")) return glob(normalizePath(pattern), target);
  if (pattern.startsWith("/")) {
    const anchored = isWithin(cwd, target) && glob(resolvePath(cwd, `.${pattern}`), target);
    return anchored || glob(normalizePath(pattern), target);
  }
  return glob(resolvePath(cwd, pattern), target);
}

/** `*` within a segment, `**` over segments. Linear in pattern times path. */
function glob(pattern: string, path: string): boolean {
  return matchSegments(pattern.split("/"), path.split("/"));
}

function matchSegments(pattern: readonly string[], path: readonly string[]): boolean {
  // reachable[j] is 1 when the pattern so far covers the first j segments.
  let reachable = new Uint8Array(path.length + 1);
  reachable[0] = 1;
  for (const segment of pattern) {
    const next = new Uint8Array(path.length + 1);
    for (let index = 0; index <= path.length; index++) {
      const before = index > 0;
      const isCovered =
        segment === "**"
          ? reachable[index] === 1 || (before && next[index - 1] === 1)
          : before && reachable[index - 1] === 1 && wildcard(segment, path[index - 1] ?? "");
      next[index] = isCovered ? 1 : 0;
    }
    reachable = next;
  }
  return reachable[path.length] === 1;
}

/** `*` stands for any characters. Greedy with one point of return, so linear in practice and quadratic at worst. */
function wildcard(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === "*") {
      star = p++;
      mark = t;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
