import { emptyView, type SessionView, type TurnView } from "@robota/react/store";
import { describe, expect, it } from "vitest";
import { findPlan } from "./find-plan.ts";

function viewOf(
  text: string,
  changes: Partial<SessionView> = {},
  state: TurnView["state"] = "complete",
) {
  const turn: TurnView = {
    kind: "turn",
    id: "turn",
    prompt: "Plan it",
    state,
    items: [{ kind: "text", id: "text", text, streaming: false }],
    startedAt: 0,
    provider: "",
    model: "",
    cut: false,
  };
  return { ...emptyView, mode: "plan" as const, timeline: [turn], ...changes };
}

describe("findPlan", () => {
  it.each([
    "Plan:\n1. list\n2. write a.txt",
    "I'd do this:\n\n- Read the file,\n  then think\n\n- Change it",
    "1) One\n2) Two",
  ])("takes steps for a plan: %j", (text) => {
    expect(findPlan(viewOf(text), "turn")?.text).toBe(text);
  });

  it.each(["It slugs a text.", "1. Only one step", "A line - with a dash\nand - another"])(
    "takes an answer for none: %j",
    (text) => {
      expect(findPlan(viewOf(text), "turn")).toBeUndefined();
    },
  );

  it("finds none in another mode, in a turn that runs, and in one that is not the last", () => {
    const text = "1. One\n2. Two";
    expect(findPlan(viewOf(text, { mode: "default" }), "turn")).toBeUndefined();
    expect(findPlan(viewOf(text, {}, "running"), "turn")).toBeUndefined();
    expect(findPlan(viewOf(text), "another")).toBeUndefined();
  });
});
