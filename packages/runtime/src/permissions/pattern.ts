import { isWithin, normalizePath, resolvePath } from "../ports/path.ts";
import type { ToolArgs } from "../messages/message.ts";
import { possibleCommands, type PossibleCommands } from "./shell-reader.ts";
import { provableCommands } from "./shell-words.ts";

/** `Tool` or `Tool(pattern)`, taken apart. `*` in the tool's name stands for any characters. */
export interface PermissionPattern {
  tool: string;
  /** Absent for a bare tool name: any call of the tool. */
  argument?: string;
}

/** A call as rules see it. */
export interface PermissionCall {
  tool: string;
  cwd: string;
  /** The name of the argument that patterns are matched against; absent when the tool has none. */
  patternArgument?: string;
  /** That argument as text. */
  value?: string;
  /** For a shell line: what it may run, read once for all rules. */
  possible(): PossibleCommands;
}

/** The argument that a pattern is matched against, for the built-in tools. */
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

export function describeCall(
  tool: string,
  args: ToolArgs,
  context: { cwd?: string; patternArgument?: string } = {},
): PermissionCall {
  const builtIn = Object.hasOwn(PATTERN_ARGUMENTS, tool) ? PATTERN_ARGUMENTS[tool] : undefined;
  const patternArgument = context.patternArgument ?? builtIn;
  const value = patternArgument === undefined ? undefined : args[patternArgument];
  const isText = ["string", "number", "boolean"].includes(typeof value);
  let possible: PossibleCommands | undefined;
  return {
    tool,
    cwd: context.cwd ?? "/",
    ...(patternArgument === undefined ? {} : { patternArgument }),
    ...(isText ? { value: String(value) } : {}),
    possible: () => (possible ??= possibleCommands(isText ? String(value) : "")),
  };
}

/** `undefined` for what is no rule. */
export function parsePattern(text: string): PermissionPattern | undefined {
  const match = /^([\w.:*-]+)(?:\((.*)\))?$/s.exec(text.trim());
  if (!match) return undefined;
  const [, tool = "", argument] = match;
  if (argument === undefined) return { tool };
  return argument.trim() === "" ? undefined : { tool, argument };
}

/**
 * Whether a rule that forbids or asks concerns a call. For a shell line, one part of it is enough. What can't be
 * decided counts as a yes: a rule that does not parse but names the tool, and a pattern for a tool without an argument
 * to match it against.
 */
export function concerns(rule: string, call: PermissionCall): boolean {
  const pattern = parsePattern(rule);
  if (!pattern) {
    const name = /^[\w.:*-]*/.exec(rule.trim())?.[0] ?? "";
    return name === "" || wildcard(name, call.tool);
  }
  const { argument } = pattern;
  if (argument !== undefined && call.patternArgument === undefined)
    return wildcard(pattern.tool, call.tool);
  if (matches(pattern, call)) return true;
  if (call.tool !== "Bash" || argument === undefined || call.value === undefined) return false;
  if (!wildcard(pattern.tool, call.tool)) return false;
  const words = wordsOf(argument);
  const { commands, isComplete } = call.possible();
  return !isComplete || commands.some((line) => coversWords(words, line));
}

/**
 * The rules that together allow a call, or `undefined` when they don't. A rule without `*` allows exactly the line it
 * spells out. Otherwise every command of a shell line must be covered by a rule, and nothing may be beyond proof.
 */
export function allowingRules(
  rules: readonly { rule: string; pattern: PermissionPattern }[],
  call: PermissionCall,
): string[] | undefined {
  const { tool, value } = call;
  const whole = rules.find(({ pattern }) => {
    const { argument } = pattern;
    const isFixed = argument === undefined || argument === "*" || !argument.includes("*");
    return (tool !== "Bash" || isFixed) && matches(pattern, call);
  });
  if (whole) return [whole.rule];
  if (tool !== "Bash" || value === undefined) return undefined;
  const commands = provableCommands(value);
  if (!commands) return undefined;
  const patterns = rules.flatMap(({ rule, pattern: { tool: name, argument = "" } }) =>
    wildcard(name, tool) && !isSpelledOut(argument) ? [{ rule, words: wordsOf(argument) }] : [],
  );
  const used = new Set<string>();
  for (const line of commands) {
    const covering = patterns.find(({ words }) => coversWords(words, line));
    if (!covering) return undefined;
    used.add(covering.rule);
  }
  return [...used];
}

/** A line with quotes or operators and no `*` means itself as a whole; its pieces are no words to compare. */
function isSpelledOut(argument: string): boolean {
  return !argument.includes("*") && /[^\w@%+=:,./^~ \t-]/.test(argument);
}

function matches(pattern: PermissionPattern, { tool, value, cwd }: PermissionCall): boolean {
  if (!wildcard(pattern.tool, tool)) return false;
  const { argument } = pattern;
  if (argument === undefined || argument === "*") return true;
  if (value === undefined) return false;
  if (PATH_TOOLS.has(tool)) return matchesPath(argument, value, cwd);
  return tool === "Bash" ? wildcard(argument.trim(), value.trim()) : wildcard(argument, value);
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
