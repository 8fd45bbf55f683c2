import type { EventRow } from "@robota/react/store";
import type { SessionEvent } from "@robota/runtime";
import { expect, it } from "vitest";
import { type EventFilter, type EventLine, listEvents } from "./list-events.ts";

let seq = 0;
const head = () => ({ v: 1, seq: ++seq, sessionId: "s", time: seq }) as const;
const inTurn = (turnId: string) => ({ ...head(), turnId });
const rowOf = (event: SessionEvent): EventRow => ({ event, count: 1 });

function sessionRows(): EventRow[] {
  const hook = {
    type: "hook_run",
    event: "UserPromptSubmit",
    matcher: "",
    hook: "command true",
    exitCode: 0,
    durationMs: 1,
    outcome: "allowed",
  } as const;
  const events: SessionEvent[] = [
    { ...head(), type: "session_resume", cut: false },
    { ...inTurn("one"), ...hook },
    { ...inTurn("one"), type: "turn_start", input: "list files" },
    {
      ...inTurn("one"),
      type: "tool_start",
      toolCallId: "c",
      tool: "Bash",
      args: {},
      firstArg: "ls",
    },
    { ...inTurn("one"), type: "turn_end", state: "complete", response: "done" },
    { ...inTurn("two"), type: "turn_start", input: "again" },
    { ...head(), type: "mode_change", mode: "plan" },
  ];
  return events.map(rowOf);
}

function linesOf(
  rows: readonly EventRow[],
  filter: Partial<EventFilter> = {},
  closed: readonly string[] = [],
): string[] {
  const steps = listEvents(rows, { text: "", type: "", ...filter }, new Set(closed));
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value.map((line: EventLine) =>
    line.kind === "turn" ? `${line.prompt} (${line.count})` : line.row.event.type,
  );
}

it("groups events by their turns, oldest first, under the prompts", () => {
  expect(linesOf(sessionRows())).toEqual([
    "session_resume",
    "list files (4)",
    "hook_run",
    "turn_start",
    "tool_start",
    "turn_end",
    "again (1)",
    "turn_start",
    "mode_change",
  ]);
});

it("leaves out what a type or a text does not match, and counts what is in a closed turn", () => {
  expect(linesOf(sessionRows(), { type: "tool" })).toEqual(["list files (1)", "tool_start"]);
  expect(linesOf(sessionRows(), { text: "BASH LS" })).toEqual(["list files (1)", "tool_start"]);
  expect(linesOf(sessionRows(), { text: "nothing like it" })).toEqual([]);
  expect(linesOf(sessionRows(), {}, ["one"])).toEqual([
    "session_resume",
    "list files (4)",
    "again (1)",
    "turn_start",
    "mode_change",
  ]);
});

it("breathes at least every 500 events", () => {
  const rows = Array.from({ length: 20_000 }, () =>
    rowOf({ ...inTurn("one"), type: "mode_change", mode: "plan" }),
  );
  const steps = listEvents(rows, { text: "plan", type: "" }, new Set());
  let pauses = 0;
  while (!steps.next().done) pauses += 1;
  expect(pauses).toBe(40);
});
