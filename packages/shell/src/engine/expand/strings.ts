import { ends, matches, starts } from "../patterns/match.ts";
import { parsePattern, type Pattern } from "../patterns/pattern.ts";
import { ExpansionError } from "../state/access.ts";

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

/** `${x/pattern/replacement}` and its like; `&` in the replacement is the match. */
export function replace(
  text: string,
  source: string,
  context: PatternContext & { place: string; replacement: string },
): string {
  if (source === "" && (context.place === "first" || context.place === "all")) return text;
  const pattern = compile(source, context);
  const { place } = context;
  const put = replacer(context.replacement);
  if (place === "prefix") {
    const end = ends(pattern, text, 0).at(-1);
    return end === undefined ? text : put(text.slice(0, end)) + text.slice(end);
  }
  if (place === "suffix") {
    const start = starts(pattern, text)[0];
    return start === undefined ? text : text.slice(0, start) + put(text.slice(start));
  }
  const [only] = pattern;
  if (pattern.length === 1 && only?.type === "text") {
    const pieces = text.split(only.text);
    if (place === "all") return pieces.join(put(only.text));
    const [before = "", ...rest] = pieces;
    return rest.length === 0 ? text : before + put(only.text) + rest.join(only.text);
  }
  return replaceMatches(text, pattern, { isGlobal: place === "all", put });
}

function replaceMatches(
  text: string,
  pattern: Pattern,
  { isGlobal, put }: { isGlobal: boolean; put: (match: string) => string },
): string {
  let result = "";
  let at = 0;
  while (at < text.length) {
    const end = ends(pattern, text, at).at(-1);
    if (end === undefined || end === at) {
      result += text.charAt(at++);
      continue;
    }
    result += put(text.slice(at, end));
    at = end;
    if (!isGlobal) break;
  }
  return result + text.slice(at);
}

/** A replacement whose unquoted `&` stands for the match. It comes as a pattern, with quoted characters escaped. */
function replacer(replacement: string): (match: string) => string {
  const parts = replacement.match(/\\[^]|&|[^\\&]+|\\/g) ?? [];
  return (match) =>
    parts
      .map((part) =>
        part === "&" ? match : part.length === 2 && part.startsWith("\\") ? part.slice(1) : part,
      )
      .join("");
}

/** `${x^pattern}`, `${x^^pattern}`, `${x,pattern}`, `${x,,pattern}`, `${x~pattern}` and `${x~~pattern}` */
export function changeCase(
  text: string,
  source: string,
  context: PatternContext & { operator: string },
): string {
  const pattern = compile(source, context);
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

/** `${x:offset:length}` in characters; a negative offset or length counts from the end. */
export function substring(text: string, offset: number, length: number | undefined): string {
  const characters = /[\ud800-\udfff]/.test(text) ? Array.from(text) : undefined;
  const size = characters?.length ?? text.length;
  const start = offset < 0 ? size + offset : offset;
  if (start < 0 || start > size) return "";
  const end = length === undefined ? size : length < 0 ? size + length : start + length;
  if (end < start) throw new ExpansionError(`${length ?? 0}: substring expression < 0`);
  return characters ? characters.slice(start, end).join("") : text.slice(start, end);
}
