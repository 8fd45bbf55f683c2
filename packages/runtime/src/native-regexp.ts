/**
 * An expression in RE2's syntax that the host's own engine matches in the same way, many times as fast. Host engines try
 * one way after the other, which for some expressions and texts takes practically forever, so it says how long a text
 * it may be asked about; longer ones are for the linear engine.
 */
export interface NativeRegExp {
  /** For a `RegExp` with the flags `su`, and `i` where case is ignored. */
  readonly source: string;
  /** Part of every match; empty when there is no such part. */
  readonly needle: string;
  /** Of which each match contains one, in either case where case is ignored; empty when there are no such parts. */
  readonly needles: readonly string[];
  /** Code units of the longest text that takes no noticeable time in the worst case. */
  readonly longest: number;
}

/** Ways to try in one text, some milliseconds' worth. */
const MAX_WAYS = 2_000_000;
const FEW_WAYS = 32;
const MAX_COPIES = 50;
/** What has to be escaped where Unicode rules are strict. */
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;
const SPACES = "\\t\\n\\f\\r ";

/** Without repetition there is no more to try at each place than the expression has ways. */
function longestFor(ways: number, repeats: number): number {
  if (repeats === 0 && ways <= FEW_WAYS) return Number.POSITIVE_INFINITY;
  return (MAX_WAYS / ways) ** (1 / (repeats + 1)) - 1;
}

interface Atom {
  text: string;
  /** The one character that it stands for. */
  literal?: string;
  /** Stands for a position, so nothing can be repeated. */
  isEmpty?: boolean;
}

/**
 * Reads the part of RE2's syntax in which repetition never applies to a group and which means the same to both engines.
 * `undefined` for every other expression. Without `dotAll` a dot stands for no line feed. The caller still has to expect that the host refuses `source`.
 */
