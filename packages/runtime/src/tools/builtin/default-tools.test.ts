import { expect, it } from "vitest";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { toolProblems } from "../tool-registry.ts";
import { createDefaultTools } from "./default-tools.ts";

it("are eight, with their access and the arguments that rules match", () => {
  const tools = createDefaultTools(memoryPlatform(), "/code");
  const facts = tools.map(({ name, access, patternArgument }) => [name, access, patternArgument]);
  expect(facts.slice(0, 6).map(([name]) => name)).toEqual([
    "Bash",
    "Read",
    "Write",
    "Edit",
    "Glob",
    "Grep",
  ]);
  expect(facts.slice(6)).toEqual([
    ["WebFetch", "network", "url"],
    ["WebSearch", "network", "query"],
  ]);
  expect(tools.flatMap(toolProblems)).toEqual([]);
});
