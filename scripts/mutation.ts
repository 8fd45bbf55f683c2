// Changes the code that guards, one small thing at a time, and counts the changes that no test notices:
// `npm run mutation` for all of it, `npm run mutation -- permissions/pattern.ts` for a part. Takes long; `npm test` leaves it out.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const runtime = "packages/runtime/src";
const guarded = ["permissions", "egress", "messages/redact.ts", "ports/path.ts"];
const wanted = process.argv.slice(2);
const mutate = (wanted.length > 0 ? wanted : guarded)
  .filter((path) => existsSync(join(root, runtime, path)))
  .map((path) => `${runtime}/${path.endsWith(".ts") ? path : `${path}/**/*.ts`}`);
if (mutate.length === 0) {
  console.error(`Usage: npm run mutation -- [path below ${runtime}]...`);
  process.exit(2);
}
const scratch = join(root, "node_modules", ".mutation");
mkdirSync(scratch, { recursive: true });
const settings = join(scratch, "stryker.json");
writeFileSync(
  settings,
  JSON.stringify({
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: "scripts/vitest.mutation.ts", related: false },
    mutate: [...mutate, `!${runtime}/**/*.test.ts`],
    ignorePatterns: [
      "/apps",
      "/docs",
      "/examples",
      "/test/e2e",
      "/packages/adapters-*",
      "dist",
      ".git",
    ],
    tempDirName: join("node_modules", ".mutation", "copies"),
    concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
    // It would rewrite the configuration by an interface that TypeScript 7 no longer has.
    tsconfigFile: join("node_modules", ".mutation", "none.json"),
    coverageAnalysis: "perTest",
    // A constant text or pattern that changes is a change of words more often than of behaviour.
    mutator: { excludedMutations: ["StringLiteral", "ObjectLiteral"] },
    disableTypeChecks: false,
    reporters: ["clear-text", "progress-append-only", "json"],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: join(scratch, "report.json") },
    timeoutMS: 10_000,
    allowConsoleColors: false,
  }),
);
const child = spawn("stryker", ["run", settings], { cwd: root, stdio: "inherit" });
child.on("exit", (code) => (process.exitCode = code ?? 1));
