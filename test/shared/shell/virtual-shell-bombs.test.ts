import type { Shell } from "@robota/runtime";
import { dryRun, MemoryFileSystem } from "@robota/runtime/virtual";
import { type ShellCommand, VirtualShell } from "@robota/shell";
import { beforeAll, describe, expect, it } from "vitest";

/**
 * Lines that would take for ever, or all memory, in a shell that shares its thread with everything else. Each ends by a
 * limit that does not ask for the time, or within the computing time that a script has; nothing here ends by a timeout.
 */
const lines: readonly (readonly [line: string, exitCode: number, says: RegExp])[] = [
  [
    `awk 'BEGIN { x = "a"; for (i = 0; i < 40; i++) { x = x x; split(x, a, "") } }'`,
    126,
    /split into 1048576 parts/,
  ],
  [`awk 'BEGIN { x = ","; for (;;) { x = x x; split(x, a, ",") } }'`, 126, /split into/],
  [`awk 'BEGIN { x = "a"; for (;;) x = x x }'`, 126, /more than 67108864 characters/],
  [`awk 'BEGIN { for (;;) for (i = 0; i < 1e5; i++) a[n++] }'`, 126, /more than 1000000 elements/],
  [`awk 'BEGIN { printf "%*s", 999999999, "x" }'`, 126, /too large/],
  [`awk 'function f() { return f() } BEGIN { f() }'`, 2, /./],
  ["stat -c %999999999s big", 1, /^stat: a width of 999999999 is too large\n$/],
  ["printf '%999999999s' x", 1, /width limit/],
  ["echo {1..10000000}", 126, /brace expansion result limit/],
  ["echo {1..1000}{1..1000}{1..1000}", 126, /brace expansion result limit/],
  ["x=a; while :; do x=$x$x; done", 126, /string length limit/],
  ["x=a; while :; do x+=$x; done", 126, /string length limit/],
  ['set -- a b; while :; do set -- "$@" "$@"; done', 126, /word expansion result limit/],
  [
    "x=$(head -c 1000000 /dev/zero | tr '\\0' a); while :; do a+=($x); done",
    126,
    /in all variables/,
  ],
  ["for ((i = 0; ; i++)); do printf -v v$i %01000000d 1; done", 126, /in all variables/],
  ["while :; do echo x; done | sort | head -1", 126, /too many iterations/],
  ["f() { f | f; }; f", 126, /./],
  ["f() { f; }; f", 126, /./],
  ["head -c 1000000000000 /dev/zero", 1, /more than \d+ bytes/],
  [`jq -n '"x" * 1000000000'`, 126, /limit/],
  ["jq -n '[range(1000000000)]'", 126, /limit/],
  ["jq -n 'def f: f; f'", 126, /limit/],
  ["jq -n 'def f: 1 + f; f'", 5, /stack/],
  ["jq -n 'reduce range(64) as $i ([1]; . + .)'", 126, /limit/],
  ["jq -n 'reduce range(64) as $i ([1]; [., .])'", 126, /limit/],
  ["echo '9^99999999' | bc", 0, /digits/],
  ["mkdir -p $(printf 'a/%.0s' {1..5000})", 1, /File name too long|ENAMETOOLONG/],
];

/** Lines that take long in the native code of any engine, by their answer. */
const quick: readonly (readonly [line: string, says: RegExp])[] = [
  ["cut -c $(seq -s, 1 2 200000) big | wc -l", /^2000\n$/],
  ["cut -d, -f $(seq -s, 90000 -1 1) big | wc -l", /^2000\n$/],
  ["grep -cE '(a+)+$' big", /^0\n$/],
  [`[[ $(head -1 big) =~ ^(x+x+)+y$ ]] || echo no`, /^no\n$/],
  [`sed -nE 's/(x+x+)+y/z/p' big | wc -l`, /^0\n$/],
  [`awk '/(x+x+)+y/' big | wc -l`, /^0\n$/],
  [`jq -n '("x" * 5000) | test("(x+x+)+y")'`, /^false\n$/],
  ["diff <(yes a | head -100000) <(yes b | head -100000) | wc -l", /^200002\n$/],
];

