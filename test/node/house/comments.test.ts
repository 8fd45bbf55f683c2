import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./sources.ts";

const ITEM = /^\s*\* - /;
const CONTINUATION = /^\s*\* {2,}\S/;
const ITEM_OR_TAG = /^\s*\* [-@]/;
const TEXT = /^\s*\* \S/;

/** Lines of comments that a list runs into: neither indented as its item nor set off, as an editor's reflow leaves them. */
function brokenLists(source: string): string[] {
  let isInList = false;
  return source.split("\n").filter((line) => {
    const isBroken = isInList && TEXT.test(line) && !ITEM_OR_TAG.test(line);
    isInList = ITEM.test(line) || (isInList && CONTINUATION.test(line));
    return isBroken;
  });
}

it("indents the items of lists in comments from their first line to their last", () => {
  const sources = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mts", "*.mjs"], {
    cwd: root,
    encoding: "utf8",
  })
    .trim()
    .split("\n");
  expect(sources.length).toBeGreaterThan(1000);
  const broken = sources.flatMap((file) =>
    brokenLists(readFileSync(join(root, file), "utf8")).map((line) => `${file}: ${line.trim()}`),
  );
  expect(broken).toEqual([]);
});

it("sees a list that was broken", () => {
  const item = " * - Nobody but the person writes there, no\n *   tenants: a";
  expect(brokenLists(`${item}\n * personal machine.\n */`)).toEqual([" * personal machine."]);
  expect(brokenLists(`${item} personal machine.\n * - Absent\n *\n * Unless\n */`)).toEqual([]);
});
