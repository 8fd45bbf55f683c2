import type { SystemPromptReport } from "../../context/prompt-report.ts";
import type { SystemPromptChoice } from "../options.ts";
import type { SystemPrompt } from "./build-system-prompt.ts";
import { tokensIn } from "./fit-sections.ts";
import type { PromptSection } from "./prompt-section.ts";

/** Sections that a given system prompt does not replace: a person chooses them by settings of their own. */
const KEPT: ReadonlySet<string> = new Set(["language", "web-search"]);

/** The runtime's own sections, replaced by the given system prompt or with the given text at their end. */
export function withGivenPrompt(
  own: readonly PromptSection[],
  { systemPrompt, appendSystemPrompt }: SystemPromptChoice,
): PromptSection[] {
  const appended =
    appendSystemPrompt === undefined ? [] : [{ name: "appended", text: appendSystemPrompt }];
  if (systemPrompt === undefined) return [...own, ...appended];
  const kept = own.filter(({ name }) => KEPT.has(name));
  return [{ name: "system-prompt", text: systemPrompt }, ...appended, ...kept];
}

/** The system prompt of a stored session with these sections of the runtime; those from files stay as recorded. */
export function replacedPrompt(
  own: readonly PromptSection[],
  recorded: SystemPromptReport | undefined,
): Pick<SystemPrompt, "systemMessage" | "promptReport"> {
  const systemMessage = own
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n\n");
  const brought = recorded?.sections.filter(({ source }) => source !== undefined) ?? [];
  const tokens = brought.reduce((sum, section) => sum + section.tokens, tokensIn(systemMessage));
  const sections = own.map(({ name, text }) => ({
    section: name,
    tokens: tokensIn(text),
    state: "included" as const,
  }));
  const budget = recorded?.budget ?? 0;
  return { systemMessage, promptReport: { budget, tokens, sections: [...sections, ...brought] } };
}
