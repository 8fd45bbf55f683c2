/** The built-in commands in display order, with their descriptions. What they do loads with the first execution. */
export const BUILTIN = {
  help: "Show available commands",
  clear: "Clear conversation history",
  compact: "Compress context window (optional focus instructions)",
  mode: "Show or change permission mode",
  model: "Show or change the AI model",
  language: "Show or set response language",
  cost: "Session ID, message count, tokens and cost in US dollars",
  context: "Token usage: used / max / percentage",
  permissions: "Current mode and session-approved tools; explain a call, revoke an approval",
  resume: "Choose another session to resume",
  rename: "Name the session",
  reset: "Ask the program to reset itself",
  rewind: "Go back to an earlier turn: the conversation, the files or both",
  fork: "Continue in a new session from here or from an earlier turn",
  export: "Export the session, without secrets",
  agents: "Show the agents that work can be delegated to",
  skills: "Show the skills",
  hooks: "Show the hooks in force",
  mcp: "Show the MCP servers of the settings",
  plugins: "Show the commands of plugins",
  "reload-plugins": "Read commands, skills and plugins again",
  trust: "Show whether the workspace is trusted, and what waits for trust",
  doctor: "Check the session's settings, files and model",
  exit: "Leave the program",
} as const;

export type BuiltinName = keyof typeof BUILTIN;

export function listBuiltins(): { name: string; description: string }[] {
  return Object.entries(BUILTIN).map(([name, description]) => ({ name, description }));
}
