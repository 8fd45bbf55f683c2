// Which features of the specification a test holds. `test/checklist.json` names them in a few words and maps each to its
// tests; `docs/checklist.md` is made from that. With `--report <file>` (the JSON report of Vitest) each of these tests
// must also have passed: `vitest run --reporter=json --outputFile=<file>`, then `node scripts/checklist.ts --report <file>`.
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");

export interface ChecklistRow {
  feature: string;
  /** `file > suite > test`, each title as it stands in the source, placeholders included. None: the row is open. */
  tests?: readonly string[];
}

export type Checklist = Record<string, ChecklistRow>;

/** The parts of the JSON report that are needed here. */
interface Report {
  testResults: {
    name: string;
    assertionResults: { ancestorTitles: string[]; title: string; status: string }[];
  }[];
}

export function readChecklist(): Checklist {
  return JSON.parse(readFileSync(join(root, "test/checklist.json"), "utf8")) as Checklist;
}

/** A mapped test as its file, from the repository's root, and its titles. */
export function testPath(test: string): { file: string; titles: string[] } {
  const [file = "", ...titles] = test.split(" > ");
  return { file, titles };
}

/** The text of `docs/checklist.md`. Rows in `failed` are open, whatever is mapped to them. */
export function renderChecklist(
  checklist: Checklist,
  failed: ReadonlySet<string> = new Set(),
): string {
  const rows = Object.entries(checklist).map(([id, { feature, tests = [] }]) => {
    const isDone = tests.length > 0 && !failed.has(id);
    return [id, feature, isDone ? "done" : "open"] as const;
  });
  const width = Math.max(...rows.map(([, feature]) => feature.length));
  const done = rows.filter(([, , state]) => state === "done").length;
  return [
    "# Checklist of the specification",
    "",
    "Made by `node scripts/checklist.ts` from `test/checklist.json`, which names the tests behind each row. A row is done",
    "when a test shows it, and open otherwise, also where the code is there.",
    "",
    `${done} of ${rows.length} are done.`,
    "",
    `| id    | ${"feature".padEnd(width)} | state |`,
    `| ----- | ${"-".repeat(width)} | ----- |`,
    ...rows.map(([id, feature, state]) => `| ${id} | ${feature.padEnd(width)} | ${state}  |`),
    "",
  ].join("\n");
}

/** What keeps mapped tests from counting: by row, those that did not run or did not pass. */
export function unproven(checklist: Checklist, report: Report): Map<string, string[]> {
  const ran = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      path: [relative(root, name), ...ancestorTitles, title].join(" > "),
      status,
    })),
  );
  const problems = Object.entries(checklist).map(([id, { tests = [] }]) => {
    const missing = tests.filter((test) => {
      const pattern = titlePattern(test);
      const runs = ran.filter(({ path }) => pattern.test(path));
      return runs.length === 0 || runs.some(({ status }) => status !== "passed");
    });
    return [id, missing] as const;
  });
  return new Map(problems.flatMap(([id, list]) => (list.length > 0 ? [[id, list]] : [])));
}

/** Placeholders of `each` and of templates stand for what the run put there. */
function titlePattern(test: string): RegExp {
  const literal = test
    .split(/%[sdij]|\$\{[^}]*\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*")}$`, "s");
}

function main(): void {
  const { values } = parseArgs({ options: { report: { type: "string" } } });
  const checklist = readChecklist();
  const report = values.report
    ? (JSON.parse(readFileSync(values.report, "utf8")) as Report)
    : undefined;
  const problems = report ? unproven(checklist, report) : new Map<string, string[]>();
  for (const [id, tests] of problems) {
    for (const test of tests) console.error(`${id}: not passed: ${test}`);
  }
  if (problems.size > 0) process.exitCode = 1;
  const text = renderChecklist(checklist, new Set(problems.keys()));
  writeFileSync(join(root, "docs/checklist.md"), text);
}

if (import.meta.main) main();
