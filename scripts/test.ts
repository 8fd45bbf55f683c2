// Everything that must hold, with one count at the end: each check counts as one, each test as one.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { RUN_FOLDER } from "./packaging/pack.ts";
import { type Step, writeTestTimes } from "../test/bench/test-time.ts";

interface Tally {
  passed: number;
  failed: number;
}

interface Check {
  name: string;
  command: string[];
}

/** Several of the compiler's checkers would each work out the types that all files share: a third more CPU time. */
const ONE_CHECKER = ["--checkers", "1"];
/** The rest needs the declarations that it writes. */
const types: Check = { name: "types", command: ["tsc", "-b", ...ONE_CHECKER] };
const checks: Check[] = [
  { name: "types of tests", command: ["tsc", "-p", "test", ...ONE_CHECKER] },
  { name: "types of tests in workerd", command: ["tsc", "-p", "test/workerd"] },
  { name: "types of examples", command: ["tsc", "-p", "examples/node"] },
  { name: "lint and import rules", command: ["oxlint", "--type-aware", "."] },
  { name: "format", command: ["oxfmt", "--check", "."] },
  { name: "unused code and dependencies", command: ["knip"] },
  { name: "sizes", command: ["node", "scripts/checks/sizes.ts"] },
  { name: "packages", command: ["node", "scripts/checks/packages.ts"] },
];

/** It ends a run that hangs: two slow cores have needed 42 minutes for the tests. */
const TIME_LIMIT_MS = (availableParallelism() > 1 ? 60 : 120) * 60_000;
/** Checks at a time: each keeps about one core busy. */
const CHECKS_AT_ONCE = 2;

// A group of its own hears nothing of the terminal's Ctrl-C.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => process.exit(130));
}

const total: Tally = { passed: 0, failed: 0 };
const started = performance.now();
/** `--times` puts down in docs/evidence/benchmarks.md how long everything took; the rest says which tests are run. */
const filters = process.argv.slice(2).filter((argument) => argument !== "--times");
const keepsTimes = process.argv.includes("--times");
const steps: Step[] = [];
const kept = await mkdtemp(join(tmpdir(), "robota-run-"));
process.once("exit", () => rmSync(kept, { recursive: true, force: true }));
process.env[RUN_FOLDER] = kept;
// Tests start some thousand processes of Node, whose modules are compiled once: half the time of a start from the sources.
process.env["NODE_COMPILE_CACHE"] = join(kept, "compiled");

if (filters.length === 0) {
  await check(types, "inherit");
  const waiting = [...checks];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await check(next, "pipe");
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, work));
}
const tests = await runTests(filters);
total.passed += tests.passed;
total.failed += tests.failed;

console.log(`Took ${seconds(started)}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** Runs one check and counts it. With "pipe" its output is shown in one piece, since another check runs beside it. */
async function check({ name, command }: Check, output: "inherit" | "pipe"): Promise<void> {
  const begun = performance.now();
  const isFine = (await run(command, output)) === 0;
  total[isFine ? "passed" : "failed"] += 1;
  steps.push({ name, ms: performance.now() - begun });
  console.log(`${isFine ? "✓" : "✗"} ${name} (${seconds(begun)})`);
}

/** All test projects in one run. A run that breaks down without a failed test counts as one failure. */
async function runTests(args: readonly string[]): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), "robota-tests-"));
  const report = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const status = await run(["vitest", "run", ...reporters, ...args]);
    const counts = await readReport(report);
    const { numPassedTests: passed = 0, numFailedTests: failed = 0 } = counts ?? {};
    const tests = { passed, failed: status !== 0 && failed === 0 ? 1 : failed };
    if (!counts) {
      if (args.length === 0) console.log("✗ checklist: there is no report to compare it with");
      return args.length > 0 ? tests : { passed, failed: tests.failed + 1 };
    }
    if (keepsTimes) await writeTestTimes(steps, report, performance.now() - started);
    if (args.length > 0) return tests;
    // A row of the checklist counts as done only when the tests that it names have just passed.
    const isTrue = (await run(["node", "scripts/docs/checklist.ts", "--report", report])) === 0;
    console.log(`${isTrue ? "✓" : "✗"} checklist`);
    return { passed: tests.passed + Number(isTrue), failed: tests.failed + Number(!isTrue) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readReport(
  path: string,
): Promise<{ numPassedTests?: number; numFailedTests?: number } | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    console.error(`The test run left no report: ${String(error)}`);
    return undefined;
  }
}

/**
 * Runs a program in a process group of its own and ends the group with it: processes left by a failed test would keep
 * this run's output open.
 */
function run(
  [command = "", ...args]: readonly string[],
  output: "inherit" | "pipe" = "inherit",
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", output, output], detached: true });
    const pieces: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (piece: Buffer) => pieces.push(piece));
    }
    const end = (): void => endGroup(child.pid);
    const timer = setTimeout(() => {
      console.error(`${command} took longer than ${TIME_LIMIT_MS / 60_000} minutes and was ended`);
      end();
    }, TIME_LIMIT_MS);
    process.on("exit", end);
    child.on("error", reject);
    child.on("exit", end);
    child.on("close", (code) => {
      clearTimeout(timer);
      process.off("exit", end);
      process.stdout.write(Buffer.concat(pieces));
      resolve(code ?? 1);
    });
  });
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
