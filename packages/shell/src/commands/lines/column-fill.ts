import { greatest } from "../../greatest.ts";

const TAB = 8;

/** Arranges lines in as many columns as fit the width, filled one after the other or row by row. */
export function fillColumns(lines: readonly string[], limit: number, isByRow: boolean): string {
  const longest = greatest(lines.map(({ length }) => length));
  const width = (Math.floor(longest / TAB) + 1) * TAB;
  const count = Math.max(1, Math.floor(Math.min(limit, width * lines.length) / width));
  const rows = Math.ceil(lines.length / count);
  let text = "";
  for (let row = 0; row < rows; row++) {
    const cells = Array.from(
      { length: count },
      (_, at) => lines[isByRow ? row * count + at : row + at * rows],
    ).filter((cell) => cell !== undefined);
    cells.forEach((cell, at) => {
      const gap = at < cells.length - 1 ? Math.ceil((width - cell.length) / TAB) : 0;
      text += cell + "\t".repeat(gap);
    });
    text += "\n";
  }
  return text;
}
