import { MemoryFileSystem, VirtualShell } from "@robota/runtime/virtual";
import { beforeAll, expect, it } from "vitest";

/** Some hosts compile no WebAssembly from bytes; there `js` says so and does nothing else. */
const canRun = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(
  () => true,
  () => false,
);
const REFUSAL =
  "scripts can't run on this host, which compiles no WebAssembly: use awk, sed and jq instead\n";

const files = {
  "/code/package.json": '{ "name": "project", "main": "lib/sum.js" }',
  "/code/lib/sum.js": "exports.sum = (a, b) => a + b;\n",
  "/code/lib/typed.ts":
    "interface Pair { a: number }\nexport const double = (pair: Pair): number => pair.a * 2;\nexport default 'typed' as string;\n",
  "/code/lib/data.json": '{ "n": 7 }',
  "/code/node_modules/dep/package.json":
    '{ "exports": { ".": { "import": "./main.mjs" }, "./x/*": "./x/*.js" } }',
  "/code/node_modules/dep/main.mjs": "export const name = 'dep'; export default class Dep {}\n",
  "/code/node_modules/dep/x/one.js": "module.exports = 'one';\n",
  "/code/main.mjs":
    "import fs, { readFileSync } from 'node:fs';\nimport name, { double } from './lib/typed.js';\nimport { sum } from './lib/sum.js';\nimport { name as dep } from 'dep';\nimport one from 'dep/x/one';\nimport path from 'path';\n" +
    "const late = await new Promise((resolve) => setTimeout(resolve, 5, 'late'));\n" +
    "console.log(name, double({ a: 4 }), sum(1, 2), dep, one, late, path.basename(import.meta.url), process.argv.slice(2));\n" +
    "fs.mkdirSync('out/deep', { recursive: true }); fs.writeFileSync('out/deep/x.txt', readFileSync('lib/data.json', 'utf8') + '\\n');\n",
  "/code/test/sum.test.js":
    "const { test, describe, beforeEach } = require('node:test');\nconst assert = require('node:assert/strict');\nconst { sum } = require('..');\n" +
    "describe('sum', () => { let n; beforeEach(() => { n = 1; }); test('adds', () => assert.equal(sum(n, 1), 2)); });\n" +
    "test('later', async () => { await new Promise((resolve) => setTimeout(resolve, 2)); assert.deepEqual({ a: [1] }, { a: [1] }); });\n",
  "/broken/bad.test.mjs":
    "import test from 'node:test';\nimport assert from 'node:assert';\ntest('fails', () => assert.strictEqual(1, 2));\ntest('throws', () => assert.throws(() => { throw new TypeError('no'); }, TypeError));\n",
};

async function run(command: string, cwd = "/code") {
  const fs = new MemoryFileSystem({ files });
  const shell = new VirtualShell({ fs, scripts: { timeMs: 1_500 } });
  const { stdout, stderr, exitCode } = await shell.exec(command, { cwd });
  return { fs, stdout, stderr, exitCode };
}

beforeAll(async () => void (await run("js -e 0")), 60_000);

const cases: Record<
  string,
  readonly [stdout: string | RegExp, stderr?: RegExp, exitCode?: number, cwd?: string]
