import type { ChangedFile } from "@robota/runtime/sessions";
import { expect, it } from "vitest";
import { marksOf } from "./changed-files.ts";
import { diffOf } from "./diff-of.ts";

const file = (path: string, kind: ChangedFile["kind"]) => ({ path, kind });

it("marks changed files, and every folder above them", () => {
  const marks = marksOf([file("/w/a/b.txt", "added"), file("/w/c.txt", "deleted")]);
  expect(Object.fromEntries(marks)).toEqual({
    "/w": "modified",
    "/w/a": "modified",
    "/w/a/b.txt": "added",
    "/w/c.txt": "deleted",
  });
});

it("counts lines of text, and names what is not text", () => {
  expect(diffOf({ path: "/w/a", before: "a\nb\n", after: "a\nc\nd\n" })).toMatchObject({
    kind: "text",
    added: 2,
    removed: 1,
  });
  expect(diffOf({ path: "/w/a", before: null, after: "a\n" })).toMatchObject({
    added: 1,
    removed: 0,
  });
  expect(
    diffOf({ path: "/w/a", before: { size: 2, reason: "binary" }, after: null }),
  ).toMatchObject({
    kind: "note",
    note: "Not a text file: 2 B before, deleted now.",
  });
  const large = { size: 3_000_000, reason: "too-large" } as const;
  expect(diffOf({ path: "/w/a", before: "ä", after: large })).toMatchObject({
    kind: "note",
    note: "Too large to compare line by line: 2 B before, 3.0 MB now.",
  });
  expect(diffOf({ path: "/w/a", before: undefined, after: null })).toMatchObject({
    kind: "note",
    note: "The earlier version was not kept.",
  });
});
