import type { ToolItem, TurnItem, TurnView } from "@robota/react/store";
import { expect, it } from "vitest";
import { endingOf, suggestionsIn } from "./turn-ending.ts";

const turn = (items: readonly TurnItem[]): TurnView => ({
  kind: "turn",
  id: "t",
  prompt: "go",
  state: "complete",
  items,
  startedAt: 0,
  provider: "offline",
  model: "script-1",
  cut: false,
});
const call = (
  tool: string,
  args: ToolItem["args"],
  phase: ToolItem["phase"],
  ...changed: string[]
): ToolItem => ({
  kind: "tool",
  id: `${tool}-${phase}`,
  tool,
  args,
  phase,
  output: "",
  outcome: {
    success: phase === "done",
    durationMs: 1,
    changes: changed.map((path) => ({ path, before: "a", after: "b" })),
  },
});

it("says whether the last test run passed, and counts files once", () => {
  const check = { command: "sh check.sh" };
  const path = "/workspace/src/rules.js";
  expect(
    endingOf(
      turn([
        call("shell", check, "failed"),
        call("change", {}, "done", path),
        call("change", {}, "done", path),
        call("shell", check, "done"),
      ]),
    ),
  ).toBe("Tests pass. 1 file changed.");
  expect(endingOf(turn([call("change", {}, "denied"), call("shell", check, "failed")]))).toBe(
    "Tests fail. No files changed.",
  );
  expect(endingOf(turn([]))).toBe("No files changed.");
});

it("finds the commands that a refusal names, and none in another text", () => {
  const text =
    "I'm a script.\n\nClosest commands:\n- `list [glob]`: lists files\n- `help`: shows this";
  const said: TurnItem = { kind: "text", id: "m", text, streaming: false };
  expect(suggestionsIn(turn([said]))).toEqual(["list [glob]", "help"]);
  expect(suggestionsIn({ ...turn([said]), provider: "openai" })).toEqual([]);
  expect(suggestionsIn(turn([{ ...said, text: "- `a`: b" }]))).toEqual([]);
});
