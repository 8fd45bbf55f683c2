import type { PromptSectionReport } from "../../context/prompt-report.ts";
import { CHARACTERS_PER_TOKEN } from "../../context/tracker.ts";
import { cutText } from "./cut-text.ts";
import type { BroughtSection, OmittedSection } from "./prompt-section.ts";

/** Part of a model's window for sections from files. */
const BUDGET_SHARE = 0.1;
/** So that instructions reach models with small windows too. */
const MIN_BUDGET = 2_000;
/** Fewer characters of a text than this say nothing. */
const MIN_CHARACTERS = 200;

/** Characters between two sections. */
const SEPARATOR = 2;

/** The sections that are in the prompt, with their final texts, and the account of all of them. */
export interface FittedSections {
  /** In tokens. */
  budget: number;
  kept: readonly BroughtSection[];
  reports: readonly PromptSectionReport[];
}

/**
 * Tokens for sections from files: a tenth of the window, at least 2,000, and at most half of the window. For a window
 * of 200,000 that is 40,000 characters as this runtime estimates them, the size of a `CLAUDE.md` from which on Claude
 * Code warns that it is too large; Codex reads 32 KiB of instructions by default (`project_doc_max_bytes`).
 */
export function promptBudget(contextWindow: number): number {
  return Math.floor(
    Math.min(contextWindow / 2, Math.max(MIN_BUDGET, contextWindow * BUDGET_SHARE)),
  );
}

/** Distributes the budget, in tokens: cuts the first section that does not fit, and omits those that get nothing. */
export function fitSections(
  sections: readonly BroughtSection[],
  budget: number,
  omitted: readonly OmittedSection[] = [],
): FittedSections {
  const inOrder = [...sections.entries()].toSorted(
    ([one, { priority: first }], [other, { priority: second }]) => second - first || other - one,
  );
  const intros = new Set<string>();
  const fitted = new Map<number, Fitted>();
  let left = budget * CHARACTERS_PER_TOKEN;
  for (const [index, section] of inOrder) {
    const intro = section.intro ?? "";
    if (!intros.has(intro)) left -= intro.length;
    const result = fit(section, left);
    fitted.set(index, result);
    left -= result.text.length + SEPARATOR;
    if (result.text !== "") intros.add(intro);
    else if (!intros.has(intro)) left += intro.length;
  }
  return {
    budget,
    kept: sections.flatMap((section, index) => {
      const { text = "" } = fitted.get(index) ?? {};
      return text === "" ? [] : [{ ...section, text }];
    }),
    reports: [
      ...sections.flatMap((_, index) => fitted.get(index)?.report ?? []),
      ...omitted.map(({ name, source, text, reason }) => ({
        section: name,
        source,
        tokens: 0,
        wholeTokens: tokensIn(text),
        state: "omitted" as const,
        reason,
      })),
    ],
  };
}

/** The tokens of a text, estimated. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

interface Fitted {
  text: string;
  report: PromptSectionReport;
}

function fit(section: BroughtSection, left: number): Fitted {
  const { name, source, text, maxTokens = Infinity } = section;
  const limit = Math.min(left, maxTokens * CHARACTERS_PER_TOKEN);
  const whole = { section: name, source, tokens: tokensIn(text) };
  if (text.length <= limit) return { text, report: { ...whole, state: "included" } };
  const reason = limit < left ? "it is over its limit" : "the budget of the system prompt is used";
  const characters = limit - markerOf(text.length, source).length;
  const wholeTokens = whole.tokens;
  if (characters < MIN_CHARACTERS)
    return { text: "", report: { ...whole, tokens: 0, wholeTokens, state: "omitted", reason } };
  const { text: beginning, cutOff } = cutText(text, characters);
  const cut = beginning + markerOf(cutOff, source);
  return {
    text: cut,
    report: { ...whole, tokens: tokensIn(cut), wholeTokens, state: "cut", reason },
  };
}

function markerOf(characters: number, source: string): string {
  return `\n\n[Cut here: ${characters} more characters of ${source} are not shown.]`;
}
