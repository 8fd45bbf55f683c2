import { ConfigurationError } from "../errors.ts";
import type { Tool } from "./tool.ts";

/**
 * The tools of an agent or a session, the last one of each name.
 * @throws {ConfigurationError} for a tool without one of its parts, which a program that no compiler checked may give
 */
export function toolsByName(tools: readonly Tool[] = []): Map<string, Tool> {
  for (const [index, tool] of tools.entries()) requireParts(tool, index);
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function requireParts(tool: Partial<Tool> | undefined, index: number): void {
  const { name, description, parameters, execute } = tool ?? {};
  const parts = {
    name: typeof name === "string",
    description: typeof description === "string",
    parameters: typeof parameters === "object" && parameters !== null,
    execute: typeof execute === "function",
  };
  const missing = Object.entries(parts).flatMap(([part, isThere]) => (isThere ? [] : [part]));
  if (missing.length === 0) return;
  const subject = typeof name === "string" ? `"${name}"` : `at index ${index}`;
  throw new ConfigurationError(`The tool ${subject} lacks: ${missing.join(", ")}`, {
    hint: 'A tool has a name, a description, `parameters` as the JSON Schema of an object ({ type: "object" } for a tool without arguments), and `execute`.',
  });
}
