import type { TokenUsage } from "../messages/message.ts";
import type { Attributes } from "./telemetry.ts";

/** Type of the error of work that was cut: by an abort, a crash, or the end of the observation. */
export const INTERRUPTED = "interrupted";

/** Names of providers that the conventions know under another name than this package. */
const PROVIDER_NAMES: Record<string, string> = { gemini: "gcp.gemini", google: "gcp.gemini" };

/** A model and its provider, as far as they are known. */
export interface ModelNames {
  provider?: string | undefined;
  model?: string | undefined;
}

/** The attributes of a request to a model. */
export function modelAttributes({ provider, model }: ModelNames): Attributes {
  return {
    "gen_ai.provider.name": provider === undefined ? undefined : providerName(provider),
    "gen_ai.request.model": model,
  };
}

function providerName(provider: string): string {
  return Object.hasOwn(PROVIDER_NAMES, provider) ? (PROVIDER_NAMES[provider] ?? "") : provider;
}

/** The attributes of used tokens. The conventions count cached tokens as input, `TokenUsage` does not. */
export function usageAttributes(usage: TokenUsage | undefined): Attributes {
  if (!usage) return {};
  return {
    "gen_ai.usage.input_tokens": inputTokens(usage),
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
  };
}

/** Every token that was sent, from a cache or not. */
export function inputTokens(usage: TokenUsage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}
