import type { AutomaticDecision, ToolItem } from "@robota/react/store";
import { explainPermission, type PermissionMode } from "@robota/runtime";
import { expect, it } from "vitest";
import { decisionWords } from "./decision-words.ts";

const call: ToolItem = {
  kind: "tool",
  id: "c",
  tool: "Bash",
  args: { command: "ls" },
  phase: "done",
  output: "",
};
const request = { id: "r", toolCallId: "c", tool: "Bash", args: {}, reason: "It changes .git." };

/** The sentence, and each fact in a line. */
function words(item: Partial<ToolItem>): string[] {
  const { sentence, facts } = decisionWords({ ...call, ...item }) ?? { sentence: "", facts: [] };
  return [sentence, ...facts.map(({ term, text }) => `${term}: ${text}`)];
}

it("says why a call ran that nobody was asked about", () => {
  const rule: AutomaticDecision = {
    decision: "auto",
    step: "allow",
    by: "rule",
    rule: "Bash(ls)",
    layer: "session",
    command: "ls",
    reason: "The rule Bash(ls) allows it.",
  };
  expect(words({ automatic: rule })).toEqual([
    "You were not asked, because a rule allows it.",
    "Rule: Bash(ls)",
    "From: your answers in this session",
    "About: ls",
  ]);
  expect(words({ automatic: { ...rule, layer: "skill review" } })).toContain(
    "From: the skill review",
  );
  expect(words({ automatic: { ...rule, decision: "deny", layer: "host" } }).slice(0, 3)).toEqual([
    "Nothing was run, because a rule forbids it.",
    "Rule: Bash(ls)",
    "From: your settings",
  ]);
});

it("says what a hook decided, with the hook's own reason", () => {
  const hook: AutomaticDecision = {
    decision: "deny",
    step: "hook",
    by: "hook",
    hook: "PreToolUse",
    reason: "rm is blocked",
  };
  expect(words({ automatic: hook })).toEqual([
    "Nothing was run, because a hook blocked it.",
    "Reason: rm is blocked",
  ]);
  const silent = { ...hook, decision: "auto", reason: "The hook PreToolUse decided so." } as const;
  expect(words({ automatic: silent })).toEqual([
    "You were not asked, because a hook allowed it.",
    "Reason: A hook decided so, and gave no reason.",
  ]);
});

const modes: readonly PermissionMode[] = ["plan", "default", "acceptEdits", "bypassPermissions"];
const calls: readonly [tool: string, args: Record<string, string>][] = [
  ["Bash", { command: "ls" }],
  ["Bash", { command: "touch a" }],
  ["Bash", { command: "rm -rf .git" }],
  ["Read", { filePath: "/workspace/a" }],
  ["Read", { filePath: "" }],
  ["Write", { filePath: "/workspace/a", content: "" }],
  ["WebFetch", { url: "https://example.com" }],
  ["Unknown", {}],
];

it.each(modes)("names the mode %s as the page does, whatever it decides and asks", (mode) => {
  const context = { cwd: "/workspace", roots: ["/workspace"] };
  for (const [tool, args] of calls) {
    const { decision, step, reason } = explainPermission(tool, args, mode, {}, context);
    const told = words(
      decision === "approve"
        ? { tool, args, phase: "waiting", request: { ...request, tool, args, reason } }
        : { tool, args, automatic: { decision, step, by: "mode", reason } },
    );
    const all = told.join("\n");
    expect(all).not.toMatch(
      /mode (?:plan|default|acceptEdits|bypass)|acceptEdits|bypassP|No rule covers/,
    );
    expect(all).toMatch(
      /^(?:You were not asked, because .+\.|Nothing was run, because .+\.|Nothing was run\.\nReason: .+\.|It waits for an answer\.\nWhy asked: .+\.)$/,
    );
  }
});

it("says what a person answered, with their words, and why they were asked", () => {
  const asked = "Why asked: It changes .git.";
  const denied = { allow: false, by: "person", reason: "not now" } as const;
  expect(words({ request, decision: denied })).toEqual([
    "You denied it. Nothing was run.",
    "Your reason: not now",
    asked,
  ]);
  const allowed = { allow: true, by: "person", scope: "once", updatedArgs: {} } as const;
  expect(words({ request, decision: allowed })).toEqual([
    "You allowed it this once.",
    "Changed: You edited it before it ran.",
    asked,
  ]);
  const always = { ...allowed, scope: "workspace", pattern: "Bash(ls)", updatedArgs: {} } as const;
  expect(words({ request, decision: always, phase: "denied" }).slice(0, 2)).toEqual([
    "You allowed it, and calls like it in this workspace from now on. It was refused all the same: its output says why.",
    "New rule: Bash(ls)",
  ]);
});

it("says who answered in the person's place, and that nobody did", () => {
  const decided = (by: "handler" | "hook" | "abort" | "default", allow = false, reason = "") =>
    words({ decision: { allow, by, reason } });
  expect(decided("handler", true)).toEqual(["A program answered for you and allowed it."]);
  expect(decided("hook")).toEqual(["A hook answered for you and denied it. Nothing was run."]);
  expect(decided("abort", false, "The turn was stopped.")).toEqual([
    "It was stopped before you answered. Nothing was run.",
  ]);
  expect(decided("default", false, "Nobody is available to approve it.")).toEqual([
    "Nobody could be asked. Nothing was run.",
  ]);
  expect(decided("default", false, "Its arguments contained a secret.")).toContain(
    "Reason: Its arguments contained a secret.",
  );
  expect(words({ request, phase: "stopped" })[0]).toBe(
    "Nobody answered before the turn ended. Nothing was run.",
  );
});

it("names the rule that asks, and nothing for a call that was neither decided nor asked about", () => {
  const ruled = { ...request, rule: "Bash(rm *)", layer: "workspace", command: "rm b" };
  expect(words({ request: ruled, phase: "waiting" })).toEqual([
    "It waits for an answer.",
    "Why asked: A rule asks before it.",
    "Asking rule: Bash(rm *)",
    "From: your answers in this workspace",
    "About: rm b",
  ]);
  expect(decisionWords(call)).toBeUndefined();
});
