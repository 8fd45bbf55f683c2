import { ConfigurationError, type Platform, type Provider } from "@robota/runtime";

export const PROVIDER_NAMES = ["anthropic", "openai", "offline"] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

const DEFAULT_MODELS = { anthropic: "claude-sonnet-4-6", openai: "gpt-5.1" } as const;
const KEYS = { anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY" } as const;
const ADDRESSES = { anthropic: "ANTHROPIC_BASE_URL", openai: "OPENAI_BASE_URL" } as const;

export interface ProviderChoice {
  provider: Provider;
  /** What a person should know about the choice. */
  note?: string;
}

/**
 * The provider that was asked for, or the first one whose key is in the environment, or the offline one.
 * @throws {ConfigurationError} When the provider that was asked for has no key.
 */
export async function chooseProvider(
  asked: { provider?: ProviderName; model?: string },
  platform: Platform,
): Promise<ProviderChoice> {
  const { provider: name, model: wanted } = asked;
  if (name === undefined) return fromEnvironment(platform, wanted);
  if (name === "offline") {
    const { OfflineProvider } = await import("@robota/runtime/providers/offline");
    return { provider: new OfflineProvider() };
  }
  const apiKey = platform.env(KEYS[name]);
  const baseURL = platform.env(ADDRESSES[name]);
  // Servers on one's own machine that speak the OpenAI API want no key.
  if (!apiKey && !(name === "openai" && baseURL)) {
    throw new ConfigurationError(`There is no key for ${name}`, {
      hint: `Set ${KEYS[name]}, or use --provider offline.`,
    });
  }
  const options = { model: wanted ?? DEFAULT_MODELS[name], ...(baseURL && { baseURL }) };
  if (name === "anthropic") {
    const { AnthropicProvider } = await import("@robota/runtime/providers/anthropic");
    return { provider: new AnthropicProvider({ ...options, apiKey: apiKey ?? "" }) };
  }
  const { OpenAIProvider } = await import("@robota/runtime/providers/openai");
  return { provider: new OpenAIProvider({ ...options, ...(apiKey && { apiKey }) }) };
}

async function fromEnvironment(
  platform: Platform,
  model: string | undefined,
): Promise<ProviderChoice> {
  const { providerFromEnvironment } = await import("@robota/runtime/providers/environment");
  const options = model === undefined ? {} : { model };
  const { provider, variable, note } = await providerFromEnvironment(platform, options);
  // That a key was used is no news.
  return variable === undefined ? { provider, note } : { provider };
}
