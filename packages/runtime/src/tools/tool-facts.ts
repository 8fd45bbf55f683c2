import type { ToolFacts } from "./tool.ts";

/** Copies the facts of a tool for one that stands in its place. */
export function toolFacts({
  access,
  patternArgument,
  patternKind,
  startsAgents,
}: ToolFacts): ToolFacts {
  return {
    access,
    patternArgument,
    patternKind,
    startsAgents,
  };
}
