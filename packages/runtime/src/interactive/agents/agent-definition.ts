/** A kind of agent to which a session can delegate work. */
export interface AgentDefinition {
  name: string;
  /** Its purpose: the model chooses by it. */
  description: string;
  systemPrompt: string;
  /** An id, or one of `opus`, `sonnet`, `haiku`. The session's own when omitted. */
  model?: string;
  /** Tool rounds after which the final answer is requested; 100 when omitted, and at most. */
  maxTurns?: number;
  /** Names of the tools that it has; all of the session's when omitted. */
  tools?: readonly string[];
  /** Names of tools that it never gets, regardless of `tools`. */
  disallowedTools?: readonly string[];
  /** `read-only`: it has no tool that changes anything, and only read-only commands. */
  access?: "read-only";
  /** `overlay`: it works on a copy of the files, and a person decides whether its changes are kept. */
  isolation?: "overlay";
}

export const GENERAL_PURPOSE = "general-purpose";

/** The agents that every session has. */
export const BUILT_IN_AGENTS: readonly AgentDefinition[] = [
  {
    name: GENERAL_PURPOSE,
    description:
      "Tasks of several steps that fit into one prompt, such as a search with many attempts.",
    systemPrompt:
      "You do one task for another agent. Do what was asked, completely, and nothing beyond it. Read before you change something, and check your work.",
  },
  {
    name: "Explore",
    description: "Explores the files and answers questions about them. It changes nothing.",
    systemPrompt:
      "You explore files for another agent. Find what was asked for with searches and by reading, and answer with paths, names and short quotes. You can't change anything.",
    model: "claude-haiku-4-5",
    disallowedTools: ["Write", "Edit"],
    access: "read-only",
  },
  {
    name: "Plan",
    description: "Investigates a change and writes a plan for it. It changes nothing.",
    systemPrompt:
      "You plan work for another agent. Read what matters, then write a plan in steps: which files change and how, in what order, and how to check the result. Name what is uncertain. You can't change anything.",
    disallowedTools: ["Write", "Edit"],
    access: "read-only",
  },
];
