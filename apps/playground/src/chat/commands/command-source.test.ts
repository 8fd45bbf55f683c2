import { expect, it } from "vitest";
import { labelOfSource } from "./command-source.ts";

it("names where a command comes from, and shows a kind that has no word as it is", () => {
  expect(["builtin", "mcp", "project", "team"].map(labelOfSource)).toEqual([
    "Built-in",
    "MCP",
    "Workspace",
    "team",
  ]);
});