const scripts: readonly (readonly [code: string, says: RegExp])[] = [
  ["Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", /ended after/],
  ["new Array(4294967295).indexOf(1)", /ended after/],
  ["String.raw({ raw: { length: 1e9 } })", /ended after|memory/],
  ['Array(1e9).join("x")', /ended after|memory|string/],
  ["Array.prototype.sort.call({ length: 1e9 })", /ended after|memory/],
  ["Array.prototype.reverse.call({ length: 2 ** 53 - 1 })", /ended after/],
  ["Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)", /ended after/],
  [
    "let n = 0; Array.prototype.includes.call({ get length() { return n++ ? 0 : 2 ** 53 - 1 } }, 1)",
    /ended after/,
  ],
  [
    "try { [].indexOf.call({ length: 2 ** 53 - 1 }, 1) } catch { for (;;); } finally { for (;;); }",
    /ended after/,
  ],
  ['/(a+)+$/.test("a".repeat(40) + "b")', /ended after/],
  ['"a".repeat(4e6).indexOf("a".repeat(1e4) + "b")', /ended after/],
  ['for (;;) new TextEncoder().encode("x".repeat(1e6))', /ended after/],
  ['for (;;) try { Buffer.from("x".repeat(1e6)).toString("base64") } catch {}', /ended after/],
  ["const b = new Uint8Array(3e6).fill(97); for (;;) new TextDecoder().decode(b)", /ended after/],
  ["const b = Buffer.alloc(1e7); for (;;) fs.writeFileSync('/code/z', b)", /ended after/],
  [
    "const b = Buffer.alloc(1e6); for (let i = 0; ; i++) fs.writeFileSync('/code/z' + i, b)",
    /ended after|ENOSPC/,
  ],
  ["for (;;) fs.appendFileSync('/code/z', 'x'.repeat(1e6))", /ended after|ENOSPC/],
  ["for (let i = 0; ; i++) fs.writeFileSync('/code/e' + i, '')", /ended after|ENOSPC/],
  ["fs.mkdirSync('a/'.repeat(20000), { recursive: true })", /ENAMETOOLONG|ended after/],
  ["for (;;) console.log('x'.repeat(1e6))", /ended after|characters of output/],
  ["let a = []; for (;;) a = [a, 'x'.repeat(1e5) + a.length]", /ended after|memory/],
  ["const f = () => f(); f()", /stack/],
];
const TIME_MS = 500;

async function setUp(customCommands: readonly ShellCommand[] = [], loopIterations = 5_000) {
  const fs = new MemoryFileSystem({ files: { "/code/big": `${"x".repeat(400)}\n`.repeat(2_000) } });
  const shell = new VirtualShell({
    fs,
    customCommands,
    limits: { loopIterations },
    scripts: { timeMs: TIME_MS },
  });
  return { fs, shell };
}

beforeAll(async () => void (await (await setUp()).shell.exec("true", { cwd: "/code" })));

describe("a line without approval ends by itself", () => {
  it.each(lines)("%s", async (line, exitCode, says) => {
    const { shell } = await setUp();
    const ended = await shell.exec(line, { cwd: "/code" });
    expect(ended).toMatchObject({ exitCode, stderr: expect.stringMatching(says) });
  });

  it.each(quick)("%s", async (line, says) => {
    const { shell } = await setUp([], 200_000);
    expect(await shell.exec(line, { cwd: "/code" })).toMatchObject({
      stderr: "",
      stdout: expect.stringMatching(says),
    });
  });

  it("git diff of 100,000 equal lines against as many others, and of blank ones", async () => {
    const { shell } = await setUp();
    const line =
      "git init -q; yes a | head -100000 > a; yes '' | head -100000 > b; git add .; " +
      "yes b | head -100000 > a; yes '' | head -200000 > b; git diff --numstat; git diff | wc -l";
    const { stdout } = await shell.exec(line, { cwd: "/code" });
    expect(stdout).toBe("100000\t100000\ta\n100000\t0\tb\n300014\n");
  });
});

describe("a script without approval ends by itself", () => {
  let canRun = false;
  beforeAll(async () => {
    const { shell } = await setUp();
    const { stderr } = await shell.exec("js -e 0", { cwd: "/code" });
    // Some hosts are handed QuickJS compiled, which this test is not.
    canRun = !stderr.includes("can't run on this host");
  });

  it.each(scripts)("%s", async (code, says) => {
    if (!canRun) return;
    const { fs, shell } = await setUp();
    await fs.writeFile("/code/bomb.js", `const fs = require("fs");\n${code};\n`);
    const ended = await shell.exec("js bomb.js; js -e 'console.log(\"next\")'", { cwd: "/code" });
    expect(ended.stderr).toMatch(says);
    expect(ended.stdout.endsWith("next\n")).toBe(true);
  });
});

it("stops a dry run that fills the copies of the files", async () => {
  let written = 0;
  const big = "x".repeat(16_000_000);
  const flood: ShellCommand = {
    name: "flood",
    async run(_args, { fs: copies, resolve, signal }) {
      for (; !signal.aborted; written++) await copies.writeFile(resolve(`copy${written}`), big);
      return {};
    },
  };
  const { fs, shell } = await setUp([flood]);
  // Commands of a caller's own are not tried out unless their shell says that they reach files alone. With
  // time enough: a busy machine reaches the limit of a dry run first.
  const harmless = (from: Shell): Shell => ({
    kind: "virtual",
    exec: (command, options) => from.exec(command, { ...options, timeoutMs: 60_000 }),
    over: (copies) => harmless(from.over?.(copies) ?? from),
  });
  const tried = await dryRun({ fs, shell: harmless(shell) }, "flood", { cwd: "/code" });
  expect([tried?.incomplete, written]).toEqual(["it writes too much for a dry run", 4]);
});
