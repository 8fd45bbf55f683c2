import { ToolFailure } from "../failure.ts";
import { expandBraces } from "./braces.ts";

const MAX_PATTERN_LENGTH = 4096;

/** A glob pattern, ready to be asked about paths relative to where it starts. */
export interface GlobPattern {
  readonly matches: (path: string) => boolean;
  /** Whether anything below this directory can match, so that a walk need not enter the others. */
  readonly mayHold: (directory: string) => boolean;
}

export interface GlobOptions {
  /** Whether wildcards also match names that start with a dot. By default only a dot in the pattern does. */
  dot?: boolean;
}

/**
 * Reads a pattern of `*`, `?`, `[…]`, `**` and braces, with the meaning they have in picomatch. The answer takes time in
 * proportion to pattern times path, whatever a model writes: matchers that compile to a regular expression of the host
 * take minutes for `*a*a*a*a*b` on a long name.
 * @throws {ToolFailure} `invalid_pattern`
 */
export function compileGlob(pattern: string, options: GlobOptions = {}): GlobPattern {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new ToolFailure("invalid_pattern", "The glob pattern is too long.", {
      hint: `It may have up to ${MAX_PATTERN_LENGTH} characters.`,
    });
  }
  const extended = /[@?*+!]\([^)]*\|[^)]*\)|!\(/.exec(pattern);
  if (extended) {
    throw new ToolFailure(
      "invalid_pattern",
      `Extended globs are not supported: ${extended[0]} at position ${extended.index + 1}.`,
      { hint: "Use braces for alternatives, such as *.{ts,tsx}." },
    );
  }
  const negated = pattern.startsWith("!");
  const dot = options.dot ?? false;
  const alternatives = expandBraces(negated ? pattern.slice(1) : pattern).map(parseSegments);
  const found = (path: string) => {
    const names = path.split("/");
    return alternatives.some((segments) => reach(segments, names, dot).includes(segments.length));
  };
  if (negated) return { matches: (path) => !found(path), mayHold: () => true };
  return {
    matches: found,
    mayHold(directory) {
      const names = directory.split("/");
      return alternatives.some((segments) =>
        reach(segments, names, dot).some((position) => position < segments.length),
      );
    },
  };
}

/** The directory that a pattern names before its first wildcard, and the pattern from there. */
export function splitGlob(pattern: string): { base: string; rest: string } {
  const segments = pattern.split("/");
  const magic = segments.findIndex((segment) => /[*?[\]{}\\!]/.test(segment));
  const length = magic === -1 ? segments.length - 1 : magic;
  const base = segments.slice(0, length).join("/");
  return {
    base: base === "" && pattern.startsWith("/") && length > 0 ? "/" : base,
    rest: segments.slice(length).join("/"),
  };
}

type Segment = typeof ANY_DEPTH | NamePattern;
/** `**`: any number of directories. */
const ANY_DEPTH = Symbol("**");

interface NamePattern {
  /** As it was written: a name that is the same matches, also when it looks like a pattern (`[slug]`). */
  source: string;
  tokens: Token[];
  startsWithDot: boolean;
}

type Token =
  | { kind: "literal"; char: string }
  | { kind: "one" }
  | { kind: "many" }
  | { kind: "set"; negated: boolean; ranges: [number, number][] };

function parseSegments(pattern: string): Segment[] {
  const segments: Segment[] = [];
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) {
    throw new ToolFailure("invalid_pattern", `A glob pattern can't have .. after a wildcard.`, {
      hint: "Name the directory to start from in `path`.",
    });
  }
  for (const part of parts) {
    if (part !== "**") segments.push(parseName(part));
    else if (segments.at(-1) !== ANY_DEPTH) segments.push(ANY_DEPTH);
  }
  // What is searched for are files: `src/**` is everything below, not `src` itself.
  if (segments.at(-1) === ANY_DEPTH) segments.push(parseName("*"));
  return segments;
}

