/** One segment of a pattern. */
export type Segment = typeof ANY_DEPTH | NamePattern;
/** `**`: any number of directories. */
const ANY_DEPTH = Symbol("**");

export interface NamePattern {
  /** The segment as written: an equal name matches, even if it looks like a pattern (`[slug]`). */
  source: string;
  tokens: Token[];
  startsWithDot: boolean;
  /** The literal parts of a pattern with at most one `*`. */
  plain: { start: string; end: string | undefined } | undefined;
}

type Token =
  | { kind: "literal"; char: string }
  | { kind: "one" }
  | { kind: "many" }
  | { kind: "set"; negated: boolean; ranges: [number, number][] };

/** Reads a pattern of `*`, `?`, `[…]` and `**`. */
export function parseSegments(pattern: string): Segment[] {
  const segments: Segment[] = [];
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  for (const part of parts) {
    if (part !== "**") segments.push(parseName(part));
    else if (segments.at(-1) !== ANY_DEPTH) segments.push(ANY_DEPTH);
  }
  // Only files are searched: `src/**` is everything below `src`, not `src` itself.
  if (segments.at(-1) === ANY_DEPTH) segments.push(parseName("*"));
  return segments;
}

/** Reads a pattern for one name. */
export function parseName(source: string): NamePattern {
  const tokens: Token[] = [];
  const chars = Array.from(source);
  const open = new Set<number>();
  for (let index = 0; index < chars.length; index += 1) {
    const char = chars[index]!;
    const set = char === "[" ? parseSet(chars, index, open) : undefined;
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
  const startsWithDot = first?.kind === "literal" && first.char === ".";
  return { source, tokens, startsWithDot, plain: plainTexts(tokens) };
}

function plainTexts(tokens: readonly Token[]): NamePattern["plain"] {
  let start = "";
  let end: string | undefined;
  for (const token of tokens) {
    if (token.kind === "many" && end === undefined) end = "";
    else if (token.kind !== "literal") return undefined;
    else if (end === undefined) start += token.char;
    else end += token.char;
  }
  return { start, end };
}

/**
 * `[a-z_]`, `[!0-9]`; `undefined` when the bracket is never closed, which makes it a literal one. `open`: the places from
 * which earlier brackets found no end, which spares a line of brackets a search to its end for each.
 */
function parseSet(
  chars: readonly string[],
  start: number,
  open: Set<number>,
): { token: Token; end: number } | undefined {
  const negated = chars[start + 1] === "!" || chars[start + 1] === "^";
  const ranges: [number, number][] = [];
  const first = start + (negated ? 2 : 1);
  const tried: number[] = [];
  for (let index = first; index < chars.length; index += 1) {
    if (index > first) {
      if (chars[index] === "]") return { token: { kind: "set", negated, ranges }, end: index };
      if (open.has(index)) break;
      tried.push(index);
    }
    if (chars[index] === "\\" && index + 1 < chars.length) index += 1;
    const from = chars[index]!.codePointAt(0)!;
    const isRange = chars[index + 1] === "-" && ![undefined, "]"].includes(chars[index + 2]);
    if (isRange) index += 2;
    ranges.push([from, chars[index]!.codePointAt(0)!]);
  }
  for (const index of tried) open.add(index);
  return undefined;
}

/** Reports whether a path, relative to the pattern's start, matches as a whole. */
export function matchesPath(segments: readonly Segment[], path: string, dot: boolean): boolean {
  const last = segments.at(-1);
  // Most names don't match, which is seen without a walk.
  if (typeof last === "object" && !matchesName(last, path.slice(path.lastIndexOf("/") + 1), dot)) {
    return false;
  }
  return reach(segments, path.split("/"), dot).includes(segments.length);
}

/** The positions in `segments` reachable along `names`: all at once, without backtracking. */
export function reach(
  segments: readonly Segment[],
  names: readonly string[],
  dot: boolean,
): number[] {
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

/** Adds the positions behind `**`, which may match zero directories. */
function withSkipped(segments: readonly Segment[], positions: readonly number[]): number[] {
  const all = new Set(positions);
  for (const position of all) if (segments[position] === ANY_DEPTH) all.add(position + 1);
  return [...all];
}

export function matchesName(pattern: NamePattern, name: string, dot: boolean): boolean {
  if (pattern.source === name) return true;
  if (name.startsWith(".") && !pattern.startsWithDot && !dot) return false;
  const { plain, tokens } = pattern;
  if (!plain) return matchesTokens(tokens, Array.from(name));
  const { start, end } = plain;
  if (end === undefined) return name === start;
  return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
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
