import { afterEach, expect, it, vi } from "vitest";
import { compileLinear } from "./linear-regexp.ts";

afterEach(() => vi.restoreAllMocks());

/** Counts the characters that a search reads, and the places of the states that it builds. */
function stepsOf(search: () => unknown): number {
  const spies = [
    vi.spyOn(String.prototype, "charCodeAt"),
    vi.spyOn(String.prototype, "codePointAt"),
    vi.spyOn(String, "fromCharCode"),
  ];
  search();
  const steps = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  for (const spy of spies) spy.mockRestore();
  return steps;
}

it.each([
  ["(a|aa)+$", "a"],
  ["(a|aa)+$", "ab"],
  ["(x+x+)+[yz]", "x"],
  [".*.*[=~].*", "x"],
  ["(a*)*b|(a*)*[cd]", "a"],
  ["(.*)(.*)(.*)(.*)[yz]?", "x"],
  ["(?:a?){30}a{30}[yz]", "a"],
  ["(?i)(?:k|\u212a|kk)*[yz]", "K"],
])("%j takes a number of steps in proportion to the text", (pattern, part) => {
  const steps = [1000, 2000, 4000].map((length) => {
    const text = part.repeat(length);
    const expression = compileLinear(pattern);
    return stepsOf(() => expression.findGroups(text));
  });
  const [first = 0, second = 0, third = 0] = steps;
  expect(first).toBeGreaterThan(1000);
  expect(third - second).toBeLessThan(2.2 * (second - first));
});
