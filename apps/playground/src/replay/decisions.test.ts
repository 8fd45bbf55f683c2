import type { SessionEvent } from "@robota/runtime";
import { expect, it } from "vitest";
import { decisionsAt } from "./decisions.ts";

const head = (seq: number) => ({ v: 1, seq, sessionId: "s", time: seq }) as const;

it("says what was decided up to a point, about which call and by whom", () => {
  const request = { id: "r", toolCallId: "c", tool: "Bash", args: { command: "ls" }, reason: "" };
  const events: SessionEvent[] = [
    { ...head(1), type: "permission_request", request },
    {
      ...head(2),
      type: "permission_decision",
      requestId: "r",
      toolCallId: "c",
      decision: { allow: true, by: "person", scope: "session" },
    },
    {
      ...head(3),
      type: "permission_auto",
      toolCallId: "d",
      tool: "Read",
      decision: "deny",
      step: "deny",
      by: "rule",
      rule: "Read(.env)",
      reason: "",
    },
    { ...head(4), type: "mode_change", mode: "acceptEdits" },
    {
      ...head(5),
      type: "permission_auto",
      toolCallId: "e",
      tool: "Bash",
      decision: "deny",
      step: "hook",
      by: "hook",
      hook: "PreToolUse",
      reason: "",
    },
  ];
  const texts = (position: number) => decisionsAt(events, position).map(({ text }) => text);
  expect(texts(1)).toEqual([]);
  expect(texts(3)).toEqual([
    "Bash ls: allowed by you for this session",
    "Read: denied by Read(.env)",
  ]);
  expect(texts(5).slice(2)).toEqual(["Mode: Accept edits", "Bash: denied by a hook"]);
});
