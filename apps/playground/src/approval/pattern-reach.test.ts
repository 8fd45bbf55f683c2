import type { TimelineEntry, ToolItem } from "@robota/react/store";
import { expect, it } from "vitest";
import { earlierCalls, patternMeaning, patternProblem, wouldAllow } from "./pattern-reach.ts";
import { whyAsked } from "./why-asked.ts";

const bash = (command: string) => ({ tool: "Bash", args: { command } });

it("judges patterns as the session's rules do", () => {
  const allows = (pattern: string, command: string) => wouldAllow(pattern, bash(command));
  expect(allows("Bash(touch *)", "touch a")).toBe(true);
  expect(allows("Bash(touch *)", "touch a && rm b")).toBe(false);
  expect(allows("Bash(touch a)", "touch b")).toBe(false);
  const edit = { tool: "Edit", args: { filePath: "src/rules.js" } };
  expect(wouldAllow("Edit(/src/**)", edit)).toBe(true);
  expect(wouldAllow("Edit(/docs/**)", edit)).toBe(false);
});

it("says what a pattern means, and what is wrong with it", () => {
  expect(patternProblem("Bash", "Bash")).toBeUndefined();
  expect(patternProblem("Bash()", "Bash")).toContain("Bash(…)");
  expect(patternProblem("Edit(a)", "Bash")).toContain("Bash(…)");
  expect(patternMeaning("Bash(sh check.sh)", "Bash")).toBe("Matches only “sh check.sh”.");
  expect(patternMeaning("WebFetch(domain:a.example)", "WebFetch")).toBe(
    "Matches every address at a.example.",
  );
});

it("finds the other calls of a session, each once", () => {
  const call = (id: string, command: string, more: Partial<ToolItem> = {}): ToolItem => ({
    kind: "tool",
    id,
    ...bash(command),
    phase: "done",
    output: "",
    ...more,
  });
  const agents = [
    {
      id: "a",
      agent: "Explore",
      work: "",
      isBackground: false,
      state: "complete" as const,
      calls: [call("3/x", "ls src")],
      startedAt: 0,
    },
  ];
  const turn = (items: ToolItem[]): TimelineEntry => ({
    kind: "turn",
    id: items[0]?.id ?? "",
    prompt: "",
    state: "complete",
    items,
    startedAt: 0,
    provider: "offline",
    model: "script-1",
    cut: false,
  });
  const timeline = [
    turn([call("1", "ls"), call("2", "touch a")]),
    turn([call("3", "ls", { agents }), call("4", "touch b"), call("5", "ls", { tool: "Read" })]),
  ];
  const found = earlierCalls(timeline, { ...bash("touch b"), toolCallId: "4" });
  expect(found.map(({ id }) => id)).toEqual(["3", "3/x", "2"]);
});

it("says why a person is asked", () => {
  const request = { id: "r", toolCallId: "c", ...bash("touch a") };
  const byMode = {
    ...request,
    reason: "No rule covers it, and the mode default asks for approval.",
  };
  expect(whyAsked(byMode).text).toBe("No rule matches. “Ask first” mode asks before commands.");
  const other = "It writes outside of the workspace.";
  expect(whyAsked({ ...request, reason: other }).text).toBe(other);
  const ruled = { ...request, reason: "", rule: "Bash(rm *)", layer: "project", command: "rm b" };
  expect(whyAsked(ruled)).toMatchObject({
    rule: "Bash(rm *)",
    place: "project",
    command: "rm b",
  });
});
