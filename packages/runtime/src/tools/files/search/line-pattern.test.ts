import { expect, it } from "vitest";
import { compileLinePattern } from "./line-pattern.ts";
import { expectWithin } from "../../../../../../test/support/time/own-time.ts";

async function found(pattern: string, lines: string[], ignoreCase = false): Promise<string[]> {
  const { matches } = await compileLinePattern(pattern, { ignoreCase });
  return lines.filter(matches);
}

it("finds plain text and regular expressions", async () => {
  const lines = ["const a = 1", "CONST b", "function foo(x)", "interface{}"];
  expect(await found("const", lines)).toEqual(["const a = 1"]);
  expect(await found("const", lines, true)).toEqual(["const a = 1", "CONST b"]);
  expect(await found("^const\\s+\\w+", lines, true)).toEqual(["const a = 1", "CONST b"]);
  expect(await found("foo\\(", lines)).toEqual(["function foo(x)"]);
  expect(await found("interface{}", lines)).toEqual(["interface{}"]);
  expect(await found("a = \\d$|foo", lines)).toEqual(["const a = 1", "function foo(x)"]);
});

it("finds the same with and without special characters in the pattern", async () => {
  const lines = ["K", "\u212a", "straße", "STRASSE", "ſ", "é", "E\u0301"];
  for (const text of ["k", "s", "é", "straße"]) {
    expect(await found(text, lines, true)).toEqual(await found(`(${text})`, lines, true));
  }
});

it("reports where a match starts", async () => {
  for (const pattern of ["needle", "need.e", "NEEDLE"]) {
    const { position } = await compileLinePattern(pattern, { ignoreCase: true });
    expect(position("hay needle hay")).toBe(4);
    expect(position("hay")).toBe(0);
  }
});

it("rejects texts that can't match without splitting them into lines", async () => {
  const { mayMatch } = await compileLinePattern("needle");
  expect([mayMatch("a\nb needle\n"), mayMatch("a\nb\n")]).toEqual([true, false]);
});

it.each([
  ["foo(bar", "missing closing ) at position 4"],
  ["foo)bar", "unexpected ) at position 4"],
  ["ab[cd", "missing closing ] at position 3"],
  ["a*|*b", "missing argument to repetition operator at position 4"],
  ["x(?=y)", "invalid or unsupported Perl syntax at position 3"],
  ["(a)\\1", "invalid escape sequence at position 5"],
  ["a\\", "trailing backslash at end of expression at position 2"],
])("explains and locates the error in %s", async (pattern, message) => {
  await expect(compileLinePattern(pattern)).rejects.toMatchObject({
    code: "invalid_pattern",
    message: expect.stringContaining(message),
  });
});

it("refuses patterns that no line can match, and oversized ones", async () => {
  const refused = { code: "invalid_pattern" };
  await expect(compileLinePattern("a\nb")).rejects.toMatchObject(refused);
  await expect(compileLinePattern("a".repeat(5000))).rejects.toMatchObject(refused);
  await expect(compileLinePattern("((a{100}){100}){100}")).rejects.toMatchObject(refused);
});

it("takes linear time for patterns that backtrack elsewhere", async () => {
  await expectWithin(3000, async () => {
    const line = "a".repeat(20_000);
    for (const pattern of ["(a+)+$b", "(a|a)*b", "(.*)*x", "a*a*a*a*a*b"]) {
      const { matches, position } = await compileLinePattern(pattern);
      expect([matches(line), position(line)]).toEqual([false, 0]);
    }
  });
});
