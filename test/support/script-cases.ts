/** The project in which scripts run. */
export const scriptFiles = {
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
  "/code/late.js":
    "const assert = require('node:assert');\nconsole.log('before');\nasync function check(one) {\n  await null;\n  assert.equal(one, 2);\n}\n" +
    "(async () => {\n  await check(2);\n  await check(1);\n})(); // the last line\n",
  "/code/started.js":
    "const main = async () => { console.log('started'); throw new Error('late'); };\nif (require.main === module) main();\n",
  "/broken/bad.test.mjs":
    "import test from 'node:test';\nimport assert from 'node:assert';\ntest('fails', () => assert.strictEqual(1, 2));\ntest('throws', () => assert.throws(() => { throw new TypeError('no'); }, TypeError));\n",
};

/** Expected results of `js`: standard output, standard error (default empty), exit code (0) and directory (`/code`). */
export const scriptCases: Record<
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
  "node -e 'const main = async () => { throw new TypeError(\"no\"); }; main()'": [
    "",
    /^Uncaught TypeError: no\n/,
    1,
  ],
  "node -e 'Promise.reject(new TypeError(\"no\")).then(console.log);'": [
    "",
    /^Uncaught TypeError: no\n/,
    1,
  ],
  "node -e 'const main = async () => { throw 1; }; main().catch((one) => console.log(one))'": [
    "1\n",
  ],
  "node late.js": ["before\n", /^Uncaught AssertionError.*\n(.*\n)*.*late\.js:5/, 1],
  "node started.js": ["started\n", /^Uncaught Error: late\n/, 1],
  "node -e 'Promise.resolve().then(() => console.log(1)); setTimeout(() => console.log(3), 1); console.log(0)'":
    ["0\n1\n3\n"],
  "node -p 'require(`fs`).readdirSync(`lib`).join()'": ["data.json,sum.js,typed.ts\n"],
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
