// Which provider has which feature, by the tests that show it. `test/providers.json` names a test for each cell;
// `docs/providers.md` is made from that. With `--report <file>` (the JSON report of Vitest) a cell counts only when its
// test ran and passed: `vitest run --reporter=json --outputFile=<file>`, then `node scripts/docs/provider-table.ts --report <file>`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compatiblePresets } from "../../packages/runtime/src/providers/openai/presets.ts";
import { type Checklist, unproven } from "./checklist.ts";

const root = join(import.meta.dirname, "../..");

export const COLUMNS = {
  anthropic: "Anthropic",
  responses: "OpenAI Responses",
  chat: "OpenAI Chat",
  compatible: "compatible",
  browser: "browser's model",
} as const;

type Column = keyof typeof COLUMNS;

/**
 * A test as `file > suite > test`, or the reason why there can't be one; with both, the test shows the present
 * behaviour.
 */
export type Cell = string | { no: string; test?: string };

export type FeatureRow = { feature: string } & Partial<Record<Column, Cell>>;

export function readFeatures(): FeatureRow[] {
  return JSON.parse(readFileSync(join(root, "test/providers.json"), "utf8")) as FeatureRow[];
}

/** The tests behind the cells, by a name for each cell. */
export function testsOf(rows: readonly FeatureRow[]): Checklist {
  const cells = rows.flatMap((row) =>
    columns().flatMap((column) => {
      const cell = row[column];
      const test = typeof cell === "object" ? cell.test : cell;
      return test === undefined ? [] : [[cellName(row, column), test] as const];
    }),
  );
  return Object.fromEntries(cells.map(([name, test]) => [name, { feature: name, tests: [test] }]));
}

/** The text of `docs/providers.md`. Cells in `failed` are marked as failing. */
export function renderProviders(
  rows: readonly FeatureRow[],
  failed: ReadonlySet<string> = new Set(),
): string {
  const notes: string[] = [];
  const mark = (row: FeatureRow, column: Column): string => {
    const cell = row[column];
    if (cell === undefined) return "";
    if (failed.has(cellName(row, column))) return "fails";
    if (typeof cell === "string") return "yes";
    if (!notes.includes(cell.no)) notes.push(cell.no);
    return `${cell.test === undefined ? "no" : "partly"} (${notes.indexOf(cell.no) + 1})`;
  };
  const features = rows.map((row) => [row.feature, ...columns().map((name) => mark(row, name))]);
  const presets = Object.entries(compatiblePresets).map(([name, preset]) => [
    `\`${name}\``,
    preset.title,
    preset.baseURL,
    "keyVariable" in preset ? `\`${preset.keyVariable}\`` : "none",
  ]);
  return [
    "# Providers",
    "",
    "Made by `node scripts/docs/provider-table.ts` from `test/providers.json`, which names the test behind each cell. An empty cell",
    "is one that no test shows.",
    "",
    ...table(["feature", ...Object.values(COLUMNS)], features),
    "",
    ...notes.map((note, index) => `${index + 1}. ${note}`),
    "",
    "The tests of the wires run in Node, in Chromium and in workerd, against a server of our own for faults and against",
    "`@copilotkit/aimock`, which others wrote. No test calls a real service. The browser's model is tested in Chromium against",
    "a stand-in that keeps the rules of the Prompt API; the model itself is not there.",
    "",
    "## When a call fails",
    "",
    "A call rejects with a `ProviderError`, whose `code` says what to do: `NETWORK_ERROR` is a server that can't be reached or",
    "fell silent, and is tried again; `REDIRECTED` is one that answers at another address, which was not asked and has got",
    "nothing of the conversation. Its hint names the address where the host tells it (a browser does not): make it the base",
    "URL if you trust it.",
    "",
    "## Compatible servers",
    "",
    "`compatibleProvider(name, { model, … })` from `@robota/runtime/providers/openai`:",
    "",
    ...table(["name", "server", "address", "key in"], presets),
    "",
  ].join("\n");
}

function columns(): Column[] {
  return Object.keys(COLUMNS) as Column[];
}

function cellName({ feature }: FeatureRow, column: Column): string {
  return `${feature} / ${column}`;
}

/** Formatted as by the formatter. */
function table(head: readonly string[], body: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, at) =>
    Math.max(title.length, ...body.map((cells) => cells[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)];
}

function main(): void {
  const { values } = parseArgs({ options: { report: { type: "string" } } });
  const rows = readFeatures();
  const problems = values.report
    ? unproven(testsOf(rows), JSON.parse(readFileSync(values.report, "utf8")))
    : new Map<string, string[]>();
  for (const [cell, tests] of problems) {
    for (const test of tests) console.error(`${cell}: not passed: ${test}`);
  }
  const failed = new Set([...problems].flatMap(([cell, tests]) => (tests.length > 0 ? cell : [])));
  if (failed.size > 0) process.exitCode = 1;
  writeFileSync(join(root, "docs/providers.md"), renderProviders(rows, failed));
}

if (import.meta.main) main();
