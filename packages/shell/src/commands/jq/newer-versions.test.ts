import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { VirtualShell } from "../../virtual-shell.ts";

/** Programs that jq 1.6 refuses, and what versions 1.7 and 1.8 print for them. */
const ANSWERS: readonly (readonly [program: string, printed: string])[] = [
  ["[1,2,3] | [-foreach -.[] as $x (0; . + $x)], [-reduce -.[] as $x (0; . + $x)]", "[1,3,6]\n[6]"],
  ["[1,2] | reduce .[] / .[] as $i (0; . + $i)", "4.5"],
  ['"foo" | try -. catch ., try -.? catch .', '"string (\\"foo\\") cannot be negated"\n'.repeat(2)],
  ['try error("x") catch -1', "-1"],
  ['1 as $x | "2" as $y | {$x, $y: 4, if: 6}', '{"x":1,"2":4,"if":6}'],
  ["[range(5)] | [skip(3; .[])], [skip(0, 4, 9; .[])]", "[3,4]\n[0,1,2,3,4,4]"],
  ["try skip(-1; 1) catch .", '"skip doesn\'t support negative count"'],
  ['"a%20%CE%BC" | @urid', '"a μ"'],
  ['"%F0%93%81", "%FX", "%" | try @urid catch "no"', '"no"\n'.repeat(3)],
  ['"true", "false", true | toboolean', "true\nfalse\ntrue"],
  ["0 | try toboolean catch .", '"number (0) cannot be parsed as a boolean"'],
  ['"\\u0085\\u3000a b\\ufeff\\u2003" | trim, ltrim, rtrim | length', "4\n5\n6"],
  ["1 | try trim catch .", '"trim input must be a string"'],
  ['-1, "x", null | abs', '1\n"x"\nnull'],
  ['[2024, 8, 21] | mktime, strftime("%F")', '1726876800\n"2024-09-21"'],
  ["[-1, 65, 1114112, 55296] | implode", '"\ufffdA\ufffd\ufffd"'],
];

const shell = new VirtualShell({ fs: new MemoryFileSystem({ files: {} }) });

it.each(ANSWERS)("runs %s", async (program, printed) => {
  const quoted = `'${program.replaceAll("'", String.raw`'\''`)}'`;
  const { stdout, stderr } = await shell.exec(`jq -nc ${quoted}`, { cwd: "/" });
  expect([stdout.trimEnd(), stderr]).toEqual([printed.trimEnd(), ""]);
});

it("reports libraries that import each other", async () => {
  const files = {
    "/a.jq": 'import "b" as b; def f: 1;',
    "/b.jq": 'import "a" as a; def f: 2;',
  };
  const own = new VirtualShell({ fs: new MemoryFileSystem({ files }) });
  const { stderr, exitCode } = await own.exec(`jq -n 'import "a" as a; a::f'`, { cwd: "/" });
  expect([stderr, exitCode]).toEqual([
    "jq: error: module imports itself: /a.jq\n\njq: 1 compile error\n",
    3,
  ]);
});
