/** The built-in commands in display order, with their descriptions. What they do loads with the first execution. */
export const BUILTIN = {
  help: "Show available commands",
  clear: "Clear conversation history",
  compact: "Compress context window (optional focus instructions)",
  mode: "Show or change permission mode",
  model: "Show or change AI model",
  language: "Show or set response language",
  cost: "Session ID, message count and cost",
  context: "Token usage: used / max / percentage",
  permissions: "Current mode and session-approved tools",
  resume: "Resume another session",
  rename: "Rename the session",
  reset: "Reset the program",
  rewind: "Go back to an earlier turn",
  fork: "Continue in a new session",
  export: "Export the session",
  agents: "Show agents",
  skills: "Show skills",
  hooks: "Show hooks",
  mcp: "Show MCP servers",
  plugins: "Show, install, update and remove plugins",
  "reload-plugins": "Reload plugins",
  trust: "Show, give or revoke trust in the workspace",
  doctor: "Check the session",
  exit: "Leave the program",
} as const;

export type BuiltinName = keyof typeof BUILTIN;

export function listBuiltins(): { name: string; description: string }[] {
  return Object.entries(BUILTIN).map(([name, description]) => ({ name, description }));
}
