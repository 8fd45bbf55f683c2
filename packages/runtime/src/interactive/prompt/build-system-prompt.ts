import type { SystemPromptReport } from "../../context/prompt-report.ts";
import { type FittedSections, tokensIn } from "./fit-sections.ts";
import type { PromptSection } from "./prompt-section.ts";

/** A system prompt, in the two parts that a session records, and the account of its sections. */
export interface SystemPrompt {
  /** The runtime's own sections. */
  systemMessage: string;
  /** Sections from files, after the system message. An imported session loses them: they are of its former place. */
  projectInstructions: string;
  promptReport: SystemPromptReport;
}

/** Assembles the system prompt from its sections. */
export function buildSystemPrompt(
  own: readonly PromptSection[],
  { kept, reports, budget }: FittedSections,
): SystemPrompt {
  const systemMessage = joined(own.map(({ text }) => text));
  const intros = new Set<string>();
  const projectInstructions = joined(
    kept.flatMap(({ intro, text }) =>
      intro !== undefined && intros.size < intros.add(intro).size ? [intro, text] : [text],
    ),
  );
  return {
    systemMessage,
    projectInstructions,
    promptReport: {
      budget,
      tokens: tokensIn(joined([systemMessage, projectInstructions])),
      sections: [
        ...own.map(({ name, text }) => ({
          section: name,
          tokens: tokensIn(text),
          state: "included" as const,
        })),
        ...reports,
      ],
    },
  };
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}
