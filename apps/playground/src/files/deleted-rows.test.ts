import type { FileRow } from "@robota/react/store";
import { expect, it } from "vitest";
import { withDeleted } from "./deleted-rows.ts";

const row = (path: string, isOpen?: boolean): FileRow => ({
  path: `/w/${path}`,
  name: path.slice(path.lastIndexOf("/") + 1),
  isDirectory: isOpen !== undefined,
  level: path.split("/").length,
  isOpen: isOpen ?? false,
});

const shown = (rows: readonly FileRow[], deleted: readonly string[]): string[] => {
  const marks = new Map(deleted.map((path) => [`/w/${path}`, "deleted" as const]));
  return withDeleted(rows, marks, "/w").map(({ level, name }) => `${level} ${name}`);
};

it("shows deleted files where they were, in open folders only", () => {
  const rows = [row("in", true), row("in/b.ts"), row("out", false), row("c.ts")];
  expect(shown(rows, ["in/a.ts", "in/c.ts", "out/a.ts", "a.ts", "d.ts"])).toEqual([
    "1 in",
    "2 a.ts",
    "2 b.ts",
    "2 c.ts",
    "1 out",
    "1 a.ts",
    "1 c.ts",
    "1 d.ts",
  ]);
});

it("names the way to files of folders that are gone, and leaves out what is there again", () => {
  expect(shown([row("a.ts")], ["src/in/b.ts", "a.ts"])).toEqual(["1 a.ts", "1 src/in/b.ts"]);
  expect(shown([], ["a.ts"])).toEqual(["1 a.ts"]);
});
