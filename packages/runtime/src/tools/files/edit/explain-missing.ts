import { cutLine } from "../../text-limit.ts";

const MAX_SHOWN_LINES = 12;
const MAX_LINE_LENGTH = 200;
/** A shorter line, such as a closing brace, is found everywhere and says nothing about the place. */
const MIN_TELLING_LENGTH = 4;
/** Lines of the file that are compared letter by letter when no line of the wanted text is in it. */
const MAX_COMPARED_LINES = 20_000;

/** The hint for a model whose text is not in the file: the nearest lines with numbers, and the difference. */
export function explainMissing(text: string, wanted: string): string {
  const lines = splitLines(text);
  const sought = splitLines(wanted);
  while (sought.length > 1 && sought.at(-1)!.trim() === "") sought.pop();
  const blank = sought.findIndex((line) => line.trim() !== "");
  sought.splice(0, Math.max(0, blank));
  if (sought.every((line) => /^\s*\d+\t/.test(line))) {
    return "oldString starts its lines with the line numbers that Read shows; leave the number and the tab out.";
  }
  if (lines.join("\n").includes(unescaped(sought.join("\n")))) {
    return 'It is there when the escapes in oldString (\\n, \\t, \\") are the characters that they stand for: send those themselves.';
  }
  const start = nearest(lines, sought);
  if (start === undefined) return "Nothing in the file is like it. Read the file again.";
  const found = lines.slice(start, start + sought.length);
  const shown = found
    .slice(0, MAX_SHOWN_LINES)
    .map((line, index) => `${start + index + 1}\t${cutLine(line, MAX_LINE_LENGTH)}`);
  return [
    found.length === 1
      ? `Nearest is line ${start + 1}:`
      : `Nearest are lines ${start + 1} to ${start + found.length}:`,
    ...shown,
    ...(found.length > shown.length ? ["…"] : []),
    difference(found, sought, start + 1),
  ].join("\n");
}

