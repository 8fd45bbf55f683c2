import type { EventRow } from "@robota/react/store";
import { expect, it } from "vitest";
import { undoIn } from "./past-undos.ts";

const rows = [
  { seq: 1, checkpointId: "one", paths: ["/w/a", "/w/b"] },
  { seq: 2, checkpointId: "two", paths: ["/w/a"] },
  { seq: 3, checkpointId: "one", paths: ["/w/b"] },
  { seq: 4, checkpointId: "start", paths: ["/w/c"] },
  { seq: 5, checkpointId: "one" },
].map((event) => ({ event: { ...event, type: "rewind" } }) as unknown as EventRow);

it("finds the last undoing of a turn, of the session, and of one file", () => {
  expect(undoIn(rows, "one", undefined)).toEqual({ paths: ["/w/b"], undoId: "rewind-3" });
  expect(undoIn(rows, "one", "/w/a")?.undoId).toBe("rewind-1");
  expect(undoIn(rows, undefined, "/w/c")?.undoId).toBe("rewind-4");
  expect(undoIn(rows, "two", "/w/c")).toBeUndefined();
});
