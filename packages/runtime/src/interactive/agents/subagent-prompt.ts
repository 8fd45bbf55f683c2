import type { ProjectInstructions } from "../instructions/project-instructions.ts";

export interface SubagentPromptOptions extends ProjectInstructions {
  /** The prompt of the agent's definition. */
  agentBody: string;
  /** True for a skill's work, whose answer is limited to 500 words. */
  isForkWorker?: boolean | undefined;
}

const REPORT =
  "You work for another agent, which sees only your last message. End with a concise report: what you found or did, with paths and names, and what is left open. Nobody can answer questions meanwhile.";
const FORK_WORKER =
  "You work for another agent, which sees only your last message. Answer within 500 words, with what matters first.";

/** The text of `assembleSubagentPrompt`. */
export function subagentPrompt(options: SubagentPromptOptions): string {
  const { agentBody, claudeMd = "", agentsMd = "", isForkWorker = false } = options;
  const parts = [agentBody, claudeMd, agentsMd, isForkWorker ? FORK_WORKER : REPORT];
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}
