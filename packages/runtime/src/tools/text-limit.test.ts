import { expect, it } from "vitest";
import { count, cutEnd, cutStart } from "./text-cut.ts";
import { counted, cutLine, headAndTail } from "./text-limit.ts";

const smile = "😀";

it("never splits a surrogate pair", () => {
  expect(cutEnd(`a${smile}b`, 2)).toBe("a");
  expect(cutEnd(`a${smile}b`, 3)).toBe(`a${smile}`);
  expect(cutStart(`a${smile}b`, 2)).toBe("b");
  expect(cutStart(`a${smile}b`, 3)).toBe(`${smile}b`);
  for (let limit = 0; limit < 40; limit += 1) {
    expect(headAndTail(smile.repeat(50), limit).isWellFormed()).toBe(true);
    expect(cutLine(smile.repeat(50), limit, 49).isWellFormed()).toBe(true);
  }
});

it("returns a short text unchanged", () => {
  expect(headAndTail("12345", 5)).toBe("12345");
  expect(cutLine("12345", 5)).toBe("12345");
  expect([cutEnd("ab", 5), cutStart("ab", 5)]).toEqual(["ab", "ab"]);
});

it("keeps the head and the tail of a long text and reports the omitted length", () => {
  const text = `${"a".repeat(50)}${"b".repeat(2000)}${"c".repeat(50)}`;
  expect(headAndTail(text, 100, "the rest is elsewhere")).toBe(
    `${"a".repeat(50)}\n\n[… 2,000 characters left out; the rest is elsewhere …]\n\n${"c".repeat(50)}`,
  );
});

it("truncates a long line around a match", () => {
  const line = `${"a".repeat(5000)}needle${"b".repeat(5000)}`;
  const cut = cutLine(line, 100, 5000);
  expect(cut).toContain("needle");
  expect(cut).toMatch(/^\[… 4,975 characters\] a+needleb+ \[… 4,931 more characters\]$/);
  expect(cutLine(line, 100)).toMatch(/^a{100} \[… 9,906 more characters\]$/);
});

it("formats numbers the same way on every host", () => {
  expect([count(0), count(999), count(1000), count(1234567)]).toEqual([
    "0",
    "999",
    "1,000",
    "1,234,567",
  ]);
  expect([counted(1, "file"), counted(2, "file"), counted(2, "match", "matches")]).toEqual([
    "1 file",
    "2 files",
    "2 matches",
  ]);
});
