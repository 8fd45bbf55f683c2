import { expect, it } from "vitest";
import { compileLinear } from "../linear-regexp/linear-regexp.ts";
import { translateHostPattern } from "./translate-host-pattern.ts";

it.each([
  ["^\\u0041\\u{1f600}$", "A😀"],
  ["^\\ud83d\\ude00+$", "😀😀"],
  ["^[\\u0041-\\u0043\\cJ]+$", "ABC\n"],
  ["^a[^]b$", "a\nb"],
  ["^\\\\u0041$", "\\u0041"],
  ["^[\\]u0041[]+$", "]u0["],
  ["^(?<year>\\d{4})/\\/$", "2026//"],
])("lets %j match what it matches on the host", (pattern, text) => {
  expect(new RegExp(pattern, pattern.includes("[]+") ? "" : "u").test(text)).toBe(true);
  const linear = compileLinear(translateHostPattern(pattern));
  expect([linear.test(text), linear.test(`${text}!`)]).toEqual([true, false]);
});

it("keeps the empty class, which nothing matches", () => {
  expect(compileLinear(translateHostPattern("a[]|b")).find("ab")).toEqual({ start: 1, end: 2 });
});
