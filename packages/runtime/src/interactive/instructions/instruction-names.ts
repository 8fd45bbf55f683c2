/** Names that agents of any vendor read, and that of Claude Code. */
export const INSTRUCTION_FILES = ["AGENTS.md", "CLAUDE.md"] as const;
