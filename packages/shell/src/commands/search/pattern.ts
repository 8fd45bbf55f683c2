import type { RE2JS } from "re2js";
import { nativeRegExp } from "@robota/runtime/ports";

export type Dialect = "basic" | "extended" | "perl" | "fixed";

export interface PatternOptions {
  dialect: Dialect;
  isCaseIgnored?: boolean;
  isWord?: boolean;
  isLine?: boolean;
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

const classes: Record<string, string> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e",
  lower: "a-z",
  print: "\\x20-\\x7e",
  punct: "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
  space: "\\s",
  upper: "A-Z",
  xdigit: "0-9A-Fa-f",
};

const KEPT = "kept";

export type Re2Module = { RE2JS: typeof RE2JS };

let re2: Promise<Re2Module> | undefined;

/** Loads the engine once: importing again costs a turn or more on some hosts. */
export function loadRe2(): Promise<Re2Module> {
  re2 ??= import("re2js").catch((error: unknown) => {
    re2 = undefined;
    throw error;
  });
  return re2;
}

/** Translates a bracket expression: a backslash in it is literal, and classes are spelled out. */
function readBracket(source: string, from: number): { text: string; next: number } {
  let at = from + 1;
  let text = "[";
  if (source[at] === "^") {
    text += "^";
    at += 1;
  }
  for (let isFirst = true; ; isFirst = false) {
    const character = source[at];
    if (character === undefined) throw new Error("Unmatched [, [^, [:, [., or [=");
    if (character === "]" && !isFirst) return { text: `${text}]`, next: at + 1 };
    const named = /^\[:(\w+):\]/.exec(source.slice(at));
    const single = /^\[([.=])(.)\1\]/.exec(source.slice(at));
    if (named) {
      const members = classes[named[1] ?? ""];
      if (members === undefined) throw new Error("Invalid character class name");
      text += members;
      at += named[0].length;
    } else if (single) {
      text += `\\${single[2]}`;
      at += single[0].length;
    } else {
      text += "\\[]^&~".includes(character) ? `\\${character}` : character;
      at += 1;
    }
  }
}

/** Translates a POSIX expression, with GNU extensions, to Perl syntax. */
function translate(source: string, isExtended: boolean): string {
  let text = "";
  let isStart = true;
  const operators = isExtended ? "(){}|+?" : "";
  for (let at = 0; at < source.length;) {
    const character = source.charAt(at);
    const next = source.charAt(at + 1);
    const wasStart: boolean = isStart;
    isStart = false;
    if (character === "[") {
      const bracket = readBracket(source, at);
      text += bracket.text;
      at = bracket.next;
      continue;
    }
    at += 1;
    if (character === "\\") {
      if (next === "") throw new Error("Trailing backslash");
      at += 1;
      if (next === "<" || next === ">") text += next === "<" ? "\\b(?=\\w)" : "\\b(?<=\\w)";
      else if (!isExtended && "(){}|+?".includes(next)) {
        text += next;
        isStart = next === "(" || next === "|";
      } else if (/[wWsSbB1-9]/.test(next)) text += `\\${next}`;
      else text += escaped(next);
    } else if (character === "*" && wasStart) text += isExtended ? "" : "\\*";
    else if (character === "^" && !isExtended) {
      text += wasStart ? "^" : "\\^";
      isStart = wasStart;
    } else if (character === "$" && !isExtended) {
      text += at === source.length || /^\\[)|]/.test(source.slice(at)) ? "$" : "\\$";
    } else if (character === "{" && isExtended && !/^\d*,?\d*\}/.test(source.slice(at))) {
      text += "\\{";
    } else if (operators.includes(character) || ".*^$".includes(character)) {
      text += character;
      isStart = character === "(" || character === "|";
    } else text += escaped(character);
  }
  return text;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

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
  return plainPattern(sources, options) ?? compileLoaded(await loadRe2(), sources, options);
}

/** Compiles patterns without operators, which need no engine. */
export function plainPattern(
  sources: readonly string[],
  options: PatternOptions,
): Pattern | undefined {
  const literal = options.isCaseIgnored ? undefined : literalOf(wholeOf(sources, options));
  if (literal === undefined) return undefined;
  const find = literalFind(literal);
  return { find: options.isWord ? onlyWords(find) : find };
}

function wholeOf(sources: readonly string[], { dialect, isLine }: PatternOptions): string {
  const parts = sources.map((source) => {
    if (dialect === "fixed") return escaped(source);
    return dialect === "perl"
      ? keepAfter(source.replaceAll("\\h", "[ \\t]"))
      : translate(source, dialect === "extended");
  });
  const either =
    parts.length === 1 ? (parts[0] ?? "") : parts.map((part) => `(?:${part})`).join("|");
  return isLine ? `^(?:${either})$` : either;
}

