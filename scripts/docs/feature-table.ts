// Tables of features whose cells are proven by tests: a JSON file names the test of each cell.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Checklist } from "./checklist.ts";

export const root = join(import.meta.dirname, "../..");

/**
 * A test as `file > suite > test`, or the reason why there can't be one; with both, the test shows the present
 * behaviour.
 */
export type Cell = string | { no: string; test?: string };

export type FeatureRow<Column extends string> = { feature: string } & Partial<Record<Column, Cell>>;

export function readRows<Column extends string>(file: string): FeatureRow<Column>[] {
  return JSON.parse(readFileSync(join(root, file), "utf8")) as FeatureRow<Column>[];
}

/** The tests behind the cells, by a name for each cell. */
export function testsIn<Column extends string>(
  rows: readonly FeatureRow<Column>[],
  columns: readonly Column[],
): Checklist {
  const cells = rows.flatMap((row) =>
    columns.flatMap((column) => {
      const cell: Cell | undefined = row[column];
      const test = typeof cell === "object" ? cell.test : cell;
      return test === undefined ? [] : [[cellName(row, column), test] as const];
    }),
  );
  return Object.fromEntries(cells.map(([name, test]) => [name, { feature: name, tests: [test] }]));
}

/** The table and its footnotes. Cells in `failed` are marked as failing. */
export function featureTable<Column extends string>(
  rows: readonly FeatureRow<Column>[],
  columns: Readonly<Record<Column, string>>,
  failed: ReadonlySet<string> = new Set(),
): string[] {
  const notes: string[] = [];
  const mark = (row: FeatureRow<Column>, column: Column): string => {
    const cell: Cell | undefined = row[column];
    if (cell === undefined) return "";
    if (failed.has(cellName(row, column))) return "fails";
    if (typeof cell === "string") return "yes";
    if (!notes.includes(cell.no)) notes.push(cell.no);
    return `${cell.test === undefined ? "no" : "partly"} (${notes.indexOf(cell.no) + 1})`;
  };
  const names = Object.keys(columns) as Column[];
  const body = rows.map((row) => [row.feature, ...names.map((name) => mark(row, name))]);
  return [
    ...table(["feature", ...names.map((name) => columns[name])], body),
    "",
    ...notes.map((note, index) => `${index + 1}. ${note}`),
  ];
}

function cellName({ feature }: { feature: string }, column: string): string {
  return `${feature} / ${column}`;
}

/** Formatted as by the formatter. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, at) =>
    Math.max(title.length, ...body.map((cells) => cells[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)];
}
