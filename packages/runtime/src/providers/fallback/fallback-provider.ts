import { ConfigurationError, errorFacts } from "../../errors.ts";
import type { AssistantMessage } from "../../messages/message.ts";
import { generate, type Provider } from "../provider.ts";
import { derivedProvider } from "../derived.ts";
import { fallbackReason, type FallbackReason } from "./reasons.ts";
import { type PriceOf, type ProviderBudget, ProviderSpending } from "./spending.ts";

/** A provider of the chain, with its own limits. */
export interface FallbackMember {
  provider: Provider;
  /** Limit after which the next provider is asked. Counted over the life of the fallback provider. */
  budget?: ProviderBudget;
}

/** A switch from one provider to the next. */
export interface Fallback {
  from: string;
  to: string;
  reason: FallbackReason;
  error: unknown;
}

/** Conditions for asking the next provider, and callbacks. */
export interface FallbackRules {
  /**
   * Reasons to ask the next provider; all but `unavailable` unless given, so that a wrong key does not go unnoticed.
   */
  on?: readonly FallbackReason[];
  /** Prices, for budgets in dollars. */
  costOf?: PriceOf;
  /** Called before the next provider is asked. */
  onFallback?: (fallback: Fallback) => void;
}

const DEFAULT_REASONS: readonly FallbackReason[] = [
  "overload",
  "network",
  "context_length",
  "budget",
];

/**
 * A provider that asks the first of several, and the next one when it fails by a rule; each has done its own retries by
 * then. Shown text is never requested again: a failure after the first text, thinking or call ends the answer.
 *
 * The message names the answering provider (`provider`, `model`), and its metadata `fallbackFrom` the failed ones with
 * reasons. A model given for a call applies to the first provider; the others use their own.
 * @throws {ConfigurationError} without any provider, or with an unusable budget
 */
export function fallbackProvider(
  members: readonly (Provider | FallbackMember)[],
  rules: FallbackRules = {},
): Provider {
  const { on = DEFAULT_REASONS, costOf, onFallback } = rules;
  const all = members.map((member): FallbackMember =>
    "provider" in member ? member : { provider: member },
  );
  const spendings = all.map(({ budget = {} }) => new ProviderSpending(budget, costOf));
  const [first] = all;
  if (!first) {
    throw new ConfigurationError("There is no provider to ask", {
      hint: "Give at least one provider.",
    });
  }

  return derivedProvider({
    name: "fallback",
    model: () => first.provider.model,
    members: all.map(({ provider }) => provider),
    async generate(messages, options, onEvent) {
      const { model: _, ...others } = options;
      const givenUp: string[] = [];
      for (const [index, { provider }] of all.entries()) {
        const next = all[index + 1]?.provider;
        let isShown = false;
        try {
          const refusal = spendings[index]?.refusal(provider.name);
          if (refusal) throw refusal;
          const message = await generate(
            provider,
            messages,
            index === 0 ? options : others,
            (event) => {
              isShown = true;
              onEvent(event);
            },
          );
          spendings[index]?.add(message);
          return noted(message, givenUp);
        } catch (error) {
          const reason = fallbackReason(error);
          const mayGoOn = !isShown && !options.signal?.aborted && reason && on.includes(reason);
          if (!next || !mayGoOn) throw error;
          givenUp.push(`${provider.name}: ${errorFacts(error).code}`);
          onFallback?.({ from: provider.name, to: next.name, reason, error });
        }
      }
      throw new Error("unreachable: the last provider answers or throws");
    },
  });
}

function noted(message: AssistantMessage, givenUp: string[]): AssistantMessage {
  if (givenUp.length === 0) return message;
  return { ...message, metadata: { ...message.metadata, fallbackFrom: givenUp } };
}
