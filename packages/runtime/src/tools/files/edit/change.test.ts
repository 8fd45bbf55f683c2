import { expect, it } from "vitest";
import { describeChange } from "./change.ts";
import { expectWithin } from "../../../../../../test/support/time/own-time.ts";

const numbered = (length: number) => Array.from({ length }, (_, line) => `line ${line + 1}`);

it("shows a change as a unified diff and names its first line", async () => {
  const before = numbered(10).join("\n");
  const after = before.replace("line 6", "LINE 6");
  expect(await describeChange({ before, after })).toEqual({
    diff: "@@ -3,7 +3,7 @@\n line 3\n line 4\n line 5\n-line 6\n+LINE 6\n line 7\n line 8\n line 9",
    startLine: 6,
  });
});

it("ignores line endings", async () => {
  const { diff } = await describeChange({ before: "a\r\nb\r\n", after: "a\r\nc\r\n" });
  expect(diff).toBe("@@ -1,2 +1,2 @@\n a\n-b\n+c");
  expect(await describeChange({ before: "a\n", after: "a\r\n" })).toEqual({ diff: "" });
});

it("limits the length of the diff", async () => {
  const { diff } = await describeChange({ before: "", after: numbered(500).join("\n") });
  expect(diff.split("\n")).toHaveLength(121);
  expect(diff).toMatch(/… 382 more lines of diff$/);
});

it("computes no diff between very different texts", async () => {
  const before = numbered(20_000).join("\n");
  await expectWithin(4000, async () => {
    const { diff } = await describeChange({ before, after: before.replaceAll("line", "row") });
    expect(diff).toBe("(20,000 lines replaced by 20,000 lines)");
  });
});
