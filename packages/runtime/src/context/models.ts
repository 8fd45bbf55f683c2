import type { TokenUsage } from "../messages/message.ts";

/** US dollars per million tokens. Prices left out equal `input`. */
export interface ModelPrices {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** Abilities of a model that requests depend on. */
export interface ModelCapabilities {
  images: boolean;
  /** True for models that can think before they answer. */
  thinking: boolean;
}

/** Facts about a model, from its provider's documentation. */
export interface ModelDefinition {
  /** Id in the provider's API. */
  id: string;
  /** Name for people. */
  name: string;
  /** Tokens of input and output together. */
  contextWindow: number;
  /** Maximum tokens of an answer. */
  maxOutput: number;
  prices?: ModelPrices;
  capabilities?: ModelCapabilities;
}

/** Context window of unknown models, in tokens. */
export const DEFAULT_CONTEXT_WINDOW = 200_000;

const ALL: ModelCapabilities = { images: true, thinking: true };

function claude(
  id: string,
  name: string,
  contextWindow: number,
  maxOutput: number,
  input: number,
): ModelDefinition {
  // Anthropic's price list keeps these ratios for all models here: output 5, cache reads 0.1, 5-minute cache writes 1.25.
  const prices = { input, output: input * 5, cacheRead: input / 10, cacheWrite: input * 1.25 };
  return { id, name, contextWindow, maxOutput, prices, capabilities: ALL };
}

function gpt(
  id: string,
  name: string,
  contextWindow: number,
  input: number,
  output: number,
): ModelDefinition {
  // OpenAI's cached input costs a tenth for all models here; 128,000 is their limit of one answer.
  const prices = { input, output, cacheRead: input / 10 };
  return { id, name, contextWindow, maxOutput: 128_000, prices, capabilities: ALL };
}

function byId(models: readonly ModelDefinition[]): Readonly<Record<string, ModelDefinition>> {
  return Object.fromEntries(models.map((model) => [model.id, model]));
}

/**
 * Claude 4.5 and newer. Names, windows and prices of 4.7 and later: platform.claude.com, models and pricing pages, as
 * of October 2026; windows of 4.5 and 4.6: the specification.
 */
export const CLAUDE_MODELS: Readonly<Record<string, ModelDefinition>> = byId([
  claude("claude-opus-5", "Claude Opus 5", 1_000_000, 128_000, 5),
  claude("claude-sonnet-5", "Claude Sonnet 5", 1_000_000, 128_000, 3),
  claude("claude-opus-4-8", "Claude Opus 4.8", 1_000_000, 128_000, 5),
  claude("claude-opus-4-7", "Claude Opus 4.7", 1_000_000, 128_000, 5),
  claude("claude-opus-4-6", "Claude Opus 4.6", 1_000_000, 128_000, 5),
  claude("claude-sonnet-4-6", "Claude Sonnet 4.6", 200_000, 64_000, 3),
  claude("claude-opus-4-5", "Claude Opus 4.5", 200_000, 64_000, 5),
  claude("claude-opus-4-5-20251101", "Claude Opus 4.5", 200_000, 64_000, 5),
  claude("claude-sonnet-4-5", "Claude Sonnet 4.5", 200_000, 64_000, 3),
  claude("claude-sonnet-4-5-20250929", "Claude Sonnet 4.5", 200_000, 64_000, 3),
  claude("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000, 1),
  claude("claude-haiku-4-5-20251001", "Claude Haiku 4.5", 200_000, 64_000, 1),
]);

/** Windows and prices (below the long-context surcharge): developers.openai.com, models and pricing pages, as of August 2026. */
export const OPENAI_MODELS: Readonly<Record<string, ModelDefinition>> = byId([
  gpt("gpt-5.5", "GPT-5.5", 1_000_000, 5, 30),
  gpt("gpt-5.4", "GPT-5.4", 1_050_000, 2.5, 15),
  gpt("gpt-5.4-mini", "GPT-5.4 mini", 400_000, 0.75, 4.5),
  gpt("gpt-5.4-nano", "GPT-5.4 nano", 400_000, 0.2, 1.25),
  gpt("gpt-5.2", "GPT-5.2", 400_000, 1.75, 14),
  gpt("gpt-5", "GPT-5", 400_000, 1.25, 10),
  gpt("gpt-5-mini", "GPT-5 mini", 400_000, 0.25, 2),
]);

/** Finds a model by its id, first among the given `models`. */
export function findModel(
  id: string,
  models: readonly ModelDefinition[] = [],
): ModelDefinition | undefined {
  const own = models.find((model) => model.id === id);
  if (own) return own;
  for (const catalog of [CLAUDE_MODELS, OPENAI_MODELS])
    if (Object.hasOwn(catalog, id)) return catalog[id];
  return undefined;
}

/** The window of a model in tokens, or the default for an unknown one. */
export function getModelContextWindow(id: string, models?: readonly ModelDefinition[]): number {
  return findModel(id, models)?.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
}

/** A model's name for people, or the id of an unknown one. */
export function getModelName(id: string, models?: readonly ModelDefinition[]): string {
  return findModel(id, models)?.name ?? id;
}

/** `1500` as `1.5K`, `999999` as `1M`, `0` as `0K`, anything else below a thousand as `<1K`. */
export function formatTokenCount(count: number): string {
  if (count <= 0) return "0K";
  if (count < 1000) return "<1K";
  const thousands = Math.round(count / 100) / 10;
  return thousands < 1000 ? `${thousands}K` : `${Math.round(count / 100_000) / 10}M`;
}

/** The cost of a call in US dollars, or `undefined` for a model without known prices. */
export function costOf(
  usage: TokenUsage,
  model: string,
  models?: readonly ModelDefinition[],
): number | undefined {
  const prices = findModel(model, models)?.prices;
  if (!prices) return undefined;
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  const millionths =
    usage.inputTokens * input +
    usage.outputTokens * output +
    usage.cacheReadTokens * cacheRead +
    usage.cacheWriteTokens * cacheWrite;
  return millionths / 1_000_000;
}

/** The usage of a model's answer beside a session's own, with its price where known. */
export function pricedUsage(
  usage: TokenUsage,
  { model }: { readonly model: string },
  models: readonly ModelDefinition[] | undefined,
): { usage: TokenUsage; model: string; cost?: number } {
  const cost = costOf(usage, model, models);
  return { usage, model, ...(cost !== undefined && { cost }) };
}
