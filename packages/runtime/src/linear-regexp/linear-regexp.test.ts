import { describe, expect, it } from "vitest";
import { compileLinear, LinearSyntaxError, type LinearOptions } from "./linear-regexp.ts";

type Case = [pattern: string, text: string, slots: number[] | undefined, options?: LinearOptions];

function check([pattern, text, slots, options]: Case): void {
  const expression = compileLinear(pattern, options);
  const found = slots && { start: slots[0], end: slots[1] };
  expect(expression.findGroups(text)).toEqual(slots);
  expect(expression.find(text)).toEqual(found);
  expect(expression.test(text)).toBe(slots !== undefined);
}

describe("a linear expression", () => {
  it.each<Case>([
    ["", "a", [0, 0]],
    ["b+", "abbc", [1, 3]],
    ["b+?", "abbc", [1, 2]],
    ["(?U)b+", "abbc", [1, 2]],
    ["(?U)b+?", "abbc", [1, 3]],
    ["a|ab", "ab", [0, 1]],
    ["x|", "ax", [0, 0]],
    ["a{2,3}", "aaaa", [0, 3]],
    ["a{2,}", "aaaa", [0, 4]],
    ["a{0}b", "ab", [1, 2]],
    ["a{,2}", "aa{,2}", [1, 6]],
    ["[a-c]+", "xabcd", [1, 4]],
    ["[^a-c]+", "abxyc", [2, 4]],
    ["[]a]+", "x]a]", [1, 4]],
    ["[\\]\\-x]+", "a-]x", [1, 4]],
    ["[[:alpha:]_]+", "1a_b2", [1, 4]],
    ["[[:^digit:]]+", "1ab2", [1, 3]],
    ["\\d+\\s\\w+", "a 12 b_", [2, 7]],
    ["\\x41\\x{42}\\103\\t\\.", "ABC\t.", [0, 5]],
    ["\\Qa.*\\E+", "a.**", [0, 4]],
    ["\\p{Greek}+\\PL", "aαβ1", [1, 4]],
    ["\\p{Yi}\\p{White_Space}", "\ua000\u3000", [0, 2]],
    ["[^\\pN]\\p{^Lu}", "1Aa", [1, 3]],
    ["a.c", "a\ncabc", [3, 6]],
    ["a.c", "a\nc", [0, 3], { dotAll: true }],
    ["^b$", "a\nb\nc", undefined],
    ["^b$", "a\nb\nc", [2, 3], { multiline: true }],
    ["(?m:^b)$", "a\nb", [2, 3]],
    ["\\Ab|a\\z", "ba", [0, 1]],
    ["\\bb\\b", "ab b", [3, 4]],
    ["\\Bb", "b ab", [3, 4]],
  ])("%j finds the first match in %j", (...example) => check(example));

  it.each<Case>([
    ["(a)(b)?", "a", [0, 1, 0, 1, -1, -1]],
    ["(a+)(b|bc)(c?)", "xaabc", [1, 5, 1, 3, 3, 4, 4, 5]],
    ["(?:(a)|b)*", "ab", [0, 2, 0, 1]],
    ["(a*)*", "b", [0, 0, 0, 0]],
    ["(|a)+", "aa", [0, 0, 0, 0]],
    ["(a|ab)(c|bcd)(d*)", "abcd", [0, 4, 0, 1, 1, 4, 4, 4]],
    ["(?P<x>a)(?<y>b)", "ab", [0, 2, 0, 1, 1, 2]],
  ])("%j finds the groups in %j", (...example) => check(example));

  it.each<Case>([
    ["a|ab|abc", "xabcd", [1, 4], { longest: true }],
    ["a+?", "aaa", [0, 3], { longest: true }],
    ["(a|ab)(c|bcd)?", "abcd", [0, 4, 0, 1, 1, 4], { longest: true }],
    ["b|abc|xx", "zabcxx", [1, 4], { longest: true }],
  ])("%j finds the longest match in %j", (...example) => check(example));

  it.each<Case>([
    ["k", "\u212a", [0, 1], { ignoreCase: true }],
    ["\u017f", "S", [0, 1], { ignoreCase: true }],
    ["straße", "STRAẞE", [0, 6], { ignoreCase: true }],
    ["[^k]", "K\u212a", undefined, { ignoreCase: true }],
    ["\\p{Lu}", "a", [0, 1], { ignoreCase: true }],
    ["a(?i)b|c", "aB C", [0, 2]],
    ["(?i:a)b", "Ab", [0, 2]],
    ["(?i)a(?-i)b", "AB", undefined],
    ["\\W", "\u017f", undefined, { ignoreCase: true }],
  ])("%j ignores case in %j as told", (...example) => check(example));

  it.each<Case>([
    ["^.$", "😀", [0, 2]],
    ["[😀-😂]", "a😁", [1, 3]],
    ["\ude00", "😀", undefined],
    ["\ude00", "a\ude00", [1, 2]],
    ["\\x{1F600}{2}", "😀😀", [0, 4]],
    ["(.)(.)", "\ud83d😀", [0, 3, 0, 1, 1, 3]],
  ])("%j takes surrogate pairs in %j as one character", (...example) => check(example));

  it("finds the next match from a position, and looks at the text before it", () => {
    expect(compileLinear("^a").find("aa", 1)).toBeUndefined();
    expect(compileLinear("\\ba").find("aa a", 1)).toEqual({ start: 3, end: 4 });
    expect(compileLinear("(?m)^a").find("a\na", 1)).toEqual({ start: 2, end: 3 });
    expect(compileLinear("[a-z]+").find("abc", 1)).toEqual({ start: 1, end: 3 });
    expect(compileLinear("$").find("ab", 2)).toEqual({ start: 2, end: 2 });
    expect(compileLinear("$").find("ab", 3)).toBeUndefined();
    expect(compileLinear("foo").find("foo food", 1)).toEqual({ start: 4, end: 7 });
  });

  it("counts its groups and knows their names", () => {
    const { groups, names } = compileLinear("(a)(?P<x>b)(?:c)(?<y_1>d)");
    expect(groups).toBe(3);
    expect([...names]).toEqual([
      ["x", 2],
      ["y_1", 3],
    ]);
  });
});

