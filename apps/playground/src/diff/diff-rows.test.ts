import { expect, it } from "vitest";
import { diffRows } from "./diff-rows.ts";

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

it("numbers lines on both sides and counts the omitted ones", () => {
  const before = lines(20);
  const after = before.replace("line 10\n", "line ten\nline ten and a half\n");
  const diff = diffRows(before, after);
  expect(diff).toMatchObject({ added: 2, removed: 1 });
  expect(diff?.rows[0]).toEqual({ kind: "gap", hidden: 6 });
  expect(diff?.rows.find((row) => row.kind === "removed")).toMatchObject({ before: 10 });
  expect(diff?.rows.filter((row) => row.kind === "added")).toMatchObject([
    { after: 10 },
    { after: 11 },
  ]);
});

it("marks the changed words inside a changed line", () => {
  const diff = diffRows("for (i <= n) {\n", "for (i < n) {\n");
  const removed = diff?.rows.find((row) => row.kind === "removed");
  const marked = removed?.kind === "removed" ? removed.parts.filter((part) => part.changed) : [];
  expect(marked.map((part) => part.text).join("")).toContain("=");
  const text = removed?.kind === "removed" ? removed.parts.map((part) => part.text).join("") : "";
  expect(text).toBe("for (i <= n) {");
});

it("has no rows for equal texts, and every line of a new file", () => {
  expect(diffRows("a\n", "a\n")).toEqual({ rows: [], added: 0, removed: 0 });
  expect(diffRows("", "a\nb\n")).toMatchObject({ added: 2, removed: 0 });
});
