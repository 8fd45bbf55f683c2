// The names of built-in tools that people write in rules. What these tools do is in `tool-facts.ts`, which sessions load later.

/** The built-in tools that modes decide about. */
export const NAMED_TOOLS = [
  "Read",
  "Glob",
  "Grep",
  "Write",
  "Edit",
  "Bash",
  "WebFetch",
  "WebSearch",
] as const;
export const AGENT = "Agent";
/** The same, and the one that asks an agent. */
export const BUILT_IN_TOOLS: readonly string[] = [...NAMED_TOOLS, AGENT];

/** Rules about reading any file, by any tool. */
export const READING = "Read";
/** Rules that speak of changing any file. */
export const WRITING: readonly string[] = ["Write", "Edit"];
export const COMMANDS = "Bash";
/** Rules about addresses, by any tool. */
export const ADDRESSES = "WebFetch";
/** Rules that a provider's own search of the web is under, too. */
export const WEB_SEARCH = "WebSearch";

/** The built-in tool that a name seems to mean, when only its letters' case is another. */
export function builtInMeant(tool: string): string | undefined {
  if (BUILT_IN_TOOLS.includes(tool)) return undefined;
  return BUILT_IN_TOOLS.find((name) => name.toLowerCase() === tool.toLowerCase());
}