/** Unescapes text that was written as JSON inside JSON. */
function unescaped(text: string): string {
  const meanings: Record<string, string> = { n: "\n", r: "", t: "\t" };
  return text.replaceAll(/\\(["'`\\nrt])/g, (_, letter: string) => meanings[letter] ?? letter);
}

function splitLines(text: string): string[] {
  return text.replaceAll("\r\n", "\n").split("\n");
}

/** Index of the line where the file is most like `sought`. */
function nearest(lines: readonly string[], sought: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  lines.forEach((line, index) => {
    const key = squeeze(line);
    if (key.length >= MIN_TELLING_LENGTH)
      places.set(key, [...(places.get(key) ?? []).slice(0, 49), index]);
  });
  // Each line that is there votes for the place where the text would have to start.
  const votes = new Map<number, number>();
  sought.forEach((line, index) => {
    for (const place of places.get(squeeze(line)) ?? []) {
      const start = Math.max(0, place - index);
      votes.set(start, (votes.get(start) ?? 0) + 1);
    }
  });
  const [best] = [...votes].sort(([a, left], [b, right]) => right - left || a - b);
  return best ? best[0] : mostSimilar(lines, sought);
}

function mostSimilar(lines: readonly string[], sought: readonly string[]): number | undefined {
  const index = sought.reduce(
    (best, line, at) => (line.length > sought[best]!.length ? at : best),
    0,
  );
  const wanted = letterPairs(squeeze(sought[index]!));
  let best: { at: number; score: number } | undefined;
  lines.slice(0, MAX_COMPARED_LINES).forEach((line, at) => {
    const score = similarity(wanted, letterPairs(squeeze(line).slice(0, 1000)));
    if (score > (best?.score ?? 0.5)) best = { at, score };
  });
  return best && Math.max(0, best.at - index);
}

function letterPairs(text: string): Set<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index += 1) pairs.add(text.slice(index, index + 2));
  return pairs;
}

/** The share of `wanted` in `line`, 0 to 1; slightly less for a line with much else in it. */
function similarity(wanted: Set<string>, line: Set<string>): number {
  if (wanted.size === 0) return 0;
  const [fewer, more] = wanted.size < line.size ? [wanted, line] : [line, wanted];
  let shared = 0;
  for (const pair of fewer) if (more.has(pair)) shared += 1;
  return shared / wanted.size - (line.size - shared) / (line.size + wanted.size) / 10;
}

/** Describes the first difference, naming models' most frequent mistakes. */
function difference(found: readonly string[], sought: readonly string[], first: number): string {
  for (const [index, wanted] of sought.entries()) {
    const actual = found[index];
    const line = `Line ${first + index}`;
    if (actual === undefined) return `The file ends before oldString does.`;
    if (holds(actual, wanted, index, sought.length)) continue;
    if (squeeze(actual) === squeeze(wanted))
      return `${line} differs in white space: ${spaces(actual, wanted)}.`;
    if (plainSigns(actual) === plainSigns(wanted))
      return `${line} differs in signs that look alike: ${signs(actual, wanted)}.`;
    if (actual.toLowerCase() === wanted.toLowerCase())
      return `${line} differs in upper and lower case.`;
    if (withoutEscapes(actual) === withoutEscapes(wanted))
      return `${line} differs in backslashes: it is ${cutLine(actual, MAX_LINE_LENGTH)}`;
    if (anyQuotes(actual) === anyQuotes(wanted))
      return `${line} differs in quotes: ${signs(actual, wanted)}.`;
    return `${line} differs; oldString has: ${cutLine(wanted, MAX_LINE_LENGTH)}`;
  }
  return "The lines are the same one by one, but not as one piece of text.";
}

/** The first line of a text may begin, and its last one end, anywhere within a line of the file. */
function holds(actual: string, wanted: string, index: number, length: number): boolean {
  const isFirst = index === 0;
  const isLast = index === length - 1;
  if (isFirst && isLast) return actual.includes(wanted);
  if (isFirst) return actual.endsWith(wanted);
  return isLast ? actual.startsWith(wanted) : actual === wanted;
}

function spaces(actual: string, wanted: string): string {
  const [fileIndent, ownIndent] = [indentOf(actual), indentOf(wanted)];
  if (fileIndent !== ownIndent) {
    return `it is indented by ${nameSpaces(fileIndent)}, oldString by ${nameSpaces(ownIndent)}`;
  }
  const [fileEnd, ownEnd] = [endOf(actual), endOf(wanted)];
  if (fileEnd !== ownEnd) {
    return `it ends with ${nameSpaces(fileEnd)}, oldString with ${nameSpaces(ownEnd)}`;
  }
  return `it is ${JSON.stringify(cutLine(actual, MAX_LINE_LENGTH))}`;
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function endOf(line: string): string {
  return line.slice(line.trimEnd().length);
}

function nameSpaces(text: string): string {
  if (text === "") return "nothing";
  if (/^ +$/.test(text)) return text.length === 1 ? "1 space" : `${text.length} spaces`;
  if (/^\t+$/.test(text)) return text.length === 1 ? "1 tab" : `${text.length} tabs`;
  return JSON.stringify(text);
}

function squeeze(line: string): string {
  return line.trim().replaceAll(/\s+/g, " ");
}

/** Replaces Unicode variants of keyboard characters: curly quotes, dashes, ligatures, full-width letters. */
function plainSigns(line: string): string {
  return line
    .normalize("NFKC")
    .replaceAll(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replaceAll(/[\u201c-\u201f]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, "-")
    .replaceAll(/[\u200b-\u200d\u2060\ufeff]/g, "");
}

/** Removes escapes of JSON and of most languages: models write one too many, or forget one. */
function withoutEscapes(line: string): string {
  return line.replaceAll(/\\+(["'`\\nrt$/])/g, "$1");
}

function anyQuotes(line: string): string {
  return plainSigns(line).replaceAll(/["'`]/g, '"');
}

function signs(actual: string, wanted: string): string {
  const [file, own] = [Array.from(actual), Array.from(wanted)];
  const at = file.findIndex((sign, index) => sign !== own[index]);
  return `it has ${nameSign(file[at])} where oldString has ${nameSign(own[at])}`;
}

function nameSign(sign: string | undefined): string {
  if (sign === undefined) return "its end";
  return `${sign} (U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")})`;
}
