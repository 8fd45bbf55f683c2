import { chat, type ChatOptions, generate, type Provider } from "./provider.ts";

/** The same provider with another of its models; a call may name yet another one. */
export function withModel(provider: Provider, model: string): Provider {
  if (model === provider.model) return provider;
  return withOptions(provider, (options) => ({ ...options, model: options.model ?? model }), model);
}

/** The same provider with other options of its calls. `model`: the name that it shows; its own when omitted. */
export function withOptions(
  provider: Provider,
  change: (options: ChatOptions) => ChatOptions,
  model = provider.model,
): Provider {
  const own: Provider = {
    name: provider.name,
    model,
    chat: (messages, options) => chat(own, messages, options),
    chatStream: (messages, options = {}) => provider.chatStream(messages, change(options)),
  };
  // The stream of a provider without it is watched for silence event by event.
  if (provider.generate)
    own.generate = (messages, options, onEvent) =>
      generate(provider, messages, change(options), onEvent);
  if (provider.configureNativeWebTools)
    own.configureNativeWebTools = (config) =>
      provider.configureNativeWebTools?.(config) ?? { webSearch: false, chatOptions: {} };
  return own;
}
