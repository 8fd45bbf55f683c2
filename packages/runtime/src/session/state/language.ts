import type { PromptSectionReport, SystemPromptReport } from "../../context/prompt-report.ts";
import { CHARACTERS_PER_TOKEN } from "../../context/tracker.ts";

const SENTENCE = /(^|\n\n)Answer in [^\n]{1,40}\.(?=\n\n|$)/u;

/** The system message with a paragraph that asks for answers in this language, in place of a former one; without one for none. */
export function withLanguage(systemMessage: string, language: string | undefined): string {
  if (language === undefined) return systemMessage.replace(SENTENCE, "").replace(/^\n\n/, "");
  const sentence = `Answer in ${language}.`;
  if (SENTENCE.test(systemMessage))
    return systemMessage.replace(SENTENCE, (_, before: string) => before + sentence);
  return systemMessage === "" ? sentence : `${systemMessage}\n\n${sentence}`;
}

/** The report of a system prompt after `withLanguage`. */
export function reportWithLanguage(
  report: SystemPromptReport | undefined,
  language: string | undefined,
): SystemPromptReport | undefined {
  if (!report) return undefined;
  const before = report.sections.findIndex(isLanguage);
  const others = report.sections.filter((section) => !isLanguage(section));
  // A new paragraph stands at the end of the system message, before the sections from files.
  const at = before >= 0 ? before : others.findLastIndex(({ source }) => source === undefined) + 1;
  const tokens =
    language === undefined ? 0 : Math.ceil(`Answer in ${language}.`.length / CHARACTERS_PER_TOKEN);
  const section: PromptSectionReport = { section: "language", tokens, state: "included" };
  const former = report.sections[before]?.tokens ?? 0;
  return {
    ...report,
    tokens: report.tokens - former + tokens,
    sections: language === undefined ? others : others.toSpliced(at, 0, section),
  };
}

function isLanguage({ section }: PromptSectionReport): boolean {
  return section === "language";
}
