import type { SessionEvent } from "@robota/runtime";
import { expect, it } from "vitest";
import { filesAt } from "./past-files.ts";

const head = (seq: number) => ({ v: 1, seq, sessionId: "s", time: seq }) as const;

function edited(
  seq: number,
  path: string,
  before: string | null,
  after: string | null,
): SessionEvent {
  const message = {
    id: `m${seq}`,
    role: "tool",
    toolCallId: "c",
    name: "Edit",
    content: "",
  } as const;
  return {
    ...head(seq),
    type: "tool_end",
    toolCallId: "c",
    tool: "Edit",
    message: { ...message, timestamp: new Date(0) },
    outcome: { success: true, durationMs: 1, changes: [{ path, before, after }] },
  };
}

it("has each file's first text and the one at the point, and names what only a command changed", () => {
  const events: SessionEvent[] = [
    edited(1, "/b", "one", "two"),
    edited(2, "/b", "two", "three"),
    { ...head(3), turnId: "t", type: "files_before", files: [{ path: "/c", before: null }] },
    edited(4, "/a", null, "new"),
    edited(5, "/b", "three", "one"),
  ];
  expect(filesAt(events, 0)).toEqual({ changes: [], others: [] });
  expect(filesAt(events, 2).changes).toEqual([{ path: "/b", before: "one", after: "three" }]);
  expect(filesAt(events, 5)).toEqual({
    changes: [{ path: "/a", before: null, after: "new" }],
    others: ["/c"],
  });
});

it("goes back with a rewind of files, and forward when that is undone", () => {
  const turn = { type: "turn_start", input: "" } as const;
  const events: SessionEvent[] = [
    { ...head(1), ...turn, turnId: "first" },
    edited(2, "/a", null, "one"),
    { ...head(3), ...turn, turnId: "second" },
    edited(4, "/a", "one", "two"),
    { ...head(5), type: "rewind", checkpointId: "second", what: "files" },
    { ...head(6), type: "files_before", files: [{ path: "/a", before: null }] },
    { ...head(7), type: "rewind", checkpointId: "rewind-5", what: "both" },
  ];
  const textAt = (position: number) => filesAt(events, position).changes[0]?.after;
  expect([2, 4, 5, 6, 7].map(textAt)).toEqual(["one", "two", "one", "one", "two"]);
});
