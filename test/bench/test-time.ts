// The time of all tests, step by step: `npm test -- --times` records it.
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join, relative } from "node:path";
import { table, writeSection } from "./section.ts";

/** A step before the tests, such as the type check. */
export interface Step {
  name: string;
  ms: number;
}

/** The fields read from Vitest's report, which does not name the project that a file ran in. */
interface Report {
  startTime: number;
  testResults: { name: string; startTime: number; endTime: number }[];
}

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS: [folder: string, title: string][] = [
  ["test/node/", "tests on Node"],
  ["test/e2e/", "tests of whole programs (`test/e2e`)"],
  ["test/browser/", "tests in Chromium"],
  ["test/workerd/", "tests in workerd"],
  ["", "tests that run on all three hosts"],
];
const SLOWEST = 5;

/** Writes the section of a run whose report is in the file `report`, and that took `totalMs` by the clock. */
export async function writeTestTimes(
  steps: readonly Step[],
  report: string,
  totalMs: number,
): Promise<void> {
  const { startTime, testResults }: Report = JSON.parse(await readFile(report, "utf8"));
  const files = testResults.map(({ name, startTime: begun, endTime }) => ({
    file: relative(ROOT, name),
    ms: endTime - begun,
  }));
  const groups = Map.groupBy(files, ({ file }) => titleOf(file));
  const rows = FOLDERS.map(([, title]) => {
    const group = groups.get(title) ?? [];
    return [title, String(group.length), seconds(sum(group))];
  });
  const end = Math.max(startTime, ...testResults.map(({ endTime }) => endTime));
  const checks = steps.map(({ name, ms }) => [name, "", seconds(ms)]);
  const slowest = files.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST);
  const text = `## The duration of the tests

One run of everything, by \`npm test -- --times\`. For tests, the table counts runs of files and sums their durations without loading
them; two at a time, they took ${seconds(end - startTime)} by the clock, and all of it ${seconds(totalMs)}.

${table([["step", "files", "seconds"], ...checks, ...rows])}

The longest: ${slowest.map(({ file, ms }) => `\`${file}\` ${seconds(ms)}`).join(", ")}. Node ${process.version}, ${cpus().length} cores.`;
  writeSection("tests", text);
}

function titleOf(file: string): string {
  return FOLDERS.find(([folder]) => file.startsWith(folder))?.[1] ?? "";
}

function sum(steps: readonly { ms: number }[]): number {
  return steps.reduce((total, { ms }) => total + ms, 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