> = {
  "node main.mjs a b": ["typed 8 3 dep one late main.mjs [ 'a', 'b' ]\n"],
  "node -e 'console.log(1 + 1, [1, { a: null }], `x`)'": ["2 [ 1, { a: null } ] x\n"],
  "js -p '[3, 1, 2].sort()'": ["[ 1, 2, 3 ]\n"],
  "node -p 'process.cwd()'": ["/code\n"],
  "cd lib && node -p \"require('./data').n + require('../lib/sum').sum(1, 1)\"": ["9\n"],
  "NAME=x node -e 'console.log(process.env.NAME)'": ["x\n"],
  "echo 'console.log(\"from stdin\")' | node": ["from stdin\n"],
  'echo \'{"a":5}\' | node -e \'console.log(JSON.parse(require("fs").readFileSync(0, "utf8")).a)\'':
    ["5\n"],
  "printf 'const x: number = 3;\\nconsole.log(x satisfies number);\\n' > t.ts; node t.ts": ["3\n"],
  "node -e 'console.error(\"bad\"); process.exit(3)'": ["", /^bad\n$/, 3],
  "node -e 'throw new TypeError(\"no\")'": ["", /^Uncaught TypeError: no\n/, 1],
  "node -e 'Promise.resolve().then(() => console.log(1)); setTimeout(() => console.log(3), 1); console.log(0)'":
    ["0\n1\n3\n"],
  "node --test": [/✔ adds\n[^]*✔ later\n[^]*ℹ tests 2\nℹ pass 2\nℹ fail 0\n/],
  "node --test ": [/✖ fails\n[^]*✔ throws\n[^]*ℹ pass 1\nℹ fail 1\n/, /^$/, 1, "/broken"],
  "node -e 'require(\"http\")'": [
    "",
    /http.*is not available in this shell's js: there is no network/,
    1,
  ],
  "node -e 'fetch(\"https://example.com\")'": ["", /fetch.*not defined/, 1],
  "node missing.js": ["", /cannot find module '\/code\/missing.js'/, 1],
  "node --inspect x.js": ["", /bad option: --inspect/, 1],
  "node -e 'const f = () => f() + 1; try { f() } catch (error) { console.log(\"caught\") }'": [
    "caught\n",
  ],
  "node -e 'for (;;);'": ["", /ended after 1500 ms of computing/, 124],
  "node -e 'globalThis.constructor.constructor(\"return this\")().Object.prototype.polluted = 1; console.log(typeof host)'":
    ["undefined\n"],
};

it.each(Object.entries(cases))(
  "%s",
  async (command, [stdout, stderr = /^$/, exitCode = 0, cwd]) => {
    const result = await run(command, cwd);
    if (!canRun) return expect(result.stderr).toContain(REFUSAL);
    expect(result.stdout, result.stderr).toEqual(
      typeof stdout === "string" ? stdout : expect.stringMatching(stdout),
    );
    expect(result.stderr).toMatch(stderr);
    expect(result.exitCode).toBe(exitCode);
  },
);

it("writes what a script wrote, through the rules of who runs it", async () => {
  const { fs, stderr } = await run("node main.mjs");
  if (!canRun) return expect(stderr).toContain(REFUSAL);
  expect(new TextDecoder().decode(await fs.readFile("/code/out/deep/x.txt"))).toBe('{ "n": 7 }\n');
  const shell = new VirtualShell({ fs });
  const rules = {
    refusesFile: (path: string) => (path === "/code/package.json" ? "it is denied" : undefined),
    refusesCommand: () => undefined,
  };
  for (const code of ["readFileSync", "writeFileSync"]) {
    const result = await shell.exec(`node -e 'require("fs").${code}("package.json", "{}")'`, {
      cwd: "/code",
      rules,
    });
    expect(result.exitCode, result.stdout).toBe(1);
  }
  expect(new TextDecoder().decode(await fs.readFile("/code/package.json"))).toBe(
    files["/code/package.json"],
  );
});

it("ends a script that waits when it is told to, and leaves the next one alone", async () => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem({ files }) });
  const controller = new AbortController();
  let aborted = 0;
  setTimeout(() => {
    aborted = performance.now();
    controller.abort();
  }, 600);
  const ended = await shell.exec("node -e 'setInterval(() => {}, 5)'", {
    cwd: "/code",
    signal: controller.signal,
  });
  if (!canRun) return expect(ended.stderr).toContain(REFUSAL);
  expect(ended.exitCode).toBe(130);
  expect(performance.now() - aborted).toBeLessThan(250);
  expect((await shell.exec("node -p 1", { cwd: "/code" })).stdout).toBe("1\n");
});
