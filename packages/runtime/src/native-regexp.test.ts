import { RE2JS } from "re2js";
import { expect, it } from "vitest";
import { nativeRegExp } from "./native-regexp.ts";

/** Small enough to be random all day, large enough for every construct. */
function randomly(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const pieces =
  "a b ab é 😀 . .* a* b+ a? [ab] [^a] [a-c]* \\w \\w+ \\W \\s \\S* \\d+ \\b \\B ^ $ ( (?: ) )? | a{2} b{1,3} a{2,} .*? x \\. \\- \\/ - / ] } [\\s-] [.*] [\\]a] \\t _ \\_ K ſ".split(
    " ",
  );
const letters = [
  "a",
  "b",
  "ab",
  "c",
  "é",
  "😀",
  " ",
  "\t",
  "-",
  ".",
  "1",
  "_",
  "x",
  "]",
  "\r",
  "\n",
  "\u2028",
  "\u00a0",
  "K",
  "k",
  "K",
  "ſ",
];

it("matches as the linear engine does, at the same place", () => {
  const next = randomly(7);
  let compared = 0;
  for (let round = 0; round < 1_500; round++) {
    const ignoreCase = next(4) === 0;
    const pattern = Array.from({ length: 1 + next(6) }, () => pieces[next(pieces.length)]).join("");
    const dotAll = next(2) === 0;
    const quick = nativeRegExp(pattern, { ignoreCase, dotAll });
    if (!quick) continue;
    let linear: RE2JS;
    try {
      linear = RE2JS.compile(
        pattern,
        (dotAll ? RE2JS.DOTALL : 0) | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0),
      );
    } catch {
      continue;
    }
    let host: RegExp;
    try {
      host = new RegExp(quick.source, `su${ignoreCase ? "i" : ""}`);
    } catch {
      continue;
    }
    for (let text = 0; text < 4; text++) {
      const line = Array.from({ length: next(9) }, () => letters[next(letters.length)]).join("");
      const matcher = linear.matcher(line);
      const expected = matcher.find() ? [matcher.start(), matcher.end()] : undefined;
      const found = host.exec(line);
      const actual = found ? [found.index, found.index + found[0].length] : undefined;
      expect({ pattern, line, at: actual }).toEqual({ pattern, line, at: expected });
      if (expected) expect(line).toContain(quick.needle);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(1_000);
});

it.each([
  ["import .* from", "import "],
  ["foo|bar", ""],
  ["(foo)bar", "bar"],
  ["colou?r", "colo"],
  ["a+bc", "bc"],
  ["\\bname\\(", "name("],
  ["x{2}yz", "yz"],
])("knows a text that every match of %s contains", (pattern, needle) => {
  expect(nativeRegExp(pattern)?.needle).toBe(needle);
});

it.each([
  ["foo|bar", ["foo", "bar"]],
  ["foo|b.*ar|(x)", []],
  ["foo|(bar|x)baz", ["foo", "baz"]],
  ["(foo|bar)", []],
  ["import .* from|x", ["import ", "x"]],
])("knows texts of which every match of %s contains one", (pattern, needles) => {
  expect(nativeRegExp(pattern)?.needles).toEqual(needles);
  expect(nativeRegExp(pattern, { ignoreCase: true })?.needles).toEqual(needles);
});

it("refuses expressions with much backtracking on long texts, and repeated groups", () => {
  const hundred = "x".repeat(100);
  expect(nativeRegExp("needle")?.longest).toBeGreaterThan(1e6);
  expect(nativeRegExp("a.*b.*c.*d")?.longest).toBeLessThan(hundred.length);
  expect(nativeRegExp("a?".repeat(30) + "a".repeat(30))?.longest).toBeLessThan(1);
  for (const pattern of [
    "(a+)+$",
    "(a|a)*",
    "(a*){3}",
    "(?i)a",
    "\\p{L}",
    "[[:alpha:]]",
    "\\1",
    "(?P<n>a)",
    "a**",
    "[]a]",
    "\\Aa",
  ]) {
    expect([pattern, nativeRegExp(pattern)]).toEqual([pattern, undefined]);
  }
});