function parseName(source: string): NamePattern {
  const tokens: Token[] = [];
  const chars = Array.from(source);
  for (let index = 0; index < chars.length; index += 1) {
    const char = chars[index]!;
    const set = char === "[" ? parseSet(chars, index) : undefined;
    if (set) {
      tokens.push(set.token);
      index = set.end;
    } else if (char === "\\" && index + 1 < chars.length) {
      index += 1;
      tokens.push({ kind: "literal", char: chars[index]! });
    } else if (char === "?") tokens.push({ kind: "one" });
    else if (char !== "*") tokens.push({ kind: "literal", char });
    else if (tokens.at(-1)?.kind !== "many") tokens.push({ kind: "many" });
  }
  const [first] = tokens;
  return { source, tokens, startsWithDot: first?.kind === "literal" && first.char === "." };
}

/** `[a-z_]`, `[!0-9]`; `undefined` when the bracket is never closed, which makes it a literal one. */
function parseSet(
  chars: readonly string[],
  start: number,
): { token: Token; end: number } | undefined {
  const negated = chars[start + 1] === "!" || chars[start + 1] === "^";
  const ranges: [number, number][] = [];
  const first = start + (negated ? 2 : 1);
  for (let index = first; index < chars.length; index += 1) {
    if (chars[index] === "]" && index > first) {
      return { token: { kind: "set", negated, ranges }, end: index };
    }
    if (chars[index] === "\\" && index + 1 < chars.length) index += 1;
    const from = chars[index]!.codePointAt(0)!;
    const isRange = chars[index + 1] === "-" && ![undefined, "]"].includes(chars[index + 2]);
    if (isRange) index += 2;
    ranges.push([from, chars[index]!.codePointAt(0)!]);
  }
  return undefined;
}

/** The positions in `segments` that a walk along `names` can have come to: all at once, so nothing is ever tried again. */
function reach(segments: readonly Segment[], names: readonly string[], dot: boolean): number[] {
  let positions = withSkipped(segments, [0]);
  for (const name of names) {
    const next = new Set<number>();
    for (const position of positions) {
      const segment = segments[position];
      if (segment === undefined) continue;
      if (segment !== ANY_DEPTH) {
        if (matchesName(segment, name, dot)) next.add(position + 1);
      } else if (dot || !name.startsWith(".")) next.add(position);
    }
    positions = withSkipped(segments, [...next]);
  }
  return positions;
}

/** Adds the positions behind `**`, which may stand for no directory at all. */
function withSkipped(segments: readonly Segment[], positions: readonly number[]): number[] {
  const all = new Set(positions);
  for (const position of all) if (segments[position] === ANY_DEPTH) all.add(position + 1);
  return [...all];
}

function matchesName(pattern: NamePattern, name: string, dot: boolean): boolean {
  if (pattern.source === name) return true;
  if (name.startsWith(".") && !pattern.startsWithDot && !dot) return false;
  return matchesTokens(pattern.tokens, Array.from(name));
}

/** Greedy from the last `*` on: when the rest fails, that star takes one character more. */
function matchesTokens(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let star = -1;
  let starEnd = 0;
  for (let index = 0; index < name.length;) {
    const current = tokens[token];
    if (current?.kind === "many") {
      star = token;
      starEnd = index;
      token += 1;
    } else if (current && matchesChar(current, name[index]!)) {
      token += 1;
      index += 1;
    } else if (star !== -1) {
      starEnd += 1;
      index = starEnd;
      token = star + 1;
    } else return false;
  }
  return tokens.slice(token).every(({ kind }) => kind === "many");
}

function matchesChar(token: Token, char: string): boolean {
  if (token.kind === "literal") return token.char === char;
  if (token.kind !== "set") return true;
  const code = char.codePointAt(0)!;
  return token.negated !== token.ranges.some(([from, to]) => code >= from && code <= to);
}
