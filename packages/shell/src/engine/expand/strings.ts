import { ends, matches, starts } from "../patterns/match.ts";
import { parsePattern, type Pattern } from "../patterns/pattern.ts";
import { ExpansionError } from "../state/access.ts";
import type { ExpansionBounds } from "./expansion.ts";

interface PatternContext {
  /** Options of the shell that are on. */
  readonly options: ReadonlySet<string>;
}

function compile(source: string, { options }: PatternContext): Pattern {
  return parsePattern(source, { hasExtendedPatterns: options.has("extglob") });
}

/** `${x#pattern}`, `${x##pattern}`, `${x%pattern}` and `${x%%pattern}` */
export function trim(
  text: string,
  source: string,
  context: PatternContext & { side: "prefix" | "suffix"; isLongest: boolean },
): string {
  const pattern = compile(source, context);
  const { side, isLongest } = context;
  if (side === "prefix") {
    const end = ends(pattern, text, 0).at(isLongest ? -1 : 0);
    return end === undefined ? text : text.slice(end);
  }
  const start = starts(pattern, text).at(isLongest ? 0 : -1);
  return start === undefined ? text : text.slice(0, start);
}

/** `${x/pattern/replacement}` and its like; `&` in the replacement is the match. Long texts give way to others. */
export async function replace(
  text: string,
  source: string,
  context: PatternContext & {
    place: string;
    replacement: string;
    bounds: Pick<ExpansionBounds, "turn">;
  },
): Promise<string> {
  if (source === "" && (context.place === "first" || context.place === "all")) return text;
  const pattern = compile(source, context);
  const { place } = context;
  const put = replacer(context.replacement);
  // At the end of a text, only a star begins a match.
  const matchesNothing = source === "" || source.startsWith("*");
  if (text === "") {
    const canMatch = matchesNothing || (place === "suffix" && !needsText(pattern));
    return canMatch && matches(pattern, text) ? put(text) : text;
  }
  if (place === "prefix") {
    const end = ends(pattern, text, 0).at(-1);
    return end === undefined ? text : put(text.slice(0, end)) + text.slice(end);
  }
  if (place === "suffix") {
    const [start] = starts(pattern, text);
    const isNowhere = start === undefined || (start === text.length && needsText(pattern, "+@!"));
    return isNowhere ? text : text.slice(0, start) + put(text.slice(start));
  }
  const [only] = pattern;
  const find =
    pattern.length === 1 && only?.type === "text" ? finderOf(only.text) : matcherOf(pattern);
  return replaceMatches(text, find, { isGlobal: place === "all", put, bounds: context.bounds });
}

/** At the end of a text, bash finds no match of nothing for a pattern that begins with one of these groups. */
function needsText([first]: Pattern, operators = "+@"): boolean {
  return first?.type === "group" && operators.includes(first.operator);
}

/** Finds what is replaced at a position, or looks for it some way further on. */
type Find = (text: string, from: number) => { start: number; end: number; isMatch: boolean };

/** Characters that are searched, or positions that are tried, at once. */
const CHARACTERS_AT_ONCE = 100_000;
const POSITIONS_AT_ONCE = 256;
/** Finds without a look at the clock. */
const FINDS_A_TURN = 16;

function finderOf(wanted: string): Find {
  return (text, from) => {
    const limit = Math.min(text.length, from + CHARACTERS_AT_ONCE);
    const found = text.slice(from, limit + wanted.length - 1).indexOf(wanted);
    if (found === -1) return { start: limit, end: limit, isMatch: false };
    return { start: from + found, end: from + found + wanted.length, isMatch: true };
  };
}

function matcherOf(pattern: Pattern): Find {
  return (text, from) => {
    const limit = Math.min(text.length, from + POSITIONS_AT_ONCE);
    for (let start = from; start < limit; start++) {
      const end = ends(pattern, text, start).at(-1);
      if (end !== undefined) return { start, end, isMatch: true };
    }
    return { start: limit, end: limit, isMatch: false };
  };
}

async function replaceMatches(
  text: string,
  find: Find,
  {
    isGlobal,
    put,
    bounds,
  }: {
    isGlobal: boolean;
    put: (match: string) => string;
    bounds: Pick<ExpansionBounds, "turn">;
  },
): Promise<string> {
  const results: string[] = [];
  let at = 0;
  for (let count = 1; at < text.length; count++) {
    const { start, end, isMatch } = find(text, at);
    results.push(text.slice(at, start));
    if (isMatch) results.push(put(text.slice(start, end)));
    at = end;
    if (isMatch && !isGlobal) break;
    // The replacement of an empty match stands before the next character.
    if (isMatch && end === start) results.push(text.charAt(at++));
    const turn = count % FINDS_A_TURN === 0 ? bounds.turn() : undefined;
    if (turn) await turn;
  }
  return results.join("") + text.slice(at);
}

/** A replacement in which `&` stands for the match, unless a backslash precedes it. */
function replacer(replacement: string): (match: string) => string {
  const parts = replacement.match(/\\[\\&]|&|[^\\&]+|\\/g) ?? [];
  return (match) =>
    parts
      .map((part) => (part === "&" ? match : /^\\[^]/.test(part) ? part.slice(1) : part))
      .join("");
}

/** Makes every character of a replacement stand for itself. */
export function quoteReplacement(text: string): string {
  return text.replace(/[\\&]/g, String.raw`\$&`);
}

/** `${x^pattern}`, `${x^^pattern}`, `${x,pattern}`, `${x,,pattern}`, `${x~pattern}` and `${x~~pattern}` */
export function changeCase(
  text: string,
  source: string,
  context: PatternContext & { operator: string },
): string {
  // The one place where groups count whatever `extglob` says.
  const pattern = parsePattern(source, { hasExtendedPatterns: true });
  const { operator } = context;
  const change = (character: string): string => {
    if (!matches(pattern, character)) return character;
    const upper = character.toUpperCase();
    if (operator.startsWith("^")) return upper;
    return operator.startsWith(",") || character === upper ? character.toLowerCase() : upper;
  };
  const characters = Array.from(text);
  if (operator.length === 2) return characters.map(change).join("");
  return change(characters[0] ?? "") + characters.slice(1).join("");
}

/** The characters of a text: the text itself where each of them is one unit. */
export function charactersOf(text: string): string | readonly string[] {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
}

/** Where `${x:offset}` begins; a negative offset counts from the end. `undefined` for nowhere. */
export function startOf(size: number, offset: number): number | undefined {
  const start = offset < 0 ? size + offset : offset;
  return start < 0 || start > size ? undefined : start;
}

/** `${x:offset:length}` from where it begins; a negative length counts from the end. */
export function substring(
  characters: string | readonly string[],
  start: number,
  length: number | undefined,
): string {
  const size = characters.length;
  const end = length === undefined ? size : length < 0 ? size + length : start + length;
  if (end < start)
    throw new ExpansionError(`${length ?? 0}: substring expression < 0`, { isCalculation: true });
  const part = characters.slice(start, end);
  return typeof part === "string" ? part : part.join("");
}
