import type { ToolItem } from "@robota/react/store";
import { expect, it } from "vitest";
import { decisionFacts } from "./decision-words.ts";

const call: ToolItem = {
  kind: "tool",
  id: "c",
  tool: "Bash",
  args: { command: "ls" },
  phase: "done",
  output: "",
};
const words = (item: Partial<ToolItem>): string[] =>
  decisionFacts({ ...call, ...item }).map(({ term, text }) => `${term}: ${text}`);

it("says why a call ran that nobody was asked about", () => {
  const rule = {
    decision: "auto",
    step: "allow",
    by: "rule",
    rule: "Bash(ls)",
    layer: "session",
    reason: "The rule Bash(ls) allows it.",
  } as const;
  expect(words({ automatic: rule })).toEqual([
    "Decision: Allowed without asking",
    "By: A rule",
    "Rule: Bash(ls)",
    "From: your answers in this session",
  ]);
  const mode = { decision: "auto", step: "mode", by: "mode", reason: "It is read-only." } as const;
  expect(words({ automatic: mode })).toContain("Reason: It is read-only.");
  const hook = {
    decision: "deny",
    step: "hook",
    by: "hook",
    hook: "guard",
    reason: "No.",
  } as const;
  expect(words({ automatic: hook }).slice(0, 2)).toEqual([
    "Decision: Denied without asking. Nothing was run.",
    "By: The hook guard",
  ]);
});

it("says what a person answered, and that a question is open", () => {
  const request = { id: "r", toolCallId: "c", tool: "Bash", args: {}, reason: "No rule." };
  expect(words({ request })).toEqual(["Decision: Not answered yet", "Why asked: No rule."]);
  const decision = { allow: false, by: "person", reason: "not now" } as const;
  expect(words({ request, decision })).toEqual([
    "Decision: Denied. Nothing was run.",
    "By: You",
    "Reason: not now",
    "Why asked: No rule.",
  ]);
  expect(words({})).toEqual([]);
});
