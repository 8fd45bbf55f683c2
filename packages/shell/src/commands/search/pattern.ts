import {
  type LinearEngine,
  type LinearOptions,
  type LinearRegExp,
  loadLinearEngine,
  nativeRegExp,
} from "@robota/runtime/ports";
import { isAmbiguous } from "./ambiguity.ts";
import { escaped, translatePosix } from "./posix.ts";

export type Dialect = "basic" | "extended" | "perl" | "fixed";

export interface PatternOptions {
  dialect: Dialect;
  isCaseIgnored?: boolean;
  isWord?: boolean;
  isLine?: boolean;
  /** Classes have all of Unicode. */
  isWide?: boolean;
}

/** A half-open range, in code units of the line. */
export interface Match {
  start: number;
  end: number;
}

export interface Pattern {
  /** Finds the first match at or after `from`. */
  find(line: string, from: number): Match | undefined;
}

const KEPT = "kept";

/** Excludes the text before `\K` from the match. */
function keepAfter(source: string): string {
  const at = source.search(/(?<!\\)(?:\\\\)*\\K/);
  if (at === -1) return source;
  const mark = source.indexOf("\\K", at);
  return `(?:${source.slice(0, mark)})(?<${KEPT}>${source.slice(mark + 2)})`;
}

/**
 * Compiles `sources`, any of which may match. Linear in the line's length; look-around and back references, which no
 * linear engine supports, run on the host's own engine as long as they can't take exponential time.
 * @throws {Error} For an invalid pattern, or one that could take too long.
 */
export async function compilePattern(
  sources: readonly string[],
  options: PatternOptions,
): Promise<Pattern> {
  return (
    plainPattern(sources, options) ?? compileLoaded(await loadLinearEngine(), sources, options)
  );
}

/** Compiles patterns without operators, which need no engine. */
export function plainPattern(
  sources: readonly string[],
  options: PatternOptions,
): Pattern | undefined {
  const literal = options.isCaseIgnored ? undefined : literalOf(wholeOf(sources, options));
  if (literal === undefined) return undefined;
  const find = literalFind(literal);
  return options.isWord ? onlyWords({ find }) : { find };
}

function wholeOf(sources: readonly string[], options: PatternOptions): string {
  const { dialect, isLine, isWide } = options;
  const parts = sources.map((source) => {
    if (dialect === "fixed") return escaped(source);
    return dialect === "perl"
      ? keepAfter(source.replaceAll("\\h", "[ \\t]"))
      : translatePosix(source, { isExtended: dialect === "extended", isWide });
  });
  const either =
    parts.length === 1 ? (parts[0] ?? "") : parts.map((part) => `(?:${part})`).join("|");
  return isLine ? `^(?:${either})$` : either;
}

/** Compiles with a loaded engine, for programs that build expressions at run time. */
export function compileLoaded(
  engine: LinearEngine,
  sources: readonly string[],
  options: PatternOptions,
): Pattern {
  const plain = wholeOf(sources, { ...options, isWide: false });
  const wide = options.isWide ? wholeOf(sources, options) : plain;
  let pattern = compileWhole(engine, plain, options);
  if (wide !== plain) {
    const narrow = pattern;
    pattern = forAnyText(narrow, () => linearPattern(engine, wide, options) ?? narrow);
  }
  return options.isWord ? onlyWords(pattern) : pattern;
}

function compileWhole(engine: LinearEngine, whole: string, options: PatternOptions): Pattern {
  const { isCaseIgnored = false } = options;
  return linearPattern(engine, whole, options) ?? { find: backtrackingFind(whole, isCaseIgnored) };
}

/** The pattern by the engine that takes linear time; `undefined` if it does not know the syntax. */
function linearPattern(
  engine: LinearEngine,
  whole: string,
  { dialect, isCaseIgnored = false }: PatternOptions,
): Pattern | undefined {
  const source = withoutLookAround(whole);
  const longest = dialect !== "perl" && isAmbiguous(source, isCaseIgnored);
  const linear = compileLinear(engine, source, { ignoreCase: isCaseIgnored, longest });
  if (!linear) return undefined;
  const find = linearFind(linear);
  const quick = quickFind(source, isCaseIgnored, find);
  return { find: longest ? longestFind(quick, find) : quick };
}

function compileLinear(
  { compileLinear: compile, LinearSyntaxError }: LinearEngine,
  source: string,
  options: LinearOptions,
): LinearRegExp | undefined {
  try {
    return compile(source, options);
  } catch (error) {
    if (error instanceof LinearSyntaxError) return undefined;
    throw error;
  }
}

/** The engine has no look-around, but a word boundary needs none: `\b` alone is right if the expression continues with a word character. */
function withoutLookAround(source: string): string {
  return source.replaceAll("\\b(?=\\w)", "\\b").replaceAll("\\b(?<=\\w)", "\\b");
}

