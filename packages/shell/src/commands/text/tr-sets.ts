import { encodeText } from "@robota/runtime/ports";

/** A set of `tr`: bytes in order, of which a repetition may fill up. */
export interface ByteSet {
  readonly bytes: readonly number[];
  /** A byte repeated at a position to reach the length of the first set. */
  readonly fill: { readonly at: number; readonly byte: number } | undefined;
  /** Positions and names of the classes in it. */
  readonly classes: readonly { readonly at: number; readonly name: string }[];
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_byte, at) => from + at);
const codes = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));
const DIGITS = range(48, 57);
const UPPER = range(65, 90);
const LOWER = range(97, 122);

const CLASSES: Readonly<Record<string, readonly number[]>> = {
  alnum: [...DIGITS, ...UPPER, ...LOWER],
  alpha: [...UPPER, ...LOWER],
  blank: codes("\t "),
  cntrl: [...range(0, 31), 127],
  digit: DIGITS,
  graph: range(33, 126),
  lower: LOWER,
  print: range(32, 126),
  punct: [...range(33, 47), ...range(58, 64), ...range(91, 96), ...range(123, 126)],
  space: [...range(9, 13), 32],
  upper: UPPER,
  xdigit: [...DIGITS, ...range(65, 70), ...range(97, 102)],
};

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
};

interface Token {
  readonly byte: number;
  readonly isEscaped: boolean;
}

/** Parses a set: ranges, escapes, `[:class:]`, `[=c=]`, `[c*n]`. @throws {Error} for an invalid one */
export function parseSet(text: string): ByteSet {
  const tokens = tokensOf(text);
  const bytes: number[] = [];
  const classes: { at: number; name: string }[] = [];
  let fill: ByteSet["fill"];
  const is = (at: number, character: string): boolean => {
    const token = tokens[at];
    return token !== undefined && !token.isEscaped && token.byte === character.charCodeAt(0);
  };
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at];
    if (!token) break;
    const named = is(at, "[") ? bracketAt(tokens, at, is) : undefined;
    if (named?.kind === "class") {
      classes.push({ at: bytes.length, name: named.name });
      bytes.push(...named.bytes);
    } else if (named?.kind === "repeat" && named.count === 0) {
      if (fill) throw new Error("only one [c*] repeat construct may appear in string2");
      fill = { at: bytes.length, byte: named.byte };
    } else if (named?.kind === "repeat") {
      for (let count = 0; count < named.count; count++) bytes.push(named.byte);
    } else if (is(at + 1, "-") && tokens[at + 2] !== undefined) {
      const last = tokens[at + 2]?.byte ?? 0;
      if (last < token.byte) {
        const written = `${String.fromCharCode(token.byte)}-${String.fromCharCode(last)}`;
        throw new Error(`range-endpoints of '${written}' are in reverse collating sequence order`);
      }
      bytes.push(...range(token.byte, last));
      at += 3;
      continue;
    } else bytes.push(token.byte);
    at += named ? named.length : 1;
  }
  return { bytes, fill, classes };
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [whole, octal, letter] of text.matchAll(/\\([0-7]{1,3})|\\([^])|[^]/gu)) {
    if (octal !== undefined) {
      const value = Number.parseInt(octal, 8);
      // The largest octal number of a byte has two more digits.
      if (value > 255) {
        tokens.push({ byte: Number.parseInt(octal.slice(0, 2), 8), isEscaped: true });
        tokens.push({ byte: octal.charCodeAt(2), isEscaped: true });
      } else tokens.push({ byte: value, isEscaped: true });
    } else {
      const code = letter === undefined ? undefined : ESCAPES[letter];
      const written = code === undefined ? encodeText(letter ?? whole) : [code];
      for (const byte of written) tokens.push({ byte, isEscaped: letter !== undefined });
    }
  }
  return tokens;
}

type Bracket = { readonly length: number } & (
  | { readonly kind: "class"; readonly name: string; readonly bytes: readonly number[] }
  | { readonly kind: "repeat"; readonly byte: number; readonly count: number }
);

/** The class, equivalents or repetition at a bracket; `undefined` for a bracket by itself. */
function bracketAt(
  tokens: readonly Token[],
  at: number,
  is: (at: number, character: string) => boolean,
): Bracket | undefined {
  const textOf = (from: number, to: number): string =>
    String.fromCharCode(...tokens.slice(from, to).map(({ byte }) => byte));
  for (const mark of [":", "="]) {
    if (!is(at + 1, mark)) continue;
    let end = at + 2;
    while (end < tokens.length && !(is(end, mark) && is(end + 1, "]") && end > at + 2)) end += 1;
    if (end >= tokens.length) continue;
    const name = textOf(at + 2, end);
    const length = end + 2 - at;
    if (mark === "=") {
      if (name.length !== 1)
        throw new Error(`${name}: equivalence class operand must be a single character`);
      return { kind: "repeat", byte: name.charCodeAt(0), count: 1, length };
    }
    const bytes = CLASSES[name];
    if (!bytes) throw new Error(`invalid character class '${name}'`);
    return { kind: "class", name, bytes, length };
  }
  if (!is(at + 2, "*")) return undefined;
  let end = at + 3;
  while (end < tokens.length && !is(end, "]")) end += 1;
  const count = textOf(at + 3, end);
  if (end >= tokens.length || !/^\d*$/.test(count)) return undefined;
  return {
    kind: "repeat",
    byte: tokens[at + 1]?.byte ?? 0,
    count: Number.parseInt(count || "0", count.startsWith("0") ? 8 : 10),
    length: end + 1 - at,
  };
}
