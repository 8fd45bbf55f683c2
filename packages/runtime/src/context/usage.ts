import type { TokenUsage } from "../messages/message.ts";

export function noUsage(): TokenUsage {
  return { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
}

/** Adds to `total`. What a program's own provider leaves out, or gives as no number, counts as 0. */
export function addUsage(total: TokenUsage, usage: TokenUsage): void {
  total.inputTokens += usage.inputTokens || 0;
  total.outputTokens += usage.outputTokens || 0;
  total.cacheReadTokens += usage.cacheReadTokens || 0;
  total.cacheWriteTokens += usage.cacheWriteTokens || 0;
}

/** The usage with a number for each kind of tokens: by any other value, no budget would ever be spent. */
export function countedUsage(usage: TokenUsage): TokenUsage {
  const counted = noUsage();
  addUsage(counted, usage);
  return { ...usage, ...counted };
}

/** The sum of all kinds of tokens, regardless of price. */
export function tokensOf(usage: TokenUsage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}
