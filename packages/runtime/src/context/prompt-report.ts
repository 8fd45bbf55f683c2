/** The report on one section of a system prompt: its size, and whether it was cut or left out. */
export interface PromptSectionReport {
  /** Kind of the section, such as `role`, `AGENTS.md` or `skills`. */
  section: string;
  /** The file or plugin it came from, as people write it; left out for the runtime's own text. */
  source?: string;
  /** Tokens in the prompt, estimated from the characters. */
  tokens: number;
  /** Tokens of the whole text, when less or nothing of it is in the prompt. */
  wholeTokens?: number;
  state: "included" | "cut" | "omitted";
  /** The cause, when it was cut or omitted. */
  reason?: string;
}

/** The content of a session's system prompt, for a person. */
export interface SystemPromptReport {
  /** Tokens that the sections from files and plugins may have together; the runtime's own are always whole. */
  budget: number;
  /** Tokens of the whole prompt, estimated. */
  tokens: number;
  /** Every section, in the order of the prompt, with those left out at their place. */
  sections: readonly PromptSectionReport[];
}