/** Where a match starts is the same for the first and for the longest one. */
function longestFind<Found extends { readonly start: number }>(
  quick: (text: string, from: number) => Found | undefined,
  longest: (text: string, from: number) => Found | undefined,
): (text: string, from: number) => Found | undefined {
  return (text, from) => {
    const match = quick(text, from);
    return match && longest(text, match.start);
  };
}

// oxlint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\0-\u007f]*$/;

/** Texts in ASCII, which most are, keep the plain pattern: engines take long for the classes of Unicode. */
export function forAnyText<Found>(
  plain: { find(text: string, from: number): Found },
  compileWide: () => { find(text: string, from: number): Found },
): { find(text: string, from: number): Found } {
  let wide: typeof plain | undefined;
  let [last, pattern] = ["", plain];
  return {
    find(text, from) {
      if (text !== last) {
        last = text;
        pattern = ASCII.test(text) ? plain : (wide ??= compileWide());
      }
      return pattern.find(text, from);
    },
  };
}

/** The literal text of an expression without operators: most searches need no engine. */
function literalOf(source: string): string | undefined {
  const isLiteral = /^(?:[^\\^$.*+?()[\]{}|]|\\[\\^$.*+?()[\]{}|/-])+$/.test(source);
  return isLiteral ? source.replace(/\\(.)/g, "$1") : undefined;
}

function literalFind(literal: string): Pattern["find"] {
  return (line, from) => {
    const start = line.indexOf(literal, from);
    return start === -1 ? undefined : { start, end: start + literal.length };
  };
}

/** Searches with the host's own engine if it is as safe as the linear one. */
function quickFind(
  source: string,
  isCaseIgnored: boolean,
  otherwise: Pattern["find"],
): Pattern["find"] {
  const quick = hostPattern(source, { ignoreCase: isCaseIgnored, dotAll: false });
  if (!quick) return otherwise;
  const { expression, needle, longest } = quick;
  return (line, from) => {
    if (needle !== "" && !line.includes(needle, from)) return undefined;
    if (line.length > longest) return otherwise(line, from);
    expression.lastIndex = from;
    const match = expression.exec(line);
    if (!match) return undefined;
    // From within a surrogate pair, the host starts before it.
    if (match.index < from) return otherwise(line, from);
    return { start: match.index, end: match.index + match[0].length };
  };
}

function hostPattern(
  source: string,
  options: { ignoreCase: boolean; dotAll: boolean },
  flags = "",
): { expression: RegExp; needle: string; longest: number } | undefined {
  const quick = nativeRegExp(source, options);
  if (!quick) return undefined;
  try {
    const expression = new RegExp(quick.source, `gsu${flags}${options.ignoreCase ? "i" : ""}`);
    return { ...quick, expression };
  } catch {
    return undefined;
  }
}

function linearFind(pattern: LinearRegExp): Pattern["find"] {
  const kept = pattern.names.get(KEPT);
  if (kept === undefined) return (line, from) => pattern.find(line, from);
  return (line, from) => {
    const slots = pattern.findGroups(line, from);
    return slots && { start: slots[kept * 2] ?? -1, end: slots[kept * 2 + 1] ?? -1 };
  };
}

/** Maximum steps of one search in the worst case. */
const MAX_STEPS = 1e9;

function backtrackingFind(source: string, isCaseIgnored: boolean): Pattern["find"] {
  const { expression, assertLength } = backtracking(source, `gd${isCaseIgnored ? "i" : ""}`);
  return (line, from) => {
    assertLength(line);
    expression.lastIndex = from;
    const match = expression.exec(line);
    if (!match) return undefined;
    const [start, end] = match.indices?.groups?.[KEPT] ?? [
      match.index,
      match.index + match[0].length,
    ];
    return { start, end };
  };
}

/** Runs a pattern that can't take exponential time on the host's own engine, and checks each line's length. */
function backtracking(
  source: string,
  flags: string,
): { expression: RegExp; assertLength: (line: string) => void } {
  let expression: RegExp;
  try {
    expression = new RegExp(source, flags);
  } catch (error) {
    const reason = /: ([^:]*)$/.exec(error instanceof Error ? error.message : "")?.[1] ?? "invalid";
    throw new Error(`invalid regular expression: ${reason}`, { cause: error });
  }
  const plain = source.replace(/\\./g, "_").replace(/\[(?:\\.|[^\]\\])*\]/g, "_");
  if (/[*+}][^()]*\)(?:[*+]|\{)/.test(plain)) {
    throw new Error("nested repetitions can't be combined with look-around or back references");
  }
  const repeats = plain.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  const longest = MAX_STEPS ** (1 / (repeats + 1));
  return {
    expression,
    assertLength(line) {
      if (line.length <= longest) return;
      throw new Error(
        `a line of ${line.length} characters is too long for look-around or back references with ${repeats} repetitions`,
      );
    },
  };
}

