import { sizeOf } from "./rg-blocks.ts";
import type { LineMatch, SearchedLines, SelectedLine } from "./rg-matches.ts";
import { contextOf, type Options } from "./rg-options.ts";

export interface Output {
  /** True when lines begin with the names of their files. */
  readonly isNamed: boolean;
  /** True when only a line for each file is printed. */
  readonly isSummary: boolean;
  /** True when files without a match are those that are sought. */
  readonly isInverted: boolean;
  textOf(name: string, searched: SearchedLines): string;
}

const COLORS = { name: "35", number: "32" } as const;

interface Surroundings {
  /** True for a single file or the input. */
  readonly isAlone: boolean;
  readonly hasContext: boolean;
}

export function createOutput(options: Options, { isAlone, hasContext }: Surroundings): Output {
  const isListing = options.has("l") || options.has("files-without-match");
  const isCounting = options.has("c") || options.has("count-matches");
  const isColored = options.has("p") ? options.get("color") !== "never" : isAlways(options);
  const hasHeading = (options.has("heading") || options.has("p")) && !options.has("no-heading");
  const isNamed = !options.has("I") && (options.has("H") || options.has("vimgrep") || !isAlone);
  const paint = (kind: keyof typeof COLORS, text: string): string =>
    isColored ? `\u001b[0m\u001b[${COLORS[kind]}m${text}\u001b[0m` : text;
  const layout: Layout = { options, isNamed: isNamed && !hasHeading, isColored, paint };
  let hasPrinted = false;
  const end = options.has("0") ? "\0" : "\n";
  return {
    isNamed,
    isSummary: isListing || isCounting,
    isInverted: options.has("files-without-match"),
    textOf(name, searched) {
      const { selected } = searched;
      if (isListing)
        return selected.length > 0 === options.has("l") ? paint("name", name) + end : "";
      if (isCounting) {
        const count = options.has("c") ? selected.length : sum(selected);
        if (count === 0 && !options.has("include-zero")) return "";
        const mark = options.has("0") ? "\0" : ":";
        return `${isNamed ? paint("name", name) + mark : ""}${count}\n`;
      }
      const body = bodyOf(name, searched, layout);
      if (body === "") return "";
      const title = hasHeading && isNamed ? `${paint("name", name)}${end}` : "";
      const gap = !hasPrinted ? "" : hasHeading ? "\n" : hasContext ? "--\n" : "";
      hasPrinted = true;
      return gap + title + body;
    },
  };
}

function isAlways(options: Options): boolean {
  return options.get("color") === "always" || options.get("color") === "ansi";
}

function sum(selected: readonly SelectedLine[]): number {
  return selected.reduce((total, { matches }) => total + matches.length, 0);
}

interface Layout {
  readonly options: Options;
  readonly isNamed: boolean;
  readonly isColored: boolean;
  readonly paint: (kind: keyof typeof COLORS, text: string) => string;
}

function bodyOf(name: string, { lines, selected }: SearchedLines, layout: Layout): string {
  const { options } = layout;
  const isEach = options.has("o") || options.has("vimgrep");
  const { before, after } = isEach ? { before: 0, after: 0 } : contextOf(options);
  const offsets = options.has("b") ? offsetsOf(lines) : [];
  let [text, last] = ["", -1];
  const print = (at: number, separator: ":" | "-", shown: string, match?: LineMatch): void => {
    const isApart = last !== -1 && at > last + 1 && (after > 0 || before > 0);
    if (isApart && !options.has("passthru"))
      text += `${options.get("context-separator") ?? "--"}\n`;
    const place = { name, at, separator, match, offset: offsets[at], line: lines[at] ?? "" };
    text += `${prefixOf(place, layout)}${shown}\n`;
    last = at;
  };
  const printContext = (from: number, to: number): void => {
    for (let at = Math.max(from, last + 1, 0); at < Math.min(to, lines.length); at++)
      print(at, "-", trimmed(lines[at] ?? "", options));
  };
  const isWhole = options.has("passthru");
  selected.forEach(({ at, matches }, index) => {
    printContext(isWhole ? 0 : at - before, at);
    const line = lines[at] ?? "";
    if (options.has("o"))
      for (const match of matches) print(at, ":", matchText(line, match, layout), match);
    else if (options.has("vimgrep"))
      for (const match of matches) print(at, ":", trimmed(line, options), match);
    else print(at, ":", trimmed(lineText(line, matches, layout), options), matches[0]);
    const next = selected[index + 1]?.at ?? lines.length;
    printContext(at + 1, Math.min(next, isWhole ? lines.length : at + 1 + after));
  });
  return text;
}

/** The offset of each line in the file, in bytes. */
function offsetsOf(lines: readonly string[]): number[] {
  const offsets: number[] = [];
  let offset = 0;
  for (const line of lines) {
    offsets.push(offset);
    offset += sizeOf(line) + 1;
  }
  return offsets;
}

interface Place {
  readonly name: string;
  readonly at: number;
  readonly separator: ":" | "-";
  readonly match: LineMatch | undefined;
  readonly offset: number | undefined;
  readonly line: string;
}

function prefixOf(
  { name, at, separator, match, offset, line }: Place,
  { options, isNamed, paint }: Layout,
): string {
  const given = options.get("field-match-separator");
  const mark = separator === ":" ? (given ?? ":") : "-";
  const hasColumn = (options.has("column") || options.has("vimgrep")) && !options.has("no-column");
  const isNumbered = (options.has("n") || options.has("p") || hasColumn) && !options.has("N");
  const start = match ? sizeOf(line.slice(0, match.start)) : 0;
  const parts: string[] = [];
  if (isNamed) parts.push(paint("name", name) + (options.has("0") ? "\0" : mark));
  if (isNumbered) parts.push(paint("number", String(at + 1)) + mark);
  if (hasColumn && match) parts.push(`${start + 1}${mark}`);
  if (offset !== undefined) parts.push(`${offset + (options.has("o") ? start : 0)}${mark}`);
  return parts.join("");
}

function trimmed(line: string, options: Options): string {
  return options.has("trim") ? line.replace(/^[ \t]+/, "") : line;
}

function matchText(line: string, match: LineMatch, { isColored }: Layout): string {
  const text = match.replacement ?? line.slice(match.start, match.end);
  return isColored && text !== "" ? `\u001b[0m\u001b[1m\u001b[31m${text}\u001b[0m` : text;
}

function lineText(line: string, matches: readonly LineMatch[], layout: Layout): string {
  if (!layout.isColored && !layout.options.has("r")) return line;
  let [text, reached] = ["", 0];
  for (const match of matches) {
    text += line.slice(reached, match.start) + matchText(line, match, layout);
    reached = match.end;
  }
  return text + line.slice(reached);
}
