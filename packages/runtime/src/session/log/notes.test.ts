import { expect, it } from "vitest";
import type { SessionEvent, SessionEventBody } from "./events.ts";
import { isNote, programNote } from "./notes.ts";

const header = { v: 1, seq: 1, sessionId: "s", time: 0 } as const;

it("distinguishes a session's own notes from a program's", () => {
  const stopped: SessionEvent = { ...header, type: "note", kind: "hook-stopped", data: {} };
  expect(isNote(stopped, "turn-refused", "hook-stopped")).toBe(true);
  expect(isNote(stopped, "turn-refused")).toBe(false);
  expect(isNote({ ...header, ...programNote("deployed", {}) }, "hook-stopped")).toBe(false);
  expect(isNote(undefined, "hook-stopped")).toBe(false);
});

it("does not compile with a kind that is never written", () => {
  // @ts-expect-error The kind is `hook-stopped`.
  const body: SessionEventBody = { type: "note", kind: "hook_stopped", data: {} };
  // @ts-expect-error The kind is `hook-stopped`.
  expect(isNote({ ...header, ...body }, "hook_stopped")).toBe(true);
});
