import { ProviderError } from "../../../errors.ts";
import type { AssistantMessage, Message, TokenUsage } from "../../../messages/message.ts";
import { chat, type ChatOptions, generate, type Provider } from "../../../providers/provider.ts";
import { dayOf, type ModelUse, type Refusal } from "./usage.ts";

/** Tokens of an answer that nothing limits, for a reservation. */
const ANSWER_TOKENS = 4096;

/** Where the use of models is counted. */
export interface UseMeter {
  /** Counts what a call may use at most, before it is made. */
  reserve(use: ModelUse): Promise<Refusal | undefined>;
  /** Corrects a reservation of that day by what the call has used. */
  settle(settled: { reserved: ModelUse; used: ModelUse; day: string }): Promise<void>;
  /** US dollars for tokens of a model, `undefined` when its price is not known; `costOf` is one. */
  costOf: (usage: TokenUsage, model: string) => number | undefined;
}

/**
 * The same provider, whose every call is counted before it is made. A call beyond a limit throws a `ProviderError` with
 * the code `BUDGET_EXCEEDED`; one whose use is never told counts as what was reserved.
 */
export function meteredProvider(provider: Provider, meter: UseMeter): Provider {
  const metered: Provider = {
    name: provider.name,
    model: provider.model,
    chat: (messages, options) => chat(metered, messages, options),
    async *chatStream(messages, options = {}) {
      const settle = await begin(provider, { messages, options, meter });
      for await (const event of provider.chatStream(messages, options)) {
        if (event.type === "message") await settle(event.message);
        yield event;
      }
    },
  };
  // The stream of a provider without it is watched for silence event by event.
  if (provider.generate)
    metered.generate = async (messages, options, onEvent) => {
      const settle = await begin(provider, { messages, options, meter });
      const message = await generate(provider, messages, options, onEvent);
      await settle(message);
      return message;
    };
  if (provider.configureNativeWebTools)
    metered.configureNativeWebTools = (config) =>
      provider.configureNativeWebTools?.(config) ?? { webSearch: false, chatOptions: {} };
  return metered;
}

/** Reserves what a call may use. @throws {ProviderError} */
async function begin(
  provider: Provider,
  {
    messages,
    options,
    meter,
  }: { messages: readonly Message[]; options: ChatOptions; meter: UseMeter },
): Promise<(message: AssistantMessage) => Promise<void>> {
  const { model = provider.model, maxTokens = ANSWER_TOKENS } = options;
  const text = JSON.stringify([messages, options.tools ?? []]);
  const estimate = {
    inputTokens: Math.ceil(text.length / 2),
    outputTokens: maxTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  const reserved = useOf(estimate, model, meter);
  const day = dayOf(Date.now());
  const refusal = await meter.reserve(reserved);
  if (refusal) throw overLimit(provider, refusal);
  return async ({ usage, model: answered = model }) => {
    if (usage) await meter.settle({ reserved, used: useOf(usage, answered, meter), day });
  };
}

function useOf(usage: TokenUsage, model: string, { costOf }: UseMeter): ModelUse {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    tokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
    dollars: costOf(usage, model),
  };
}

function overLimit({ name }: Provider, { message, hint }: Refusal): ProviderError {
  return new ProviderError(message, {
    provider: name,
    code: "BUDGET_EXCEEDED",
    category: "user",
    recoverable: false,
    hint,
  });
}
