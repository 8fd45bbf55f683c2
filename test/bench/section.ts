// docs/evidence/benchmarks.md has one section for each bench, so that each can be run by itself.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "../../docs/evidence/benchmarks.md");

/** Puts a bench's text in the place of what it wrote last, or at the page's end; what others wrote stays. */
export function writeSection(name: string, text: string): void {
  const page = existsSync(FILE) ? readFileSync(FILE, "utf8") : "";
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const section = `${begin}\n\n${text.trim()}\n\n${end}\n`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from)
    writeFileSync(FILE, page === "" ? section : `${page.trim()}\n\n${section}`);
  else
    writeFileSync(
      FILE,
      `${page.slice(0, from)}${section}${page.slice(to + end.length).replace(/^\n/, "")}`,
    );
}

export function table(rows: readonly string[][]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
