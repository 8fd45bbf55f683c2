import { type CharacterSet, MAX_CODE, type Term } from "./character-set.ts";
import { classRanges, propertyName } from "./class-names.ts";
import type { SourceReader } from "./reader.ts";

const BAD_RANGE = "invalid character class range";
const CONTROLS: Readonly<Record<string, number>> = { a: 7, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Reads a class behind its opening bracket. */
export function parseClass(reader: SourceReader, ignoresCase: boolean): CharacterSet {
  const start = reader.at;
  const isNegated = reader.skip("^");
  const terms: Term[] = [];
  const ranges: number[] = [];
  for (let isFirst = true; isFirst || !reader.skip("]"); isFirst = false) {
    if (reader.isAtEnd) reader.fail("missing closing ]", start);
    const term = parsePosixClass(reader) ?? parseClassEscape(reader);
    if (term) terms.push(term);
    else ranges.push(...parseRange(reader, start));
  }
  if (ranges.length > 0) terms.push({ ranges, isNegated: false });
  return { terms, isNegated, ignoresCase };
}

function parseRange(reader: SourceReader, start: number): [first: number, last: number] {
  const member = (): number => {
    if (reader.isAtEnd) reader.fail("missing closing ]", start);
    return reader.isNext("\\") ? parseEscape(reader) : reader.takeCode();
  };
  const first = member();
  if (!reader.isNext("-") || reader.isNext("-]")) return [first, first];
  reader.skip("-");
  const last = member();
  if (last < first) reader.fail(BAD_RANGE);
  return [first, last];
}

function parsePosixClass(reader: SourceReader): Term | undefined {
  const { at } = reader;
  const name = reader.skip("[:") ? reader.takeUntil(":]") : undefined;
  if (name === undefined) {
    reader.at = at;
    return undefined;
  }
  const isNegated = name.startsWith("^");
  const bare = isNegated ? name.slice(1) : name;
  const ranges = bare.length > 1 ? classRanges(bare) : undefined;
  return ranges ? { ranges, isNegated } : reader.fail(BAD_RANGE);
}

/** Reads an escape that stands for a class, if one is next. */
export function parseClassEscape(reader: SourceReader): Term | undefined {
  const letter = reader.isNext("\\") ? reader.source.charAt(reader.at + 1) : "";
  if (letter === "p" || letter === "P") return parseProperty(reader);
  const ranges = /^[dsw]$/i.test(letter) ? classRanges(letter.toLowerCase()) : undefined;
  if (!ranges) return undefined;
  reader.at += 2;
  return { ranges, isNegated: letter !== letter.toLowerCase() };
}

function parseProperty(reader: SourceReader): Term {
  let isNegated = reader.isNext("\\P");
  reader.at += 2;
  if (reader.isAtEnd) reader.fail(BAD_RANGE);
  let name = reader.skip("{")
    ? (reader.takeUntil("}") ?? reader.fail(BAD_RANGE))
    : String.fromCodePoint(reader.takeCode());
  if (name.startsWith("^")) {
    isNegated = !isNegated;
    name = name.slice(1);
  }
  const property = propertyName(name) ?? reader.fail(BAD_RANGE);
  return { ranges: [], property, isNegated };
}

/** Reads an escape that stands for one character; the backslash is next. */
export function parseEscape(reader: SourceReader): number {
  reader.skip("\\");
  if (reader.isAtEnd) reader.fail("trailing backslash at end of expression");
  const octal = reader.match(/0[0-7]{0,2}|[1-7][0-7]{1,2}/y);
  if (octal) return Number.parseInt(octal[0], 8);
  const hex = reader.match(/x(?:\{([\da-f]+)\}|([\da-f]{2}))/iy);
  const code = hex ? Number.parseInt(hex[1] ?? hex[2] ?? "", 16) : 0;
  if (hex && code <= MAX_CODE) return code;
  const letter = hex ? "x" : reader.take();
  const control = Object.hasOwn(CONTROLS, letter) ? CONTROLS[letter] : undefined;
  if (control !== undefined) return control;
  if (!/[\0-\x7f]/.test(letter) || /[\da-z]/i.test(letter)) reader.fail("invalid escape sequence");
  return letter.charCodeAt(0);
}
