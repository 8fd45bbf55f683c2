// Writes the results of `npm run mutation` into docs/permissions.md, from the stored reports.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guardedFiles, readReport, scoreOf } from "./report.ts";

const BEGIN = "<!-- mutation: written by scripts/mutation/table.ts -->";
const END = "<!-- end of mutation -->";

const path = join(import.meta.dirname, "../..", "docs", "permissions.md");
const text = readFileSync(path, "utf8");
const begin = text.indexOf(BEGIN);
const end = text.indexOf(END);
if (begin < 0 || end < begin) throw new Error(`docs/permissions.md has no place for the table`);
const head = text.slice(0, begin + BEGIN.length);
writeFileSync(path, `${head}\n\n${table()}\n\n${text.slice(end)}`);

function table(): string {
  const rows = [
    "| file | changes tried | noticed | score | date |",
    "| --- | --- | --- | --- | --- |",
  ];
  const missing: string[] = [];
  const partial: string[] = [];
  let tried = 0;
  let noticed = 0;
  for (const file of guardedFiles()) {
    const report = readReport(file);
    const score = report && scoreOf(report);
    if (!report || !score || score.mutants === 0) {
      missing.push(`\`${file}\``);
      continue;
    }
    tried += score.mutants;
    noticed += score.killed;
    if (!report.isWhole) partial.push(`\`${file}\``);
    const date = report.date.toISOString().slice(0, 10);
    rows.push(
      `| \`${file}\` | ${score.mutants} | ${score.killed} | ${score.score.toFixed(1)} % | ${date} |`,
    );
  }
  rows.push(
    `| all of these | ${tried} | ${noticed} | ${((100 * noticed) / tried).toFixed(1)} % | |`,
  );
  const notes = [
    missing.length > 0 ? `Not run, or without code of their own: ${missing.join(", ")}.` : "",
    partial.length > 0 ? `Cut by the time bound, so only in part: ${partial.join(", ")}.` : "",
  ].filter((note) => note !== "");
  return [rows.join("\n"), ...notes].join("\n\n");
}
