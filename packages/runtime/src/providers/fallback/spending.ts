import { ConfigurationError, ProviderError } from "../../errors.ts";
import type { AssistantMessage, TokenUsage } from "../../messages/message.ts";

/** A provider's budget. The answer that crosses it is still paid for. */
export interface ProviderBudget {
  /** Tokens of every kind, as the service counts them. */
  tokens?: number;
  /** US dollars; needs `costOf`. */
  dollars?: number;
}

/** US dollars for tokens of a model, or `undefined` when its prices are not known; `costOf` of the catalog is one. */
export type PriceOf = (usage: TokenUsage, model: string) => number | undefined;

/** A provider's spending over its owner's life. */
export class ProviderSpending {
  readonly #budget: ProviderBudget;
  readonly #costOf: PriceOf | undefined;
  #tokens = 0;
  #dollars = 0;

  /** @throws {ConfigurationError} when a budget is not a positive number, or is in dollars without prices */
  constructor(budget: ProviderBudget, costOf: PriceOf | undefined) {
    const { tokens = 1, dollars = 1 } = budget;
    if (!(tokens > 0) || !(dollars > 0)) {
      throw new ConfigurationError("A provider's budget must be a number above zero", {
        hint: "Give such a number, or leave the budget out for no limit.",
      });
    }
    if (budget.dollars !== undefined && !costOf) {
      throw new ConfigurationError("A budget in dollars needs prices", {
        hint: "Pass `costOf`, such as the one that @robota/runtime exports.",
      });
    }
    this.#budget = budget;
    this.#costOf = costOf;
  }

  add({ usage, model = "" }: AssistantMessage): void {
    if (!usage) return;
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
    this.#tokens += inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
    // A limit in dollars can't be kept for a model whose price is not known: better none of it than any amount.
    this.#dollars += this.#costOf?.(usage, model) ?? Infinity;
  }

  /** The error for a provider that may not be asked any more. */
  refusal(provider: string): ProviderError | undefined {
    const { tokens = Infinity, dollars = Infinity } = this.#budget;
    const isSpent = this.#tokens >= tokens || (dollars !== Infinity && this.#dollars >= dollars);
    if (!isSpent) return undefined;
    const limit = this.#tokens >= tokens ? `${tokens} tokens` : `${dollars} US dollars`;
    return new ProviderError(`The budget of ${provider} is spent: ${limit}`, {
      provider,
      code: "BUDGET_EXCEEDED",
      category: "user",
      recoverable: false,
      hint: "Raise the budget, or add a provider that may go on.",
    });
  }
}