export function nativeRegExp(
  pattern: string,
  { ignoreCase = false, dotAll = true }: { ignoreCase?: boolean; dotAll?: boolean } = {},
): NativeRegExp | undefined {
  let source = "";
  let repeats = 0;
  let ways = 1;
  /** Branches of each open group, the outermost first. */
  const branches = [1];
  let run = "";
  let needle = "";
  /** Of each way outside of all groups. */
  const needles: string[] = [];
  const endRun = (): void => {
    if (run.length > needle.length) needle = run;
    run = "";
  };
  const endWay = (): void => {
    endRun();
    needles.push(needle);
    needle = "";
  };
  let at = 0;
  while (at < pattern.length) {
    const character = pattern.charAt(at);
    if (character === "(") {
      if (pattern.charAt(at + 1) === "?" && pattern.charAt(at + 2) !== ":") return undefined;
      const opening = pattern.charAt(at + 1) === "?" ? "(?:" : "(";
      source += opening;
      at += opening.length;
      branches.push(1);
      endRun();
      continue;
    }
    if (character === ")") {
      if (branches.length === 1) return undefined;
      ways *= branches.pop() ?? 1;
      at += 1;
      source += ")";
      if (/[*+{]/.test(pattern.charAt(at))) return undefined;
      if (pattern.charAt(at) === "?") {
        if (/[*+?{]/.test(pattern.charAt(at + 1))) return undefined;
        ways *= 2;
        source += "?";
        at += 1;
      }
      continue;
    }
    if (character === "|") {
      branches.push((branches.pop() ?? 1) + 1);
      source += "|";
      at += 1;
      if (branches.length === 1) endWay();
      else endRun();
      continue;
    }
    const read = readAtom(pattern, at, { ignoreCase, dotAll });
    if (!read) return undefined;
    at = read.next;
    const { text, literal, isEmpty = false } = read.atom;
    source += text;
    const quantifier = readQuantifier(pattern, at);
    if (!quantifier) return undefined;
    if (quantifier.text !== "" && isEmpty) return undefined;
    source += quantifier.text;
    at += quantifier.text.length;
    repeats += quantifier.isUnbounded ? 1 : 0;
    ways *= quantifier.ways;
    // Groups may be left out or be one of several, so only what stands outside of them is in every match.
    if (literal === undefined || branches.length > 1 || !quantifier.isRequired) endRun();
    else {
      run += literal;
      if (quantifier.text !== "") endRun();
    }
  }
  endWay();
  if (branches.length > 1) return undefined;
  const [outermost = 1] = branches;
  return {
    source,
    needle: ignoreCase || outermost > 1 ? "" : (needles[0] ?? ""),
    needles: needles.includes("") ? [] : needles,
    longest: longestFor(ways * outermost, repeats),
  };
}

function readAtom(
  pattern: string,
  at: number,
  { ignoreCase, dotAll }: { ignoreCase: boolean; dotAll: boolean },
): { atom: Atom; next: number } | undefined {
  const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
  const next = at + character.length;
  if (character === "[") return readClass(pattern, at, ignoreCase);
  if (/[*+?{]/.test(character)) return undefined;
  if (character === "^" || character === "$") {
    return { atom: { text: character, isEmpty: true }, next };
  }
  if (character === ".") return { atom: { text: dotAll ? "." : "[^\\n]" }, next };
  if (character !== "\\") return { atom: literalAtom(character), next };
  const letter = pattern.charAt(next);
  const atom = escapeAtom(letter, ignoreCase);
  return atom && { atom, next: next + 1 };
}

function literalAtom(literal: string): Atom {
  return { text: SYNTAX.test(literal) ? `\\${literal}` : literal, literal };
}

function escapeAtom(letter: string, ignoreCase: boolean): Atom | undefined {
  if (letter === "s") return { text: `[${SPACES}]` };
  if (letter === "S") return { text: `[^${SPACES}]` };
  if (letter === "d" || letter === "D") return { text: `\\${letter}` };
  // Where case is ignored, the engines do not agree about which characters are of a word.
  if (/[wW]/.test(letter)) return ignoreCase ? undefined : { text: `\\${letter}` };
  // `\B` would be found within a character of two code units.
  if (letter === "b") return ignoreCase ? undefined : { text: "\\b", isEmpty: true };
  if (/[tnrfv]/.test(letter)) return { text: `\\${letter}` };
  return /[!-/:-@[-`{-~]/.test(letter) && letter !== "_" ? literalAtom(letter) : undefined;
}

function readClass(
  pattern: string,
  from: number,
  ignoreCase: boolean,
): { atom: Atom; next: number } | undefined {
  let at = from + 1;
  let text = "[";
  if (pattern.charAt(at) === "^") {
    text += "^";
    at += 1;
  }
  if (pattern.charAt(at) === "]") return undefined;
  for (; pattern.charAt(at) !== "]"; at++) {
    const character = pattern.charAt(at);
    if (character === "" || (character === "[" && pattern.charAt(at + 1) === ":")) return undefined;
    if (character !== "\\") {
      text += character === "[" ? "\\[" : character;
      continue;
    }
    at += 1;
    const letter = pattern.charAt(at);
    if (letter === "s") text += SPACES;
    else if (/[dDtnrfv]/.test(letter)) text += `\\${letter}`;
    else if (/[wW]/.test(letter) && !ignoreCase) text += `\\${letter}`;
    else if (SYNTAX.test(letter) || letter === "-") text += `\\${letter}`;
    else if (/[!-/:-@`~]/.test(letter)) text += letter;
    else return undefined;
  }
  return { atom: { text: `${text}]` }, next: at + 1 };
}

interface Quantifier {
  text: string;
  isUnbounded: boolean;
  /** By how much it multiplies what there is to try. */
  ways: number;
  /** Not to be left out. */
  isRequired: boolean;
}

/** What stands behind an atom; empty where nothing is repeated. */
function readQuantifier(pattern: string, at: number): Quantifier | undefined {
  const [text = "", sign = "", low = "", comma = "", high = ""] =
    /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(pattern.slice(at, at + 20)) ?? [];
  if (text === "") {
    const none = { text, isUnbounded: false, ways: 1, isRequired: true };
    return pattern.charAt(at) === "{" ? undefined : none;
  }
  if (/[*+?{]/.test(pattern.charAt(at + text.length))) return undefined;
  if (sign !== "") {
    const isUnbounded = sign !== "?";
    return { text, isUnbounded, ways: isUnbounded ? 1 : 2, isRequired: sign === "+" };
  }
  const [least, most] = [Number(low), Number(high === "" ? low : high)];
  if (Math.max(least, most) > MAX_COPIES) return undefined;
  const isUnbounded = comma !== "" && high === "";
  return { text, isUnbounded, ways: Math.max(1, most - least + 1, least), isRequired: least > 0 };
}
