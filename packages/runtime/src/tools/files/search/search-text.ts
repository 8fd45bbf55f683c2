import { cutLine } from "../../text-limit.ts";
import type { LinePattern } from "./line-pattern.ts";
import type { Pace } from "../pacer.ts";

const MAX_LINE_LENGTH = 500;

export interface SearchOptions {
  pace: Pace;
  /** Stop at the first match. */
  firstOnly?: boolean | undefined;
  /** Lines shown before and after each match; `undefined` when no lines are wanted. */
  context?: number | undefined;
}

export interface FoundLines {
  /** Matching lines. */
  matches: number;
  /** Lines in order, without context lines when `context` is 0. */
  lines: FoundLine[];
}

interface FoundLine {
  /** Line number from 1. */
  number: number;
  text: string;
  isMatch: boolean;
}

/** Matching lines beyond this are counted, not kept: more would not be shown. */
const MAX_KEPT_MATCHES = 2000;

/** Searches a text line by line, of which it is known that it may match. */
export async function searchText(
  text: string,
  pattern: LinePattern,
  options: SearchOptions,
): Promise<FoundLines> {
  const { pace, firstOnly = false, context } = options;
  const found: FoundLines = { matches: 0, lines: [] };
  // The whole text is known to match.
  if (pattern.spans && firstOnly) return { matches: 1, lines: [] };
  const isMatching = pattern.spans
    ? await linesOfSpans(text, pattern.spans, pace)
    : (line: string) => pattern.matches(line);
  const before: FoundLine[] = [];
  let after = 0;
  for (const [number, line] of linesOf(text)) {
    const turn = pace(line.length + 1);
    if (turn) await turn;
    const isMatch = isMatching(line, number);
    if (isMatch) found.matches += 1;
    if (isMatch && firstOnly) break;
    if (context === undefined || found.matches > MAX_KEPT_MATCHES) continue;
    if (isMatch) {
      const text = cutLine(line, MAX_LINE_LENGTH, focusOf(line, pattern));
      found.lines.push(...before, { number, text, isMatch });
      before.length = 0;
      after = context;
    } else if (context > 0) {
      const neighbour = { number, text: cutLine(line, MAX_LINE_LENGTH), isMatch };
      if (after > 0) found.lines.push(neighbour);
      else {
        before.push(neighbour);
        if (before.length > context) before.shift();
      }
      after -= 1;
    }
  }
  return found;
}

/** A predicate for line numbers that matches touch. */
async function linesOfSpans(
  text: string,
  spans: NonNullable<LinePattern["spans"]>,
  pace: Pace,
): Promise<(line: string, number: number) => boolean> {
  const plain = text.replaceAll("\r\n", "\n");
  const matching = new Set<number>();
  let number = 1;
  let lineEnd = endOfLine(plain, 0);
  for (const [start, end] of spans(plain)) {
    const turn = pace(end - start + 1);
    if (turn) await turn;
    while (lineEnd < start) {
      number += 1;
      lineEnd = endOfLine(plain, lineEnd + 1);
    }
    matching.add(number);
    // A line feed at the end of a match is still of the line that it ends.
    while (lineEnd < end - 1) {
      number += 1;
      lineEnd = endOfLine(plain, lineEnd + 1);
      matching.add(number);
    }
  }
  return (_, line) => matching.has(line);
}

function endOfLine(text: string, from: number): number {
  const feed = text.indexOf("\n", from);
  return feed === -1 ? text.length : feed;
}

function focusOf(line: string, pattern: LinePattern): number {
  return line.length > MAX_LINE_LENGTH ? pattern.position(line) : 0;
}

/** Numbers and texts of lines, without their endings. A line feed at the very end begins no further line. */
function* linesOf(text: string): Generator<[number, string]> {
  let number = 0;
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    number += 1;
    yield [number, text.slice(start, end > start && text[end - 1] === "\r" ? end - 1 : end)];
    start = end + 1;
  }
}
