import { defined } from "../../defined.ts";
import type { BroughtSection } from "../prompt/prompt-section.ts";
import type { InstructionFile } from "./read-instructions.ts";

/** Instructions of a project, by their audience. */
export interface ProjectInstructions {
  claudeMd?: string;
  agentsMd?: string;
}

/** The instructions in a system prompt, for the agents that work for its session. */
export function projectInstructions(sections: readonly BroughtSection[]): ProjectInstructions {
  const textOf = (kind: InstructionFile["kind"]): string =>
    sections
      .filter(({ name }) => name === kind)
      .map(({ text }) => text)
      .join("\n\n");
  const agentsMd = textOf("AGENTS.md");
  const claudeMd = textOf("CLAUDE.md");
  return defined({
    agentsMd: agentsMd || undefined,
    claudeMd: claudeMd || undefined,
  });
}
