import type { JsonObject } from "../../messages/message.ts";
import type { ChatOptions } from "../provider.ts";
import { effort } from "./content.ts";

/** In what servers differ that speak Chat Completions. */
export interface ChatDialect {
  /** What the server calls the limit of an answer. */
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** Whether it admits `stream_options`, which asks for the usage of a streamed answer. */
  streamUsage: boolean;
  /** Under which name it wants its thoughts back, with the calls that they led to. */
  reasoningField: "reasoning_content" | "reasoning";
  /** How it is told to think: by `reasoning_effort`, by an object `reasoning`, or by an object `thinking`. */
  thinking: "effort" | "reasoning" | "type";
  /** What of a request switches its own web search on; left out when it has none. */
  webSearch?: JsonObject;
}

/** What most servers understand. */
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
};

/** The fields of a request that ask for thoughts; none when nobody asked. */
export function thinkingFields(
  dialect: ChatDialect,
  thinking: ChatOptions["thinking"],
): JsonObject {
  if (!thinking) return {};
  if (dialect.thinking === "type") return { thinking: { type: "enabled" } };
  if (dialect.thinking === "reasoning") {
    return {
      reasoning: thinking === true ? { enabled: true } : { max_tokens: thinking.budgetTokens },
    };
  }
  const reasoning = effort(thinking);
  return reasoning ? { reasoning_effort: reasoning } : {};
}
