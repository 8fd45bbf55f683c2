import { encodeShellText } from "../../engine/text/bytes.ts";
import type { LineMatch, SearchedLines } from "./rg-matches.ts";

/** Lines that are selected together, and their matches as places in their text. */
export interface Block {
  readonly first: number;
  readonly last: number;
  readonly matches: readonly LineMatch[];
}

/** The text of a file, and where its lines are. */
export interface Page {
  /** Lines with their ends. */
  textOf(first: number, last?: number): string;
  /** Where a line begins, in bytes; behind the last line, the size of the text. */
  offsetOf(line: number): number;
}

/** The size of a text in bytes. */
export function sizeOf(text: string): number {
  return encodeShellText(text).length;
}

export function pageOf({ lines, text }: SearchedLines): Page {
  const starts = startsOf(lines, text);
  const offsets = [0];
  const textOf = (first: number, last = first): string =>
    text.slice(starts[first], starts[last + 1]);
  return {
    textOf,
    offsetOf(line) {
      for (let at = offsets.length; at <= line; at++)
        offsets.push((offsets[at - 1] ?? 0) + sizeOf(textOf(at - 1)));
      return offsets[line] ?? 0;
    },
  };
}

/** Where the lines of a text begin, and its end. */
function startsOf(lines: readonly string[], text: string): number[] {
  const starts: number[] = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += line.length + 1;
  }
  return [...starts, text.length];
}

export function blocksOf({ lines, text, selected, spans }: SearchedLines): readonly Block[] {
  if (!spans) return selected.map(({ at, matches }) => ({ first: at, last: at, matches }));
  const starts = startsOf(lines, text);
  const blocks: { first: number; last: number; matches: LineMatch[]; end: number }[] = [];
  let line = 0;
  const lineAt = (place: number): number => {
    while (line + 1 < lines.length && (starts[line + 1] ?? 0) <= place) line++;
    return line;
  };
  for (const span of spans) {
    const { start, end } = span;
    if (start === text.length && text.endsWith("\n")) continue;
    const first = lineAt(start);
    const last = end > start ? lineAt(end - 1) : first;
    const open = blocks.at(-1);
    const from = starts[open && open.end >= (starts[first] ?? 0) ? open.first : first] ?? 0;
    const match = { ...span, start: start - from, end: end - from };
    if (open && open.end >= (starts[first] ?? 0)) {
      open.matches.push(match);
      Object.assign(open, { last, end });
    } else blocks.push({ first, last, matches: [match], end });
  }
  return blocks;
}
