import fc from "fast-check";
import ignore from "ignore";
import { expect, it } from "vitest";
import { parseIgnoreFile } from "./ignore-file.ts";
import { expectWithin } from "../../../../../../test/support/time/own-time.ts";

function ignored(lines: string[], paths: string[]): string[] {
  const file = parseIgnoreFile(lines.join("\n"));
  return paths.filter((path) => file(path.replace(/\/$/, ""), path.endsWith("/")));
}

it("matches names, paths from its directory, and directories", () => {
  const paths = ["a", "a/", "x/a", "x/a/", "x/a/b", "ab", "x/y/a"];
  expect(ignored(["a"], paths)).toEqual(["a", "a/", "x/a", "x/a/", "x/y/a"]);
  expect(ignored(["/a"], paths)).toEqual(["a", "a/"]);
  expect(ignored(["a/"], paths)).toEqual(["a/", "x/a/"]);
  expect(ignored(["x/a"], paths)).toEqual(["x/a", "x/a/"]);
  expect(ignored(["x/**/a"], paths)).toEqual(["x/a", "x/a/", "x/y/a"]);
  expect(ignored(["x/**"], paths)).toEqual(["x/a", "x/a/", "x/a/b", "x/y/a"]);
  expect(ignored(["**/a"], paths)).toEqual(["a", "a/", "x/a", "x/a/", "x/y/a"]);
});

it("matches wildcards, also with dotfiles", () => {
  const paths = [".env", "a.log", "b.log", "a.b/c.log", "[a].log", "{a,b}"];
  expect(ignored(["*"], [".env", "x"])).toEqual([".env", "x"]);
  expect(ignored(["*.log"], paths)).toEqual(["a.log", "b.log", "a.b/c.log", "[a].log"]);
  expect(ignored(["[!b].log"], paths)).toEqual(["a.log", "a.b/c.log"]);
  expect(ignored(["?.log"], paths)).toEqual(["a.log", "b.log", "a.b/c.log"]);
  expect(ignored(["{a,b}"], paths)).toEqual(["{a,b}"]);
});

it("lets the last matching line decide", () => {
  const file = parseIgnoreFile("*.log\n!keep.log\nkeep.log/\n");
  expect(file("a.log", false)).toBe(true);
  expect(file("keep.log", false)).toBe(false);
  expect(file("keep.log", true)).toBe(true);
  expect(file("other", false)).toBeUndefined();
});

it("skips comments, blank lines, trailing spaces and invalid rules", () => {
  const lines = ["# a", "", "   ", "a  \r", "\\#b", "\\!c", "d\\ ", "!", "/", "../x"];
  expect(ignored(lines, ["a", "#b", "!c", "d ", "d", "# a", "x"])).toEqual(["a", "#b", "!c", "d "]);
});

it("agrees with another implementation of git's rules", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 3 });
  const isName = (segment: string) => segment !== "." && segment !== "..";
  const path = fc.array(name.filter(isName), { minLength: 1, maxLength: 4 });
  const part = fc.oneof(
    { weight: 3, arbitrary: name.filter(isName) },
    fc.constantFrom("*", "**", "?", "*a", "b*", "[ab]", "[!a]", ".*"),
  );
  const line = fc
    .tuple(
      fc.constantFrom("", "", "!"),
      fc.constantFrom("", "", "/"),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "", "/"),
    )
    .map(([not, root, parts, end]) => not + root + parts.join("/") + end);
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 4 }),
      path,
      fc.boolean(),
      (lines, names, isDirectory) => {
        const relative = names.join("/");
        // The reference stops at an ignored directory on the way; a walk does so too.
        const reference = ignore({ ignoreCase: false }).add(lines);
        for (let depth = 1; depth < names.length; depth += 1) {
          fc.pre(!reference.test(`${names.slice(0, depth).join("/")}/`).ignored);
        }
        const expected = reference.test(isDirectory ? `${relative}/` : relative).ignored;
        const verdict = parseIgnoreFile(lines.join("\n"))(relative, isDirectory);
        expect(verdict === true).toBe(expected);
      },
    ),
    { numRuns: 5000 },
  );
});

it("takes at most time in proportion to pattern times path", async () => {
  await expectWithin(2000, () => {
    expect(ignored(["a/**/".repeat(50) + "b"], [`${"a/".repeat(300)}c`])).toEqual([]);
    expect(ignored(["*a".repeat(200) + "b"], ["a".repeat(250)])).toEqual([]);
    expect(ignored(Array(200_000).fill("x*y*z"), ["a"])).toEqual([]);
    expect(ignored(Array(1000).fill("[".repeat(1000)), ["a"])).toEqual([]);
  });
});
