import { describe, expect, it } from "vitest";
import { ends, matches, starts } from "./match.ts";
import { hasPattern, parsePattern, quotePattern } from "./pattern.ts";

const options = { hasExtendedPatterns: true };

describe("matches", () => {
  it.each([
    ["*.ts", "a.ts", "a.tsx"],
    ["a?c", "abc", "ac"],
    ["a?c", "a😀c", "abbc"],
    ["[a-c]x", "bx", "dx"],
    ["[!a-c]x", "dx", "bx"],
    ["[^a]", "b", "a"],
    ["[]a]", "]", "b"],
    ["[a-]", "-", "b"],
    ["[[:digit:][:upper:]]", "7", "a"],
    ["[\\]]", "]", "\\"],
    ["[a", "[a", "a"],
    ["\\*", "*", "a"],
    ["@(a|b)c", "bc", "c"],
    ["?(a)c", "c", "aac"],
    ["*(ab)c", "ababc", "abac"],
    ["+([0-9])", "123", ""],
    ["!(a|b)", "ab", "a"],
    ["!(*.md|*.json)", "a.ts", "a.md"],
    ["a!(b)c", "ac", "abc"],
    ["*(a|*(b))c", "abbac", "ad"],
    ["a)b", "a)b", "ab"],
    ["a|b", "a|b", "a"],
    ["@(a", "@(a", "a"],
  ])("%s", (pattern, yes, no) => {
    expect(matches(parsePattern(pattern, options), yes)).toBe(true);
    expect(matches(parsePattern(pattern, options), no)).toBe(false);
  });

  it("takes groups for text where they are off", () => {
    expect(matches(parsePattern("+(a)", { hasExtendedPatterns: false }), "+(a)")).toBe(true);
    expect(hasPattern("@(a)", { hasExtendedPatterns: false })).toBe(false);
    expect(hasPattern(quotePattern("*?[a]@(b)"), options)).toBe(false);
  });

  it("ignores case where it is told to", () => {
    const pattern = parsePattern("[a-c]BC*", options);
    expect(matches(pattern, "Abcd")).toBe(false);
    expect(matches(pattern, "Abcd", { ignoresCase: true })).toBe(true);
  });

  it("finds all ends of a prefix and all starts of a suffix", () => {
    const pattern = parsePattern("*.", options);
    expect(ends(pattern, "a.b.c", 0)).toEqual([2, 4]);
    expect(starts(parsePattern(".*", options), "a.b.c")).toEqual([1, 3]);
    expect(starts(parsePattern("@(b|c)*(.c)", options), "a.b.c")).toEqual([2, 4]);
  });

  it("answers patterns that make a backtracking matcher try for ever", () => {
    const text = "a".repeat(2_000);
    expect(matches(parsePattern("*a".repeat(30) + "*b", options), text)).toBe(false);
    expect(matches(parsePattern("+(+(a|aa))b", options), text)).toBe(false);
  });
});
