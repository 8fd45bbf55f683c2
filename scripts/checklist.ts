// Which features of the specification a test holds. `test/checklist.json` names them in a few words and maps each to its
// tests; `docs/checklist.md` is made from that. With `--report <file>` (the JSON report of a whole run of Vitest) nothing
// is written: it fails when a test of a row did not run, or did not pass on one of its hosts.
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

/** The text of `docs/checklist.md`. */
export function renderChecklist(checklist: Checklist): string {
  const rows = Object.entries(checklist).map(([id, { feature, tests = [] }]) => {
    return [id, feature, tests.length > 0 ? "done" : "open"] as const;
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

/** What keeps mapped tests from counting: by row, those that did not run or did not pass, with the reason. */
export function unproven(checklist: Checklist, report: Report): Map<string, string[]> {
  // By file, since each row asks only a few of some thousand tests.
  const ran = Map.groupBy(
    report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map((result) => ({ file: relative(root, name), ...result })),
    ),
    ({ file }) => file,
  );
  const problems = new Map<string, string[]>();
  for (const [id, { tests = [] }] of Object.entries(checklist)) {
    const found = tests.flatMap((test) => {
      const { file, titles } = testPath(test);
      const pattern = titlePattern(titles.join(" > "));
      const runs = (ran.get(file) ?? []).filter(({ ancestorTitles, title }) =>
        pattern.test([...ancestorTitles, title].join(" > ")),
      );
      if (runs.length === 0) return [`did not run: ${test}`];
      const others = new Set(runs.map(({ status }) => status).filter((one) => one !== "passed"));
      return others.size > 0 ? [`${[...others].join(", ")}: ${test}`] : [];
    });
    if (found.length > 0) problems.set(id, found);
  }
  return problems;
}

/** Placeholders of `each` and of templates stand for what the run put there. */
function titlePattern(test: string): RegExp {
  const literal = test
    .split(/%[sdifjoc#$]|\$\{[^}]*\}|\$[a-z][\w.]*/i)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*")}$`, "s");
}

function main(): void {
  const { values } = parseArgs({ options: { report: { type: "string" } } });
  const checklist = readChecklist();
  if (values.report === undefined) {
    writeFileSync(join(root, "docs/checklist.md"), renderChecklist(checklist));
    return;
  }
  const report = JSON.parse(readFileSync(values.report, "utf8")) as Report;
  const problems = unproven(checklist, report);
  for (const [id, reasons] of problems)
    for (const reason of reasons) console.error(`${id}: ${reason}`);
  if (problems.size > 0) process.exitCode = 1;
}

if (import.meta.main) main();
