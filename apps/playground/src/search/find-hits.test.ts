import type { TimelineEntry, TurnItem } from "@robota/react/store";
import { expect, it } from "vitest";
import { findHits } from "./find-hits.ts";

function turn(id: string, prompt: string, items: readonly TurnItem[]): TimelineEntry {
  const state = "complete" as const;
  return {
    kind: "turn",
    id,
    prompt,
    state,
    items,
    startedAt: 0,
    provider: "",
    model: "",
    cut: false,
  };
}

const timeline: readonly TimelineEntry[] = [
  turn("one", "Find the Needle", [
    { kind: "text", id: "text", text: "There is no such thing.", streaming: false },
    {
      kind: "tool",
      id: "call",
      tool: "Grep",
      args: { pattern: "needle", limits: { lines: 3 } },
      phase: "done",
      output: "hay.txt",
    },
  ]),
  { kind: "divider", id: "mark", label: "Summarised", detail: "A needle was looked for" },
  turn("two", "Go on", [{ kind: "thinking", id: "thought", text: "Hay, then.", streaming: false }]),
];

it("finds a text in messages, answers, thoughts, marks, and in what calls were given and gave", () => {
  const idsOf = (text: string) => findHits(timeline, text).map(({ itemId }) => itemId);
  expect(idsOf("needle")).toEqual(["one", "call", "mark"]);
  expect(idsOf("HAY")).toEqual(["call", "thought"]);
  expect(idsOf('"lines":3')).toEqual(["call"]);
  expect(idsOf("straw")).toEqual([]);
});

it("finds nothing for nothing", () => {
  expect(findHits(timeline, "  ")).toEqual([]);
});
