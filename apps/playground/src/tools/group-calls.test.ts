import type { ToolItem, TurnItem } from "@robota/react/store";
import { expect, it } from "vitest";
import { groupCalls, groupWords } from "./group-calls.ts";

const call = (id: string, tool: string, phase: ToolItem["phase"] = "done"): ToolItem => ({
  kind: "tool",
  id,
  tool,
  args: {},
  phase,
  output: "",
  outcome: { success: phase === "done", durationMs: 5 },
});
const text = (id: string): TurnItem => ({ kind: "text", id, text: "", streaming: false });
const ids = (items: readonly TurnItem[]): string[] =>
  groupCalls(items).map((item) =>
    item.kind === "group" ? item.calls.map(({ id }) => id).join("+") : item.id,
  );

it("folds calls that only read, and nothing that a person must see", () => {
  const reads = [call("a", "Read"), call("b", "Grep"), call("c", "Glob")];
  expect(ids([text("t"), ...reads, call("d", "Edit"), call("e", "Read")])).toEqual([
    "t",
    "a+b+c",
    "d",
    "e",
  ]);
  expect(ids([call("a", "Read"), call("b", "Read", "failed"), call("c", "Read")])).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(ids([call("a", "Read"), call("b", "Read", "running")])).toEqual(["a", "b"]);
});

it("says what they did", () => {
  expect(groupWords([call("a", "Read"), call("b", "Read")])).toBe("Read 2 files");
  expect(groupWords([call("a", "Grep"), call("b", "Grep"), call("c", "Read")])).toBe(
    "Searched twice, read 1 file",
  );
});
