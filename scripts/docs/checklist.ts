// What a test holds: the features of the specification (`test/checklist.json`) and the defences against what goes wrong in
// such systems (`test/threats.json`). Both name their rows in a few words and map each to its tests; the pages of the
// documentation are made from that. With `--report <file>` (the JSON report of a whole run of Vitest) nothing is written:
// it fails when a test of a row did not run, or did not pass on one of its hosts.
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "../..");

export interface ChecklistRow {
  feature: string;
  /** `file > suite > test`, each title as in the source, including placeholders. Absent: the row is open. */
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

/** A list of rows, and the page that shows it. */
export interface ListPage {
  source: string;
  page: string;
  heading: string;
  /** Text before the page's table. */
  about: string;
}

export const FEATURES: ListPage = {
  source: "test/checklist.json",
  page: "docs/checklist.md",
  heading: "Checklist of the specification",
  about: `Made by \`node scripts/docs/checklist.ts\` from \`test/checklist.json\`, which names the tests behind each row. A row is done
when a test shows it, and open otherwise, also where the code is there.`,
};

export const THREATS: ListPage = {
  source: "test/threats.json",
  page: "docs/threats.md",
  heading: "Threats, and the tests that hold against them",
  about: `Made by \`node scripts/docs/checklist.ts\` from \`test/threats.json\`, which names the tests behind each row. T rows are ways
in, H rows are places where the specification taken by the letter would do harm, and R rows are what dies, fills up, meets or
breaks. A row is done when a test shows the defence, and open otherwise. What is checked on the text of a command for a native shell saves questions; it does not
contain a program that runs.`,
};

export function readChecklist({ source }: ListPage = FEATURES): Checklist {
  return JSON.parse(readFileSync(join(root, source), "utf8")) as Checklist;
}

/** A mapped test as its file, from the repository's root, and its titles. */
export function testPath(test: string): { file: string; titles: string[] } {
  const [file = "", ...titles] = test.split(" > ");
  return { file, titles };
}

/** The text of a list's page. */
export function renderChecklist(checklist: Checklist, list: ListPage = FEATURES): string {
  const rows = Object.entries(checklist).map(([id, { feature, tests = [] }]) => {
    return [id, feature, tests.length > 0 ? "done" : "open"] as const;
  });
  const width = Math.max(...rows.map(([, feature]) => feature.length));
  const idWidth = Math.max(...rows.map(([id]) => id.length));
  const done = rows.filter(([, , state]) => state === "done").length;
  return [
    `# ${list.heading}`,
    "",
    list.about,
    "",
    `${done} of ${rows.length} are done.`,
    "",
    `| ${"id".padEnd(idWidth)} | ${"feature".padEnd(width)} | state |`,
    `| ${"-".repeat(idWidth)} | ${"-".repeat(width)} | ----- |`,
    ...rows.map(
      ([id, feature, state]) => `| ${id.padEnd(idWidth)} | ${feature.padEnd(width)} | ${state}  |`,
    ),
    "",
  ].join("\n");
}

/** Rows with tests that did not run or did not pass, with the reason. */
export function unproven(checklist: Checklist, report: Report): Map<string, string[]> {
  // Grouped by file, since each row needs only a few of some thousand tests.
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

/** Placeholders of `each` and of templates match any text. */
function titlePattern(test: string): RegExp {
  const literal = test
    .split(/%[sdifjoc#$]|\$\{[^}]*\}|\$[a-z][\w.]*/i)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*")}$`, "s");
}

function main(): void {
  const { values } = parseArgs({ options: { report: { type: "string" } } });
  const report =
    values.report === undefined
      ? undefined
      : (JSON.parse(readFileSync(values.report, "utf8")) as Report);
  for (const list of [FEATURES, THREATS]) {
    const rows = readChecklist(list);
    if (!report) {
      writeFileSync(join(root, list.page), renderChecklist(rows, list));
      continue;
    }
    for (const [id, reasons] of unproven(rows, report)) {
      process.exitCode = 1;
      for (const reason of reasons) console.error(`${id}: ${reason}`);
    }
  }
}

if (import.meta.main) main();
