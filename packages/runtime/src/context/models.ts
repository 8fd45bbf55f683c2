/** Prices in US dollars per million tokens. */
export interface ModelPrices {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

export interface ModelDefinition {
  id: string;
  name: string;
  /** Tokens of input and output together. */
  contextWindow: number;
  /** Tokens of one answer at the most. */
  maxOutput: number;
  prices?: ModelPrices;
}

/** For models that the catalog does not know. */
export const DEFAULT_CONTEXT_WINDOW = 200_000;

const claude = (
  id: string,
  name: string,
  contextWindow: number,
  maxOutput: number,
): ModelDefinition => ({
  id,
  name,
  contextWindow,
  maxOutput,
});

/** Claude 4.5 and newer by API id. Windows as the specification gives them: 200K for Sonnet and Haiku, 1M for Opus 4.6. */
export const CLAUDE_MODELS: Readonly<Record<string, ModelDefinition>> = Object.fromEntries(
  [
    claude("claude-opus-4-6", "Claude Opus 4.6", 1_000_000, 128_000),
    claude("claude-sonnet-4-6", "Claude Sonnet 4.6", 200_000, 64_000),
    claude("claude-opus-4-5", "Claude Opus 4.5", 200_000, 64_000),
    claude("claude-opus-4-5-20251101", "Claude Opus 4.5", 200_000, 64_000),
    claude("claude-sonnet-4-5", "Claude Sonnet 4.5", 200_000, 64_000),
    claude("claude-sonnet-4-5-20250929", "Claude Sonnet 4.5", 200_000, 64_000),
    claude("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000),
    claude("claude-haiku-4-5-20251001", "Claude Haiku 4.5", 200_000, 64_000),
  ].map((model) => [model.id, model]),
);

/** The window of a model in tokens, or the default for one the catalog does not know. */
export function getModelContextWindow(id: string): number {
  return findModel(id)?.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
}

/** A model's name for people; the id itself when the catalog does not know it. */
export function getModelName(id: string): string {
  return findModel(id)?.name ?? id;
}

/** `1500` as `1.5K`, `999999` as `1M`, `0` as `0K`, anything below a thousand as `<1K`. */
export function formatTokenCount(count: number): string {
  if (count <= 0) return "0K";
  if (count < 1000) return "<1K";
  const thousands = Math.round(count / 100) / 10;
  return thousands < 1000 ? `${thousands}K` : `${Math.round(count / 100_000) / 10}M`;
}

function findModel(id: string): ModelDefinition | undefined {
  return Object.hasOwn(CLAUDE_MODELS, id) ? CLAUDE_MODELS[id] : undefined;
}
