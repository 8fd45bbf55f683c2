// Writes the results of `npm run mutation` into docs/evidence/mutation.md, from the stored reports. A file without a report
// keeps its row, with the date at which it was measured.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guardedFiles, readReport, scoreOf } from "./report.ts";

const BEGIN = "<!-- mutation: written by scripts/mutation/table.ts -->";
const END = "<!-- end of mutation -->";

const path = join(import.meta.dirname, "../..", "docs/evidence/mutation.md");
const text = readFileSync(path, "utf8");
const begin = text.indexOf(BEGIN);
const end = text.indexOf(END);
if (begin < 0 || end < begin)
  throw new Error(`docs/evidence/mutation.md has no place for the table`);
const head = text.slice(0, begin + BEGIN.length);
writeFileSync(path, `${head}\n\n${table(rowsOf(text.slice(begin, end)))}\n\n${text.slice(end)}`);

interface Row {
  tried: number;
  noticed: number;
  date: string;
}

/** The rows of the page's present table, by their file. */
function rowsOf(page: string): Map<string, Row> {
  const rows = page.matchAll(/^\| `([^`]+)` *\| (\d+) *\| (\d+) *\| [\d.]+ % *\| ([\d-]+)/gm);
  return new Map(
    Array.from(rows, ([, file = "", tried, noticed, date = ""]) => [
      file,
      { tried: Number(tried), noticed: Number(noticed), date },
    ]),
  );
}

function table(former: ReadonlyMap<string, Row>): string {
  const rows = new Map<string, Row>();
  const partial: string[] = [];
  const missing: string[] = [];
  for (const file of guardedFiles()) {
    const report = readReport(file);
    const score = report && scoreOf(report);
    const row =
      score && score.mutants > 0
        ? {
            tried: score.mutants,
            noticed: score.killed,
            date: report.date.toISOString().slice(0, 10),
          }
        : former.get(file);
    if (!row) missing.push(`\`${file}\``);
    else rows.set(file, row);
    if (report && !report.isWhole) partial.push(`\`${file}\``);
  }
  const sum = (key: "tried" | "noticed"): number =>
    [...rows.values()].reduce((total, row) => total + row[key], 0);
  const notes = [
    missing.length > 0 ? `Not run, or without code of their own: ${missing.join(", ")}.` : "",
    partial.length > 0 ? `Cut by the time bound, so only in part: ${partial.join(", ")}.` : "",
  ].filter((note) => note !== "");
  const lines = [
    "| file | changes tried | noticed | score | date |",
    "| --- | --- | --- | --- | --- |",
    ...Array.from(rows, ([file, row]) => lineOf(`\`${file}\``, row)),
    lineOf("all of these", { tried: sum("tried"), noticed: sum("noticed"), date: "" }),
  ];
  return [lines.join("\n"), ...notes].join("\n\n");
}

function lineOf(name: string, { tried, noticed, date }: Row): string {
  return `| ${name} | ${tried} | ${noticed} | ${((100 * noticed) / tried).toFixed(1)} % | ${date} |`;
}
