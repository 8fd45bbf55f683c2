// Runs tests for Stryker in the process that they are loaded in. Vitest takes a second or more for each of thousands of changes
// and this takes milliseconds; the tests are the same files, and `expect` is Vitest's.
import { globSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { collected } from "./vitest.ts";

interface State {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: object;
}

interface LoadedTest {
  id: string;
  run: () => unknown;
}

interface MutantRun {
  activeMutant: { id: string };
  testFilter?: readonly string[];
  hitLimit?: number;
}

const below = "packages/runtime/src";
const file = process.env.MUTATED_FILE ?? "";
const shim = new URL("./vitest.ts", import.meta.url).href;
const state: State = {};
let loaded: readonly LoadedTest[] | undefined;
const timeSpent = new Map<string, number>();

const runner = {
  // A mutant of code that runs once, at load, needs a new process.
  capabilities: () => ({ reloadEnvironment: false }),

  async dryRun(): Promise<object> {
    const tests = [];
    for (const test of await load()) {
      state.currentTestId = test.id;
      const begun = performance.now();
      const failure = await failureOf(test);
      const timeSpentMs = performance.now() - begun;
      timeSpent.set(test.id, timeSpentMs);
      const ran = { id: test.id, name: test.id, timeSpentMs };
      tests.push(
        failure === undefined
          ? { ...ran, status: 0 }
          : { ...ran, status: 1, failureMessage: failure },
      );
    }
    state.currentTestId = undefined;
    return { status: "complete", tests, mutantCoverage: state.mutantCoverage };
  },

  async mutantRun({ activeMutant, testFilter, hitLimit }: MutantRun): Promise<object> {
    Object.assign(state, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const wanted = testFilter && new Set(testFilter);
    const tests = (await load())
      .filter(({ id }) => !wanted || wanted.has(id))
      .toSorted((a, b) => (timeSpent.get(a.id) ?? 0) - (timeSpent.get(b.id) ?? 0));
    for (const [index, test] of tests.entries()) {
      const failureMessage = await failureOf(test);
      if (hitLimit !== undefined && (state.hitCount ?? 0) > hitLimit)
        return { status: "timeout", reason: "It goes round." };
      if (failureMessage !== undefined)
        return { status: "killed", killedBy: [test.id], failureMessage, nrOfTests: index + 1 };
    }
    return { status: "survived", nrOfTests: tests.length };
  },
};

export const strykerPlugins = [{ kind: "TestRunner", name: "direct", value: runner }];

async function load(): Promise<readonly LoadedTest[]> {
  if (loaded) return loaded;
  Object.assign(globalThis, { __stryker__: state, everyHostileLine: 23 });
  const root = process.cwd();
  const runtime = isOfText() ? "permissions/evaluate-permission.ts" : "index.ts";
  const places: Readonly<Record<string, string>> = {
    "@robota/runtime": `${below}/${runtime}`,
    "@robota/runtime/permissions": `${below}/entries/permissions.ts`,
    "@robota/runtime/ports": `${below}/ports/index.ts`,
    "@robota/runtime/testing": `${below}/testing/index.ts`,
    "@robota/runtime/virtual": `${below}/virtual/index.ts`,
    "@robota/shell": "packages/shell/src/index.ts",
    "@robota/shell/testing": "packages/shell/src/testing/index.ts",
    "@robota/adapters-node": "packages/adapters-node/src/index.ts",
    "#host": "test/hosts/node.ts",
  };
  registerHooks({
    resolve(name, context, next) {
      if (name === "vitest" && context.parentURL !== shim) return next(shim, context);
      const place = places[name];
      return next(place === undefined ? name : pathToFileURL(join(root, place)).href, context);
    },
  });
  const tests: LoadedTest[] = [];
  for (const path of globSync(testFiles(), { cwd: root }).toSorted()) {
    await import(pathToFileURL(join(root, path)).href);
    for (const [index, { name, run }] of collected().entries())
      tests.push({ id: `${relative(below, path)} ${index} ${name}`, run });
  }
  loaded = tests;
  return tests;
}

async function failureOf({ run }: LoadedTest): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** True for a file that only judges the text of a line, without a disk or a session. */
function isOfText(): boolean {
  return /^permissions\/(?!paths\/(?:real-|explain|workspace)|rules\/access-|call|evaluate)/.test(
    file,
  );
}

function testFiles(): string[] {
  if (file.startsWith("shell/"))
    return [
      "packages/shell/src/{engine/command-guard,files/guarded-{files,paths}}.test.ts",
      "test/shared/shell/virtual-shell-rules.test.ts",
    ];
  if (file.startsWith("network/")) return [`${below}/network/*.test.ts`];
  if (file.startsWith("messages/"))
    return [
      `${below}/messages/{redact,stream-redactor}.test.ts`,
      `${below}/session/transfer/secret-fields.test.ts`,
    ];
  if (!file.startsWith("permissions/")) return [`${below}/${file.replace(/\.ts$/, ".test.ts")}`];
  return [
    // Without the lines of a hundred thousand words: each change would read them again.
    `${below}/permissions/**/!(shell-limits).test.ts`,
    "test/shared/permissions/permission-{lines,names,shell,threats}.test.ts",
    ...(isOfText()
      ? []
      : [
          "test/shared/permissions/permission-paths.test.ts",
          `${below}/session/approvals/approvals.test.ts`,
        ]),
  ];
}
