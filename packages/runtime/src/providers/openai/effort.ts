import type { ReasoningEffort } from "../provider.ts";

/** Models that reason by default; their thinking belongs to the calls that follow it. The others reject settings for it. */
export const REASONS = /^(?:o[1-9]|gpt-(?:[5-9]|\d{2})|codex)(?!.*-chat)/;
/** Those that know a level above `high`. */
const REASONS_LONG = /^gpt-(?:5\.[2-9]|[6-9]|\d{2})/;

/** The wanted effort as a model of this service knows it; nothing for one that does not reason. */
export function wantedEffort(
  wanted: ReasoningEffort | undefined,
  model: string,
): string | undefined {
  if (wanted === undefined || !REASONS.test(model)) return undefined;
  if (wanted !== "xhigh" && wanted !== "max") return wanted;
  return REASONS_LONG.test(model) ? "xhigh" : "high";
}

/** Reasoning effort for a budget in tokens; undefined leaves it to the model. */
export function effort(
  thinking: boolean | { budgetTokens: number } | undefined,
): string | undefined {
  if (typeof thinking !== "object") return undefined;
  if (thinking.budgetTokens < 4_096) return "low";
  return thinking.budgetTokens < 16_384 ? "medium" : "high";
}
