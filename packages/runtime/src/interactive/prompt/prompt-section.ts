/** A section of the system prompt, as data: every part of the runtime that says something to the model gives some. */
export interface PromptSection {
  /**
   * Kind: `role`, `cwd`, `project`, `permissions`, `tools`, `language` and `web-search` of the runtime itself;
   * `AGENTS.md`, `CLAUDE.md`, `skills` and `plugins` from files.
   */
  name: string;
  text: string;
}

/** A section from files of a project, a person or a plugin, which share a budget. */
export interface BroughtSection extends PromptSection {
  /** The file or plugin it came from, as people write it. */
  source: string;
  /** Order of the claims to the budget, the highest first; among equals the later section. */
  priority: number;
  /** Most tokens of this section, whatever is left of the budget. */
  maxTokens?: number;
  /** Text before the first section in the prompt that has the same introduction. */
  intro?: string;
}

/** A section that is known and not in the prompt, such as a file that waits for trust. */
export type OmittedSection = Pick<BroughtSection, "name" | "source" | "text"> & { reason: string };

/**
 * Claims of the kinds. Skills and plugins have a small limit of their own, so they come first, and instructions get all
 * that is left.
 */
export const SECTION_PRIORITY = { skills: 300, plugins: 200, instructions: 100 } as const;