/** Compiles with a loaded engine, for programs that build expressions at run time. */
export function compileLoaded(
  { RE2JS }: Re2Module,
  sources: readonly string[],
  options: PatternOptions,
): Pattern {
  const { isCaseIgnored = false, isWord = false } = options;
  const whole = wholeOf(sources, options);
  let find: Pattern["find"];
  try {
    // RE2 has no look-around, but a word boundary needs none: `\b` alone is right if the expression continues with a
    // word character.
    const linear = whole
      .replaceAll("\\b(?=\\w)", "\\b")
      .replaceAll("\\b(?<=\\w)", "\\b")
      .replaceAll("(?<kept>", "(?P<kept>");
    const compiled = RE2JS.compile(linear, isCaseIgnored ? RE2JS.CASE_INSENSITIVE : 0);
    find = quickFind(linear, isCaseIgnored, linearFind(compiled));
  } catch {
    find = backtrackingFind(whole, isCaseIgnored);
  }
  return { find: isWord ? onlyWords(find) : find };
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

function linearFind(pattern: RE2JS): Pattern["find"] {
  const hasKept = pattern.pattern().includes(`(?P<${KEPT}>`);
  return (line, from) => {
    const matcher = pattern.matcher(line);
    if (!matcher.find(from)) return undefined;
    return hasKept
      ? { start: matcher.start(KEPT), end: matcher.end(KEPT) }
      : { start: matcher.start(), end: matcher.end() };
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
function onlyWords(find: Pattern["find"]): Pattern["find"] {
  const isWordAt = (line: string, at: number): boolean => /\w/.test(line.charAt(at));
  return (line, from) => {
    for (let at = from; at <= line.length;) {
      const match = find(line, at);
      if (!match) return undefined;
      const { start, end } = match;
      const isInner = (start > 0 && isWordAt(line, start - 1)) || isWordAt(line, end);
      if (!isInner && end > start) return match;
      at = start + 1;
    }
    return undefined;
  };
}

/** Positions of a match and its groups: start and end of each, -1 for an unmatched group. */
export type Groups = readonly (readonly [start: number, end: number])[];

export interface GroupPattern {
  find(text: string, from: number): Groups | undefined;
}

/** Compiles a POSIX expression with groups; like `compilePattern`, but `.` matches newlines too, as in sed. */
export async function compileGroups(
  source: string,
  options: { isExtended: boolean; isCaseIgnored: boolean; isMultiline: boolean },
): Promise<GroupPattern> {
  return compilePerlGroups(translate(source, options.isExtended), options);
}

/** Compiles an expression in Perl's syntax with groups; `.` matches newlines too. */
export async function compilePerlGroups(
  text: string,
  options: { isCaseIgnored: boolean; isMultiline: boolean },
): Promise<GroupPattern> {
  return compileLoadedGroups(await loadRe2(), text, { ...options, isDotAll: true });
}

/** Compiles an expression in Perl's syntax with groups by a loaded engine, for programs that build them at run time. */
export function compileLoadedGroups(
  { RE2JS }: Re2Module,
  text: string,
  options: { isCaseIgnored: boolean; isMultiline: boolean; isDotAll: boolean },
): GroupPattern {
  const { isDotAll } = options;
  try {
    const linear = text.replaceAll("\\b(?=\\w)", "\\b").replaceAll("\\b(?<=\\w)", "\\b");
    const flags =
      (isDotAll ? RE2JS.DOTALL : 0) |
      (options.isCaseIgnored ? RE2JS.CASE_INSENSITIVE : 0) |
      (options.isMultiline ? RE2JS.MULTILINE : 0);
    const pattern = RE2JS.compile(linear, flags);
    const count = pattern.groupCount();
    const find: GroupPattern["find"] = (line, from) => {
      const matcher = pattern.matcher(line);
      if (!matcher.find(from)) return undefined;
      return Array.from(
        { length: count + 1 },
        (_, at) => [matcher.start(at), matcher.end(at)] as const,
      );
    };
    return {
      find: options.isMultiline ? find : quickGroups(linear, options, count, find),
    };
  } catch {
    const flags = `gd${isDotAll ? "s" : ""}${options.isCaseIgnored ? "i" : ""}${options.isMultiline ? "m" : ""}`;
    const { expression, assertLength } = backtracking(text, flags);
    return {
      find(line, from) {
        assertLength(line);
        expression.lastIndex = from;
        const match = expression.exec(line);
        return match?.indices?.map((place) => place ?? ([-1, -1] as const));
      },
    };
  }
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
