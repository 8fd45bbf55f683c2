// Changes the code that guards, one small thing at a time, and counts the changes that no test notices:
// `npm run mutation` for all of it, `npm run mutation -- permissions/rules/pattern.ts` for a part. Takes long; `npm test` leaves it out.
// Each file is on its own and keeps what it knows: a run that is cut or repeated goes on where it was.
// MUTATION_MINUTES bounds each file, MUTATION_CONCURRENCY says how many changes are tried at once, and MUTATION_TABLES=1 also
// changes the tables of the permissions.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  cutPath,
  guardedFiles,
  printSurvivors,
  readReport,
  reportPath,
  root,
  scratch,
  sourcePath,
} from "./report.ts";

const files = guardedFiles(process.argv.slice(2));
if (files.length === 0) {
  console.error(
    "Usage: npm run mutation -- [path below packages/runtime/src, or shell/ and one below packages/shell/src]...",
  );
  process.exit(2);
}
for (const file of files) {
  await mutate(file);
  const report = readReport(file);
  if (report) printSurvivors(file, report);
}

function mutate(file: string): Promise<void> {
  const settings = join(scratch, "stryker.json");
  mkdirSync(dirname(reportPath(file)), { recursive: true });
  writeFileSync(settings, JSON.stringify(settingsFor(file)));
  const env = { ...process.env, MUTATED_FILE: file };
  const child = spawn("stryker", ["run", settings], { cwd: root, stdio: "inherit", env });
  const minutes = Number(process.env.MUTATION_MINUTES ?? 60);
  rmSync(cutPath(file), { force: true });
  // Its findings so far are still written.
  const limit = setTimeout(() => {
    writeFileSync(cutPath(file), "");
    child.kill("SIGTERM");
  }, minutes * 60_000);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => {
      clearTimeout(limit);
      resolve();
    });
  });
}

function settingsFor(file: string): object {
  return {
    testRunner: "direct",
    plugins: [join(root, "scripts/mutation/runner.ts")],
    testRunnerNodeArgs: ["--conditions=@robota/source"],
    mutate: [sourcePath(file)],
    // Without the projects' settings, which name each other, also those that are left out.
    ignorePatterns: ["/apps", "/docs", "/examples", "/test/e2e", "tsconfig*.json", "dist", ".git"],
    tempDirName: join(".mutation", "copies"),
    concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
    // It would rewrite the configuration by an interface that TypeScript 7 no longer has.
    tsconfigFile: join(".mutation", "none.json"),
    coverageAnalysis: "perTest",
    // A constant text or pattern that changes is a change of words more often than of behaviour.
    mutator: { excludedMutations: ["StringLiteral", "ObjectLiteral"] },
    // A table is read once as a file is loaded: each change of one needs all tests again, in a new process.
    ignoreStatic: file.startsWith("permissions/") && !process.env.MUTATION_TABLES,
    disableTypeChecks: false,
    incremental: true,
    incrementalFile: reportPath(file),
    reporters: ["progress-append-only"],
    timeoutMS: 10_000,
    allowConsoleColors: false,
  };
}
