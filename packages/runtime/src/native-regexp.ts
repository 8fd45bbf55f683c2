/**
 * A RE2 expression that the host's own engine matches with the same result, many times as fast. Host engines backtrack,
 * which for some expressions and texts takes practically forever; therefore `longest` bounds the text. Longer texts go
 * to the linear engine.
 */
export interface NativeRegExp {
  /** Source of a `RegExp` with the flags `su`, and `i` when case is ignored. */
  readonly source: string;
  /** A literal part of every match; empty when there is none. */
  readonly needle: string;
  /**
   * Literals of which each match contains at least one, in either case when case is ignored; empty when there are none.
   */
  readonly needles: readonly string[];
  /** Code units of the longest text that takes no noticeable time in the worst case. */
  readonly longest: number;
}

/** Ways to try in one text, some milliseconds' worth. */
const MAX_WAYS = 2_000_000;
const FEW_WAYS = 32;
const MAX_COPIES = 50;
/** Characters that must be escaped under Unicode rules. */
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;
const SPACES = "\\t\\n\\f\\r ";

/** Without repetition, the attempts at each position are bounded by the number of alternatives. */
function longestFor(ways: number, repeats: number): number {
  if (repeats === 0 && ways <= FEW_WAYS) return Number.POSITIVE_INFINITY;
  return (MAX_WAYS / ways) ** (1 / (repeats + 1)) - 1;
}

interface Atom {
  text: string;
  /** The single character it matches. */
  literal?: string;
  /** Matches a position, so it can't be repeated. */
  isEmpty?: boolean;
}

/**
 * Translates the subset of RE2's syntax in which repetition never applies to a group and which means the same to both
 * engines; `undefined` for every other expression. Without `dotAll`, a dot does not match a line feed. The host may
 * still reject `source`.
 */
export function nativeRegExp(
  pattern: string,
  { ignoreCase = false, dotAll = true }: { ignoreCase?: boolean; dotAll?: boolean } = {},
): NativeRegExp | undefined {
  return new Translation(pattern, { ignoreCase, dotAll }).result();
}

interface Flags {
  ignoreCase: boolean;
  dotAll: boolean;
}

/** One reading of an expression, from its first character to its last. */
class Translation {
  readonly #pattern: string;
  readonly #flags: Flags;
  #at = 0;
  #source = "";
  #repeats = 0;
  #ways = 1;
  /** Branches of each open group, the outermost first. */
  readonly #branches = [1];
  #run = "";
  #needle = "";
  /** One literal for each top-level alternative. */
  readonly #needles: string[] = [];

  constructor(pattern: string, flags: Flags) {
    this.#pattern = pattern;
    this.#flags = flags;
  }

  result(): NativeRegExp | undefined {
    while (this.#at < this.#pattern.length) {
      if (!this.#readNext()) return undefined;
    }
    this.#endWay();
    if (this.#branches.length > 1) return undefined;
    const [outermost = 1] = this.#branches;
    const needles = this.#needles;
    return {
      source: this.#source,
      needle: this.#flags.ignoreCase || outermost > 1 ? "" : (needles[0] ?? ""),
      needles: needles.includes("") ? [] : needles,
      longest: longestFor(this.#ways * outermost, this.#repeats),
    };
  }

  /** False, here and below, for syntax on which the engines differ. */
  #readNext(): boolean {
    const character = this.#character();
    if (character === "(") return this.#openGroup();
    if (character === ")") return this.#closeGroup();
    if (character === "|") return this.#nextBranch();
    return this.#readRepeatedAtom();
  }

  #openGroup(): boolean {
    const isSpecial = this.#character(1) === "?";
    if (isSpecial && this.#character(2) !== ":") return false;
    this.#take(isSpecial ? "(?:" : "(");
    this.#branches.push(1);
    this.#endRun();
    return true;
  }

  #closeGroup(): boolean {
    if (this.#branches.length === 1) return false;
    this.#ways *= this.#branches.pop() ?? 1;
    this.#take(")");
    if (/[*+{]/.test(this.#character())) return false;
    if (this.#character() !== "?") return true;
    if (/[*+?{]/.test(this.#character(1))) return false;
    this.#ways *= 2;
    this.#take("?");
    return true;
  }

  #nextBranch(): boolean {
    this.#branches.push((this.#branches.pop() ?? 1) + 1);
    this.#take("|");
    if (this.#branches.length === 1) this.#endWay();
    else this.#endRun();
    return true;
  }

  #readRepeatedAtom(): boolean {
    const read = readAtom(this.#pattern, this.#at, this.#flags);
    if (!read) return false;
    const { text, literal, isEmpty = false } = read.atom;
    this.#source += text;
    this.#at = read.next;
    const quantifier = readQuantifier(this.#pattern, this.#at);
    if (!quantifier) return false;
    if (quantifier.text !== "" && isEmpty) return false;
    this.#take(quantifier.text);
    this.#repeats += quantifier.isUnbounded ? 1 : 0;
    this.#ways *= quantifier.ways;
    // Groups may be optional or alternatives, so only literals outside of them are part of every match.
    if (literal === undefined || this.#branches.length > 1 || !quantifier.isRequired) {
      this.#endRun();
    } else {
      this.#run += literal;
      if (quantifier.text !== "") this.#endRun();
    }
    return true;
  }

  #character(ahead = 0): string {
    return this.#pattern.charAt(this.#at + ahead);
  }

  /** Goes on behind `text`, which stands here and means the same to both engines. */
  #take(text: string): void {
    this.#source += text;
    this.#at += text.length;
  }

  #endRun(): void {
    if (this.#run.length > this.#needle.length) this.#needle = this.#run;
    this.#run = "";
  }

  #endWay(): void {
    this.#endRun();
    this.#needles.push(this.#needle);
    this.#needle = "";
  }
}

function readAtom(
  pattern: string,
  at: number,
  { ignoreCase, dotAll }: Flags,
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
  // With case ignored, the engines disagree about word characters.
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
  /** Factor by which it multiplies the attempts. */
  ways: number;
  /** True when it can't be omitted. */
  isRequired: boolean;
}

/** Reads the quantifier behind an atom; empty without repetition. */
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
