import { toByteString } from "../../bytes.ts";
import { encodeShellText } from "../../engine/text/bytes.ts";
import { type Block, blocksOf, pageOf, sizeOf } from "./rg-blocks.ts";
import type { LineMatch, SearchedLines } from "./rg-matches.ts";
import { contextOf, type Options } from "./rg-options.ts";

/** Output of `--json`: one message on each line. */
export interface Report {
  /** The messages about a file; none for one without a match. */
  fileOf(name: string, searched: SearchedLines, facts: FileFacts): string;
  /** Counts a file that is left after a look at its start, as a binary one. */
  skip(): void;
  /** The last message, with the sums of all files. */
  summary(): string;
}

export interface FileFacts {
  /** The place of the first NUL of a file that is searched all the same. */
  readonly binaryOffset: number | null;
  readonly elapsedMs: number;
  /** The matches in a line, whether it is selected or not. */
  readonly matchesIn: (line: string) => readonly LineMatch[];
}

interface Stats {
  readonly elapsedMs: number;
  readonly searches: number;
  readonly searchesWithMatch: number;
  readonly bytesSearched: number;
  readonly bytesPrinted: number;
  readonly matchedLines: number;
  readonly matches: number;
}

const NONE: Stats = {
  elapsedMs: 0,
  searches: 0,
  searchesWithMatch: 0,
  bytesSearched: 0,
  bytesPrinted: 0,
  matchedLines: 0,
  matches: 0,
};

export function createReport(options: Options): Report {
  const startMs = performance.now();
  let total = NONE;
  return {
    fileOf(name, searched, facts) {
      const { text, stats } = reportOf(name, searched, { options, facts });
      total = added(total, stats);
      return text;
    },
    skip() {
      total = { ...total, searches: total.searches + 1 };
    },
    summary() {
      const elapsed_total = durationOf(performance.now() - startMs);
      return lineOf({ data: { elapsed_total, stats: describe(total) }, type: "summary" });
    },
  };
}

function added(one: Stats, other: Stats): Stats {
  return {
    elapsedMs: one.elapsedMs + other.elapsedMs,
    searches: one.searches + other.searches,
    searchesWithMatch: one.searchesWithMatch + other.searchesWithMatch,
    bytesSearched: one.bytesSearched + other.bytesSearched,
    bytesPrinted: one.bytesPrinted + other.bytesPrinted,
    matchedLines: one.matchedLines + other.matchedLines,
    matches: one.matches + other.matches,
  };
}

function describe(stats: Stats): object {
  return {
    elapsed: durationOf(stats.elapsedMs),
    searches: stats.searches,
    searches_with_match: stats.searchesWithMatch,
    bytes_searched: stats.bytesSearched,
    bytes_printed: stats.bytesPrinted,
    matched_lines: stats.matchedLines,
    matches: stats.matches,
  };
}

function durationOf(ms: number): object {
  return {
    secs: Math.floor(ms / 1_000),
    nanos: Math.floor((ms % 1_000) * 1_000_000),
    human: `${(ms / 1_000).toFixed(6)}s`,
  };
}

function lineOf(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

/** A text, or its bytes where these are not UTF-8. */
function dataOf(text: string): object {
  if (text.isWellFormed()) return { text };
  return { bytes: btoa(toByteString(encodeShellText(text))) };
}

interface Task {
  readonly options: Options;
  readonly facts: FileFacts;
}

function reportOf(
  name: string,
  searched: SearchedLines,
  task: Task,
): { text: string; stats: Stats } {
  const { options, facts } = task;
  const page = pageOf(searched);
  const blocks = blocksOf(searched).map(({ first, last, matches }) => ({
    first,
    last,
    matches: withoutEnd(matches, page.textOf(first, last)),
  }));
  const end = endOf(searched, blocks, task);
  const stats: Stats = {
    ...NONE,
    elapsedMs: facts.elapsedMs,
    searches: 1,
    searchesWithMatch: blocks.length > 0 ? 1 : 0,
    bytesSearched: facts.binaryOffset ?? page.offsetOf(end),
    matchedLines: blocks.reduce((sum, { first, last }) => sum + last + 1 - first, 0),
    matches: blocks.reduce((sum, { matches }) => sum + matches.length, 0),
  };
  if (blocks.length === 0 || options.has("q")) return { text: "", stats };
  const path = dataOf(name);
  const body = withContext(searched.lines, blocks, task).map(({ type, first, last, matches }) => {
    const shown = page.textOf(first, last);
    const data = {
      path,
      lines: dataOf(shown),
      line_number: first + 1,
      absolute_offset: page.offsetOf(first),
      submatches: submatchesOf(shown, withoutEnd(matches, shown)),
    };
    return lineOf({ type, data });
  });
  const text = lineOf({ type: "begin", data: { path } }) + body.join("");
  const printed = { ...stats, bytesPrinted: sizeOf(text) };
  const data = { path, binary_offset: facts.binaryOffset, stats: describe(printed) };
  return { text: text + lineOf({ type: "end", data }), stats: printed };
}

/** The line that ends a search: behind the last match that a file may have, or behind the line that ends it under `-v`. */
function endOf(
  { lines, spans }: SearchedLines,
  blocks: readonly Block[],
  { options, facts }: Task,
): number {
  const last = blocks.at(-1);
  const isCut = !spans && blocks.length === Number(options.get("m"));
  if (!last || !isCut) return lines.length;
  let end = last.last + 1;
  if (options.has("v"))
    while (end < lines.length && facts.matchesIn(lines[end++] ?? "").length === 0);
  return end;
}

type Shown = Block & { readonly type: "match" | "context" };

/** The blocks and the lines around them, in order. */
function withContext(
  lines: readonly string[],
  blocks: readonly Block[],
  { options, facts }: Task,
): Shown[] {
  const { before, after } = contextOf(options);
  const shown: Shown[] = [];
  let reached = 0;
  const add = (from: number, to: number): void => {
    for (let at = Math.max(from, reached); at < Math.min(to, lines.length); at++) {
      const matches = options.has("v") ? facts.matchesIn(lines[at] ?? "") : [];
      shown.push({ type: "context", first: at, last: at, matches });
      reached = at + 1;
    }
  };
  blocks.forEach((block, index) => {
    add(block.first - before, block.first);
    shown.push({ type: "match", ...block });
    reached = block.last + 1;
    add(reached, Math.min(blocks[index + 1]?.first ?? lines.length, reached + after));
  });
  return shown;
}

/** Without an empty match behind the last character, which does not count. */
function withoutEnd(matches: readonly LineMatch[], text: string): readonly LineMatch[] {
  const last = matches.at(-1);
  return last?.start === text.length && last.end === text.length ? matches.slice(0, -1) : matches;
}

function submatchesOf(text: string, matches: readonly LineMatch[]): object[] {
  let [reached, bytes] = [0, 0];
  const offsetOf = (place: number): number => {
    bytes += sizeOf(text.slice(reached, place));
    reached = place;
    return bytes;
  };
  return matches.map(({ start, end, replacement }) => ({
    match: dataOf(text.slice(start, end)),
    ...(replacement === undefined ? {} : { replacement: dataOf(replacement) }),
    start: offsetOf(start),
    end: offsetOf(end),
  }));
}
