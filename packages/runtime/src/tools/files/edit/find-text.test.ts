import { expect, it } from "vitest";
import { findText } from "./find-text.ts";

it("finds every occurrence with its line", () => {
  expect(findText("a\nb a\n\na", "a")).toEqual([
    { start: 0, end: 1, line: 1 },
    { start: 4, end: 5, line: 2 },
    { start: 7, end: 8, line: 4 },
  ]);
  expect(findText("aaa", "aa")).toEqual([{ start: 0, end: 2, line: 1 }]);
  expect(findText("abc", "x")).toEqual([]);
});

it("finds text across any line endings, and returns offsets in the original text", () => {
  const text = "a\r\nb\r\nc\na\nb";
  expect(findText(text, "a\nb").map(({ start, end }) => text.slice(start, end))).toEqual([
    "a\r\nb",
    "a\nb",
  ]);
  const [occurrence] = findText("x\r\ny\r\nz", "y\n");
  expect("x\r\ny\r\nz".slice(occurrence?.start, occurrence?.end)).toBe("y\r\n");
  const [before] = findText("x\r\ny\r\nz", "y");
  expect(before).toEqual({ start: 3, end: 4, line: 2 });
  expect(findText("a\nb", "a\r\nb")).toHaveLength(1);
});
