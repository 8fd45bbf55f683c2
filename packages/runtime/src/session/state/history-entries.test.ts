import { expect, it } from "vitest";
import type { HistoryEntry } from "../../messages/history.ts";
import { eventEntry } from "./history-entries.ts";

it("gives events that share a number entries with ids of their own", () => {
  const history: HistoryEntry[] = [];
  for (const [seq, type] of [
    [4, "hook-run"],
    [5, "mcp-server"],
    [5, "mcp-server"],
    [5, "hook-run"],
    [5, "mcp-server"],
    [6, "mcp-server"],
  ] as const)
    history.push(eventEntry({ seq, time: 0, type, data: {} }, history));
  expect(history.map(({ id }) => id)).toEqual([
    "4-hook-run",
    "5-mcp-server",
    "5-mcp-server-1",
    "5-hook-run",
    "5-mcp-server-2",
    "6-mcp-server",
  ]);
});
