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

const PARTS = { name: "string", description: "string", parameters: "object", execute: "function" };

function requireParts(tool: Partial<Tool> | undefined, index: number): void {
  const { name, description, parameters, execute } = tool ?? {};
  const given: Readonly<Record<string, unknown>> = { name, description, parameters, execute };
  const missing = Object.entries(PARTS).filter(
    ([part, type]) => typeof (given[part] ?? undefined) !== type,
  );
  if (missing.length === 0) return;
  const subject = typeof name === "string" ? `"${name}"` : `at index ${index}`;
  throw new ConfigurationError(
    `The tool ${subject} lacks: ${missing.map(([part]) => part).join(", ")}`,
    { hint: 'Its `parameters` are a JSON Schema: { type: "object" } when it takes no arguments.' },
  );
}
