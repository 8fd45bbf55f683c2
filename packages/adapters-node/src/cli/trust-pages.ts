import type { WorkspaceTrustRequest } from "@robota/runtime/settings";

/** Size of a terminal, in characters and lines. */
export interface PageSize {
  columns: number;
  rows: number;
}

/** Prefix of the workspace's text, so that none of it looks like the question itself. */
const GUTTER = "  | ";
/** Lines for the question below a page, and its answer. */
const MARGIN = 3;
const MIN_COLUMNS = 20;
const MIN_ROWS = 5;
/** First code point of scripts with double-width characters. */
const WIDE = 0x1100;

/** The parts to trust, in pages that fit the terminal. Nothing is truncated, and no line is wider than the terminal. */
export function trustPages(
  { cwd, findings, isChanged }: WorkspaceTrustRequest,
  size: PageSize,
): string[] {
  const columns = Math.max(size.columns, MIN_COLUMNS);
  const rows = Math.max(size.rows - MARGIN, MIN_ROWS);
  const began = isChanged ? "The trusted parts have changed." : "It has settings that act.";
  const lines = [
    ...wrapped(`Do you trust ${cwd}? ${began}`, columns),
    ...findings.flatMap(({ file, setting, detail }) => [
      ...wrapped(`${file}: ${setting}`, columns),
      ...detail
        .split("\n")
        .flatMap((line) =>
          wrapped(line, columns - GUTTER.length).map((piece) => `${GUTTER}${piece}`),
        ),
    ]),
    ...wrapped(
      "If you trust it, its hooks run programs on this machine, and calls it allows run without asking you.",
      columns,
    ),
  ];
  const pages: string[] = [];
  for (let from = 0; from < lines.length; from += rows)
    pages.push(lines.slice(from, from + rows).join("\n"));
  return pages;
}

function wrapped(line: string, columns: number): string[] {
  const pieces: string[] = [];
  let [piece, width] = ["", 0];
  for (const character of line.replaceAll("\t", "    ")) {
    const places = (character.codePointAt(0) ?? 0) >= WIDE ? 2 : 1;
    if (width + places > columns) {
      pieces.push(piece);
      [piece, width] = ["", 0];
    }
    piece += character;
    width += places;
  }
  return [...pieces, piece];
}
