import type { JsonObject } from "../../messages/message.ts";
import type { ChatOptions, ReasoningEffort } from "../provider.ts";
import type { NameRule } from "../../fitting-name.ts";
import { effort, wantedEffort } from "./effort.ts";

/** Differences between servers that speak Chat Completions. */
export interface ChatDialect {
  /** Name of the field that limits an answer. */
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** True when the server accepts `stream_options`, which requests the usage of a streamed answer. */
  streamUsage: boolean;
  /** Name of the field that returns its thoughts, with the calls that they led to. */
  reasoningField: "reasoning_content" | "reasoning";
  /** Request form for thinking: `reasoning_effort`, an object `reasoning`, or an object `thinking`. */
  thinking: "effort" | "reasoning" | "type";
  /** Ids of calls that it accepts; absent for a server that accepts any, or that puts data of its own into its ids. */
  callIds?: NameRule;
  /** Request fields that enable its own web search; absent without one. */
  webSearch?: JsonObject;
}

/** The most common dialect. */
export const COMMON_DIALECT: ChatDialect = {
  maxTokensField: "max_tokens",
  streamUsage: true,
  reasoningField: "reasoning_content",
  thinking: "effort",
};

/** The service itself has renamed the limit of an answer. */
export const SERVICE_DIALECT: ChatDialect = {
  ...COMMON_DIALECT,
  maxTokensField: "max_completion_tokens",
  callIds: { maxLength: 40, rejected: /[^\w.:|/-]/g },
};

/** The request fields that enable thinking, and say how thorough it is; none by default. */
export function thinkingFields(
  dialect: ChatDialect,
  { thinking, effort: wanted }: ChatOptions,
  model: string,
): JsonObject {
  if (dialect.thinking === "type") return thinking ? { thinking: { type: "enabled" } } : {};
  if (dialect.thinking === "reasoning") {
    if (wanted !== undefined) return { reasoning: { effort: upToHigh(wanted) } };
    if (!thinking) return {};
    return {
      reasoning: thinking === true ? { enabled: true } : { max_tokens: thinking.budgetTokens },
    };
  }
  const reasoning = wantedEffort(wanted, model) ?? effort(thinking);
  return reasoning ? { reasoning_effort: reasoning } : {};
}

/** The levels that servers for models of many services have in common. */
function upToHigh(wanted: ReasoningEffort): string {
  return wanted === "xhigh" || wanted === "max" ? "high" : wanted;
}