/** Restricts matches to those that neither start nor end within a word. */
function onlyWords(pattern: Pattern): Pattern {
  const isWordAt = (line: string, at: number): boolean =>
    /[\p{L}\p{M}\p{N}_]/u.test(line.charAt(at));
  return {
    find(line, from) {
      for (let at = from; at <= line.length;) {
        const match = pattern.find(line, at);
        if (!match) return undefined;
        const { start, end } = match;
        const isInner = (start > 0 && isWordAt(line, start - 1)) || isWordAt(line, end);
        if (!isInner && end > start) return match;
        at = start + 1;
      }
      return undefined;
    },
  };
}

/** Positions of a match and its groups: start and end of each, -1 for an unmatched group. */
export type Groups = readonly (readonly [start: number, end: number])[];

export interface GroupPattern {
  /** Number of groups. */
  readonly groups: number;
  find(text: string, from: number): Groups | undefined;
}

interface GroupOptions {
  isCaseIgnored: boolean;
  isMultiline: boolean;
  /** The longest match is wanted, not the first. */
  isLongest?: boolean;
}

/** Compiles a POSIX expression with groups; like `compilePattern`, but `.` matches newlines too, as in sed. */
export async function compileGroups(
  source: string,
  options: GroupOptions & { isExtended: boolean; isWide?: boolean },
): Promise<GroupPattern> {
  const { isExtended } = options;
  const engine = await loadLinearEngine();
  const all = { ...options, isDotAll: true, isLongest: true };
  const text = translatePosix(source, { isExtended });
  const plain = compileLoadedGroups(engine, text, all);
  const wide = options.isWide ? translatePosix(source, { isExtended, isWide: true }) : text;
  if (wide === text) return plain;
  const { groups } = plain;
  return { groups, ...forAnyText(plain, () => linearGroups(engine, wide, all) ?? plain) };
}

/** Compiles an expression in Perl's syntax with groups; `.` matches newlines too. */
export async function compilePerlGroups(
  text: string,
  options: GroupOptions,
): Promise<GroupPattern> {
  return compileLoadedGroups(await loadLinearEngine(), text, { ...options, isDotAll: true });
}

/** Compiles an expression in Perl's syntax with groups by a loaded engine, for programs that build them at run time. */
export function compileLoadedGroups(
  engine: LinearEngine,
  text: string,
  options: GroupOptions & { isDotAll: boolean },
): GroupPattern {
  const linear = linearGroups(engine, text, options);
  if (linear) return linear;
  const flags = `gd${options.isDotAll ? "s" : ""}${options.isCaseIgnored ? "i" : ""}${options.isMultiline ? "m" : ""}`;
  const { expression, assertLength } = backtracking(text, flags);
  return {
    groups: (new RegExp(`${text}|`).exec("")?.length ?? 1) - 1,
    find(line, from) {
      assertLength(line);
      expression.lastIndex = from;
      const match = expression.exec(line);
      return match?.indices?.map((place) => place ?? ([-1, -1] as const));
    },
  };
}

/** The pattern by the engine that takes linear time; `undefined` if it does not know the syntax. */
function linearGroups(
  engine: LinearEngine,
  text: string,
  { isCaseIgnored, isMultiline, isDotAll, isLongest }: GroupOptions & { isDotAll: boolean },
): GroupPattern | undefined {
  const source = withoutLookAround(text);
  const longest = isLongest === true && isAmbiguous(source, isCaseIgnored);
  const pattern = compileLinear(engine, source, {
    ignoreCase: isCaseIgnored,
    multiline: isMultiline,
    dotAll: isDotAll,
    longest,
  });
  if (!pattern) return undefined;
  const { groups } = pattern;
  const find: GroupPattern["find"] = (line, from) => {
    const slots = pattern.findGroups(line, from);
    return (
      slots &&
      Array.from({ length: groups + 1 }, (_, at) => [slots[at * 2] ?? -1, slots[at * 2 + 1] ?? -1])
    );
  };
  if (isMultiline || longest) return { groups, find };
  return { groups, find: quickGroups(source, { isCaseIgnored, isDotAll }, groups, find) };
}

/** Matches groups with the host's own engine if it is as safe as the linear one. */
function quickGroups(
  source: string,
  { isCaseIgnored, isDotAll }: { isCaseIgnored: boolean; isDotAll: boolean },
  groups: number,
  otherwise: GroupPattern["find"],
): GroupPattern["find"] {
  // Group positions cost the host as much as the match itself.
  const quick = hostPattern(
    source,
    { ignoreCase: isCaseIgnored, dotAll: isDotAll },
    groups > 0 ? "d" : "",
  );
  if (!quick) return otherwise;
  const { expression, needle, longest } = quick;
  return (text, from) => {
    if (needle !== "" && !text.includes(needle, from)) return undefined;
    if (text.length > longest) return otherwise(text, from);
    expression.lastIndex = from;
    const match = expression.exec(text);
    if (!match) return undefined;
    if (match.index < from) return otherwise(text, from);
    if (!match.indices) return [[match.index, match.index + match[0].length]];
    return match.indices.map((place) => place ?? ([-1, -1] as const));
  };
}
