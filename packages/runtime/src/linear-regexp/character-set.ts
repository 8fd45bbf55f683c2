/** Highest code point. */
export const MAX_CODE = 0x10ffff;

/** A part of a set: ranges of code points (the first and last of each in turn), or a property of Unicode. */
export interface Term {
  readonly ranges: readonly number[];
  /** As the host's expressions name it, such as `Script=Greek`. */
  readonly property?: string;
  readonly isNegated: boolean;
}

/** The characters that one step of an expression accepts. */
export interface CharacterSet {
  readonly terms: readonly Term[];
  readonly isNegated: boolean;
  /** Accepts characters that differ from members only in case. */
  readonly ignoresCase: boolean;
}

export function rangesSet(ranges: readonly number[], isNegated = false): CharacterSet {
  return { terms: [{ ranges, isNegated: false }], isNegated, ignoresCase: false };
}

export function singleSet(code: number, ignoresCase: boolean): CharacterSet {
  const hasCase = code > 127 || isLetter(code);
  return { ...rangesSet([code, code]), ignoresCase: ignoresCase && hasCase };
}

/** The only character that the set accepts; `undefined` for other sets, and for halves of surrogate pairs. */
export function singleOf({ terms, isNegated, ignoresCase }: CharacterSet): string | undefined {
  const [term, second] = terms;
  if (!term || second || term.property || term.isNegated || isNegated || ignoresCase)
    return undefined;
  const [first = 0, last] = term.ranges;
  const isSingle = first === last && term.ranges.length === 2 && (first & ~0x7ff) !== 0xd800;
  return isSingle ? String.fromCodePoint(first) : undefined;
}

/** Returns what tells members of the set. Of Unicode it knows nothing itself: it asks the host's expressions. */
export function membership({
  terms,
  isNegated,
  ignoresCase,
}: CharacterSet): (code: number) => boolean {
  const tests = terms.map((term) => termTest(term, ignoresCase));
  return (code) => tests.some((test) => test(code)) !== isNegated;
}

function termTest(
  { ranges, property, isNegated }: Term,
  ignoresCase: boolean,
): (code: number) => boolean {
  const isListed = (code: number): boolean => {
    for (let at = 0; at < ranges.length; at += 2)
      if (code >= (ranges[at] ?? 0) && code <= (ranges[at + 1] ?? 0)) return true;
    return false;
  };
  let expression: RegExp | undefined;
  const isFound = (code: number): boolean => {
    expression ??= new RegExp(
      property ? `\\p{${property}}` : `[${rangesSource(ranges)}]`,
      ignoresCase ? "iu" : "u",
    );
    return expression.test(String.fromCodePoint(code));
  };
  if (property) return (code) => isFound(code) !== isNegated;
  if (!ignoresCase) return (code) => isListed(code) !== isNegated;
  return (code) =>
    (isListed(code) || (code < 128 ? variants(code).some(isListed) : isFound(code))) !== isNegated;
}

function rangesSource(ranges: readonly number[]): string {
  const escape = (code: number): string => `\\u{${code.toString(16)}}`;
  let source = "";
  for (let at = 0; at < ranges.length; at += 2)
    source += `${escape(ranges[at] ?? 0)}-${escape(ranges[at + 1] ?? 0)}`;
  return source;
}

/** Other characters that differ from one of ASCII only in case: two have some outside of ASCII. */
function variants(code: number): readonly number[] {
  if (!isLetter(code)) return [];
  const other = code ^ 32;
  const lower = code | 32;
  if (lower === 0x6b) return [other, 0x212a];
  return lower === 0x73 ? [other, 0x17f] : [other];
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return code < 128 && lower >= 0x61 && lower <= 0x7a;
}
