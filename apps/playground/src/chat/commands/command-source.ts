const LABELS: ReadonlyMap<string, string> = new Map([
  ["builtin", "Built-in"],
  ["skill", "Skill"],
  ["plugin", "Plugin"],
  ["mcp", "MCP"],
  ["project", "Workspace"],
  ["user", "Yours"],
  ["page", "This page"],
]);

/** Names where a command comes from. A kind without a word of its own is shown as it is. */
export function labelOfSource(source: string): string {
  return LABELS.get(source) ?? source;
}
