import { chat, generate, type Provider } from "./provider.ts";

/** The same provider with another of its models. */
export function withModel(provider: Provider, model: string): Provider {
  if (model === provider.model) return provider;
  const own: Provider = {
    name: provider.name,
    model,
    chat: (messages, options) => chat(own, messages, options),
    chatStream: (messages, options) => provider.chatStream(messages, { ...options, model }),
  };
  // A provider without it gets its time limit from the loop.
  if (provider.generate)
    own.generate = (messages, options, onEvent) =>
      generate(provider, messages, { ...options, model }, onEvent);
  if (provider.configureNativeWebTools)
    own.configureNativeWebTools = (config) =>
      provider.configureNativeWebTools?.(config) ?? { webSearch: false, chatOptions: {} };
  return own;
}