it.each([
  ["a(b", "missing closing )", 2],
  ["ab)", "unexpected )", 3],
  ["a[b", "missing closing ]", 2],
  ["*a", "missing argument to repetition operator", 1],
  ["a|+", "missing argument to repetition operator", 3],
  ["a**", "invalid nested repetition operator", 3],
  ["a{2}{3}", "invalid nested repetition operator", 7],
  ["a{1001}", "invalid repeat count", 7],
  ["a{3,2}", "invalid repeat count", 6],
  ["(a{40}){40}", "invalid repeat count", 11],
  ["[b-a]", "invalid character class range", 4],
  ["[[:nope:]]", "invalid character class range", 9],
  ["\\p{Nope}", "invalid character class range", 8],
  ["(a)\\1", "invalid escape sequence", 5],
  ["\\y", "invalid escape sequence", 2],
  ["a\\", "trailing backslash at end of expression", 2],
  ["a(?=b)", "invalid or unsupported Perl syntax", 3],
  ["(?<=a)b", "invalid named capture", 3],
  ["(?P<n>a)(?P<n>b)", "duplicate capture group name", 14],
  ["(?z)", "invalid or unsupported Perl syntax", 2],
  ["(".repeat(2000), "expression nests too deeply", 1001],
  ["(?:\\w{1000}){1}".repeat(90), "expression too large", 0],
])("refuses %.20j: %s at %i", (pattern, message, position) => {
  let problem: unknown;
  try {
    compileLinear(pattern);
  } catch (error) {
    problem = error;
  }
  expect(problem).toBeInstanceOf(LinearSyntaxError);
  expect(problem).toMatchObject({ message, position });
});

describe("a long text", () => {
  it("has the groups that the host finds, in a match longer than what is kept of states", () => {
    const text = `${"ab😀 ".repeat(2000)}=${"cd ".repeat(3000)}`;
    const pattern = "((?:\\w+😀 )*)(=)(?:(\\w)\\w )+";
    const host = new RegExp(pattern, "du").exec(text);
    expect(compileLinear(pattern).findGroups(text)).toEqual(host?.indices?.flat());
  });

  it("is searched right when there are more states than are kept", () => {
    let seed = 1;
    const bit = (): number =>
      ((seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) >> 16) & 1;
    const text = `${Array.from({ length: 40_000 }, bit).join("")}1${"0".repeat(14)}x`;
    const found = compileLinear("([01]*)(1)[01]{14}[xy]").findGroups(text);
    expect(found).toEqual([0, 40_016, 0, 40_000, 40_000, 40_001]);
    expect(compileLinear("[01]*1[01]{14}[yz]").find(text)).toBeUndefined();
  });
});
