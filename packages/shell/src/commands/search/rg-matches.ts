import { compilePattern, compilePerlGroups, type Dialect, type Groups } from "./pattern.ts";
import type { Options, Request } from "./rg-options.ts";

/** A match within a line, and the text in its place. */
export interface LineMatch {
  readonly start: number;
  readonly end: number;
  readonly replacement?: string | undefined;
}

export interface SelectedLine {
  /** The index of the line, from 0. */
  readonly at: number;
  readonly matches: readonly LineMatch[];
}

export interface SearchedLines {
  readonly text: string;
  readonly lines: readonly string[];
  readonly selected: readonly SelectedLine[];
  /** Matches in the whole text, of which each may touch several lines. */
  readonly spans?: readonly LineMatch[] | undefined;
}

type Pace = (steps?: number) => Promise<void> | undefined;
const CHARACTERS_PER_STEP = 256;

export interface Matcher {
  matchesIn(line: string): readonly LineMatch[];
  search(text: string, pace: Pace): Promise<SearchedLines>;
}

/** The matches in a text from a position on. */
type Find = (text: string, from: number) => Groups | undefined;

/** @throws {Error} for an invalid pattern */
export async function matcherOf(request: Request): Promise<Matcher> {
  const { options } = request;
  const find = await findOf(request);
  const replace = replacer(request);
  const limit = Number(options.get("m") ?? Number.POSITIVE_INFINITY);
  const matchesIn = (text: string): LineMatch[] => matchesOf(text, find, replace);
  if (options.has("U"))
    return {
      matchesIn,
      search: async (text) => multilineSelection(text, matchesIn(text), limit, options.has("v")),
    };
  return {
    matchesIn,
    async search(text, pace) {
      const lines = linesOf(text);
      const selected: SelectedLine[] = [];
      for (let at = 0; at < lines.length && selected.length < limit; at++) {
        const line = lines[at] ?? "";
        const turn = pace(1 + line.length / CHARACTERS_PER_STEP);
        if (turn) await turn;
        const matches = matchesIn(line);
        if (matches.length > 0 !== options.has("v")) selected.push({ at, matches });
      }
      return { text, lines, selected };
    },
  };
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

async function findOf({ options, sources }: Request): Promise<Find> {
  const dialect: Dialect = options.has("F") ? "fixed" : "perl";
  const isCaseIgnored = ignoresCase(options, sources);
  const [isWord, isLine] = [options.has("w"), options.has("x")];
  const isMultiline = options.has("U");
  const needsGroups = options.has("r") || isMultiline;
  if (!needsGroups || dialect === "fixed") {
    const pattern = await compilePattern(sources, { dialect, isCaseIgnored, isWord, isLine });
    return (text, from) => {
      const match = pattern.find(text, from);
      return match && [[match.start, match.end]];
    };
  }
  const either =
    sources.length === 1 ? (sources[0] ?? "") : sources.map((one) => `(?:${one})`).join("|");
  const bounded = isLine ? `^(?:${either})$` : isWord ? `\\b(?:${either})\\b` : either;
  // A dot matches no newline, unless that is asked for.
  const flags = `${isMultiline ? "m" : ""}${options.has("multiline-dotall") ? "" : "-s"}`;
  const pattern = await compilePerlGroups(`(?${flags})${bounded}`, {
    isCaseIgnored,
    isMultiline: false,
  });
  return (text, from) => pattern.find(text, from);
}

/** The last option decides; smart case ignores it as long as the pattern has no capital. */
function ignoresCase(options: Options, sources: readonly string[]): boolean {
  const asked = [...options.keys()].findLast((name) => "isS".includes(name));
  if (asked !== "S") return asked === "i";
  return !sources.some((source) => /\p{Lu}/u.test(source.replace(/\\[A-Za-z]/g, "")));
}

function matchesOf(
  text: string,
  find: Find,
  replace: (text: string, groups: Groups) => string | undefined,
): LineMatch[] {
  const matches: LineMatch[] = [];
  for (let at = 0; at <= text.length;) {
    const groups = find(text, at);
    const [start, end] = groups?.[0] ?? [-1, -1];
    if (!groups || start < 0) break;
    // Nothing is matched where a match has just ended.
    if (end > start || matches.at(-1)?.end !== start)
      matches.push({ start, end, replacement: replace(text, groups) });
    at = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
  return matches;
}

/** Fills `$1`, `$name` and `${name}` of `-r`. */
function replacer({
  options,
  sources,
}: Request): (text: string, groups: Groups) => string | undefined {
  const written = options.get("r");
  if (written === undefined) return () => undefined;
  const names = [...sources.join("|").matchAll(/(?<!\\)\((?!\?)|\(\?P?<(\w+)>/g)].map(
    ([, name]) => name,
  );
  return (text, groups) =>
    written.replace(
      /\$(?:\$|\{(\w+)\}|(\w+))/g,
      (whole, braced: string | undefined, plain: string | undefined) => {
        const name = braced ?? plain;
        if (name === undefined) return whole.slice(1);
        const at = /^\d+$/.test(name) ? Number(name) : names.indexOf(name) + 1;
        const [start, end] = groups[at > 0 || name === "0" ? at : -1] ?? [-1, -1];
        return start < 0 ? "" : text.slice(start, end);
      },
    );
}

/** The lines that matches of a whole text touch. */
function multilineSelection(
  text: string,
  matches: readonly LineMatch[],
  limit: number,
  isInverted: boolean,
): SearchedLines {
  const lines = linesOf(text);
  const touched = new Map<number, LineMatch[]>();
  let [at, offset, count] = [0, 0, 0];
  for (const match of matches) {
    if (count++ >= limit && !isInverted) break;
    while (at < lines.length - 1 && offset + (lines[at]?.length ?? 0) < match.start) {
      offset += (lines[at]?.length ?? 0) + 1;
      at += 1;
    }
    let [line, start] = [at, offset];
    do {
      const length = lines[line]?.length ?? 0;
      const own = {
        start: Math.max(0, match.start - start),
        end: Math.min(length, match.end - start),
        replacement: line === at ? match.replacement : match.replacement && "",
      };
      touched.set(line, [...(touched.get(line) ?? []), own]);
      start += length + 1;
      line += 1;
    } while (line < lines.length && start < match.end);
  }
  const selected = lines.flatMap((_line, index) => {
    const found = touched.get(index);
    return (found === undefined) === isInverted ? [{ at: index, matches: found ?? [] }] : [];
  });
  return { text, lines, selected, spans: isInverted ? undefined : matches.slice(0, limit) };
}
