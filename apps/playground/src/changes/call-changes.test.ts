import type { EventRow } from "@robota/react/store";
import { expect, it } from "vitest";
import { pathsOfCall } from "./call-changes.ts";

const rows = [
  { type: "tool_start", toolCallId: "one" },
  { type: "files_before", files: [{ path: "/w/a" }] },
  { type: "tool_end", toolCallId: "one" },
  { type: "files_before", files: [{ path: "/w/b" }] },
  { type: "tool_start", toolCallId: "two" },
  { type: "files_before", files: [{ path: "/w/c" }] },
  { type: "turn_end" },
  { type: "files_before", files: [{ path: "/w/by-hand" }] },
].map((event) => ({ event: { ...event, turnId: "turn" } }) as unknown as EventRow);

it("gives a call the files that were recorded from its start to the next call, or to the turn's end", () => {
  expect(pathsOfCall(rows, "one")).toEqual({ turnId: "turn", paths: ["/w/a", "/w/b"] });
  expect(pathsOfCall(rows, "two")).toEqual({ turnId: "turn", paths: ["/w/c"] });
  expect(pathsOfCall(rows, "three")).toBeUndefined();
});
