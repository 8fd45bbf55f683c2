import { expect, it } from "vitest";
import { changeWords, countLines } from "./change-summary.ts";

const deleted = { path: "/a", before: "x\n", after: null };
const created = { path: "/b", before: null, after: "x\ny\n" };
const changed = { path: "/c", before: "x\n", after: "y\n" };

it("counts lines", () => {
  expect([deleted, created, changed].map(countLines)).toEqual([
    { added: 0, removed: 1 },
    { added: 2, removed: 0 },
    { added: 1, removed: 1 },
  ]);
});

it("names deletions first, in words", () => {
  expect(changeWords([changed, created, deleted, deleted])).toBe(
    "2 files deleted, 1 created, 1 changed",
  );
  expect(changeWords([changed])).toBe("1 file changed");
});
