/** The tools that modes know by their names, and the one that asks an agent. */
export const BUILT_IN_TOOLS: readonly string[] = [
  "Read",
  "Write",
  "Edit",
  "Glob",
  "Grep",
  "Bash",
  "WebFetch",
  "WebSearch",
  "Agent",
];

/** The built-in tool that a name seems to mean, when only its letters' case is another. */
export function builtInMeant(tool: string): string | undefined {
  if (BUILT_IN_TOOLS.includes(tool)) return undefined;
  return BUILT_IN_TOOLS.find((name) => name.toLowerCase() === tool.toLowerCase());
}
