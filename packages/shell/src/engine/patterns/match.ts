import type { Pattern, PatternElement, SetMember } from "./pattern.ts";

/** Options of a match. */
export interface MatchOptions {
  /** Letters match in either case. */
  ignoresCase?: boolean;
}

/**
 * Matching by sets of positions: each element leads from the positions before it to those behind it, so that no pattern
 * takes more than its length times that of the text, or its square for `!(…)`.
 */
interface Matcher {
  readonly text: string;
  readonly ignoresCase: boolean;
  /** From the end to the start, to find where a suffix begins. */
  readonly isBackward: boolean;
}

/** Reports whether the pattern matches the whole text. */
export function matches(pattern: Pattern, text: string, options: MatchOptions = {}): boolean {
  const [only] = pattern;
  if (pattern.length === 1 && only?.type === "star") return true;
  return ends(pattern, text, 0, options).includes(text.length);
}

/** The positions where a match that begins at `start` can end, in ascending order. */
export function ends(
  pattern: Pattern,
  text: string,
  start: number,
  { ignoresCase = false }: MatchOptions = {},
): number[] {
  return walk(pattern, [start], { text, ignoresCase, isBackward: false });
}

/** The positions where a match that ends with the text can begin, in ascending order. */
export function starts(pattern: Pattern, text: string, options: MatchOptions = {}): number[] {
  const { ignoresCase = false } = options;
  return walk(pattern, [text.length], { text, ignoresCase, isBackward: true });
}

function walk(pattern: Pattern, from: readonly number[], matcher: Matcher): number[] {
  let positions = [...from];
  const elements = matcher.isBackward ? pattern.toReversed() : pattern;
  for (const element of elements) {
    if (positions.length === 0) return positions;
    positions = step(element, positions, matcher);
  }
  return positions;
}

function step(element: PatternElement, positions: readonly number[], matcher: Matcher): number[] {
  switch (element.type) {
    case "text":
      return positions.flatMap(
        (at): number | readonly number[] => atText(element.text, at, matcher) ?? [],
      );
    case "star":
      return matcher.isBackward
        ? range(0, positions.at(-1) ?? -1)
        : range(positions[0] ?? 0, matcher.text.length);
    case "any":
    case "set":
      return positions.flatMap((at) => {
        const character = characterAt(at, matcher);
        const fits =
          character !== "" &&
          (element.type === "any" ||
            isMember(element.members, character, matcher) !== element.isNegated);
        return fits ? [matcher.isBackward ? at - character.length : at + character.length] : [];
      });
    case "group":
      return group(element.operator, element.alternatives, positions, matcher);
  }
}

function group(
  operator: string,
  alternatives: readonly Pattern[],
  positions: readonly number[],
  matcher: Matcher,
): number[] {
  const once = (from: readonly number[]): number[] =>
    merged(alternatives.map((alternative) => walk(alternative, from, matcher)));
  if (operator === "@") return once(positions);
  if (operator === "?") return merged([positions, once(positions)]);
  if (operator === "!") return withoutMatches(once, positions, matcher);
  const reached = new Set(operator === "*" ? positions : []);
  let newest = positions;
  while (newest.length > 0) {
    newest = once(newest).filter((at) => !reached.has(at));
    for (const at of newest) reached.add(at);
  }
  return [...reached].sort((a, b) => a - b);
}

/** The ends of everything but the alternatives. */
function withoutMatches(
  once: (from: readonly number[]) => number[],
  positions: readonly number[],
  { text, isBackward }: Matcher,
): number[] {
  const reached = new Set<number>();
  for (const at of positions) {
    const excluded = new Set(once([at]));
    for (const end of isBackward ? range(0, at) : range(at, text.length))
      if (!excluded.has(end)) reached.add(end);
    if (reached.size > text.length) break;
  }
  return [...reached].sort((a, b) => a - b);
}

function atText(text: string, at: number, matcher: Matcher): number | undefined {
  const start = matcher.isBackward ? at - text.length : at;
  if (start < 0) return undefined;
  const isHere = matcher.ignoresCase
    ? matcher.text.slice(start, start + text.length).toLowerCase() === text.toLowerCase()
    : matcher.text.startsWith(text, start);
  if (!isHere) return undefined;
  return matcher.isBackward ? start : start + text.length;
}

/** The whole character before or behind a position. */
function characterAt(at: number, { text, isBackward }: Matcher): string {
  if (!isBackward) return at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : "";
  if (at <= 0) return "";
  const code = at > 1 ? (text.codePointAt(at - 2) ?? 0) : 0;
  return code > 0xffff ? String.fromCodePoint(code) : text.charAt(at - 1);
}

function isMember(members: readonly SetMember[], character: string, matcher: Matcher): boolean {
  const forms = matcher.ignoresCase
    ? [character.toLowerCase(), character.toUpperCase()]
    : [character];
  return members.some((member) =>
    forms.some((form) =>
      typeof member === "string"
        ? isInClass(member, form)
        : code(form) >= code(member[0]) && code(form) <= code(member[1]),
    ),
  );
}

function code(character: string): number {
  return character.codePointAt(0) ?? 0;
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /^[\p{L}\p{N}]$/u,
  alpha: /^\p{L}$/u,
  ascii: /^[\0-\x7f]$/,
  blank: /^[ \t]$/,
  cntrl: /^\p{Cc}$/u,
  digit: /^\d$/,
  graph: /^[^\s\p{C}]$/u,
  lower: /^\p{Ll}$/u,
  print: /^[^\p{C}\n\t]$/u,
  punct: /^[!-/:-@[-`{-~\p{P}]$/u,
  space: /^\s$/,
  upper: /^\p{Lu}$/u,
  word: /^[\p{L}\p{N}_]$/u,
  xdigit: /^[\da-fA-F]$/,
};

function isInClass(name: string, character: string): boolean {
  return CLASSES[name]?.test(character) ?? false;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
}

function merged(lists: readonly (readonly number[])[]): number[] {
  if (lists.length === 1) return [...(lists[0] ?? [])];
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}
