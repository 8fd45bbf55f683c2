const BUILT_IN = [
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
  if (BUILT_IN.includes(tool)) return undefined;
  return BUILT_IN.find((name) => name.toLowerCase() === tool.toLowerCase());
}
