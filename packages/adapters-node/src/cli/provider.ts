import {
  ConfigurationError,
  type Platform,
  type Provider,
  type ProviderSettings,
} from "@robota/runtime";

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
 * The provider that was asked for, or that the settings name, or the first one whose key is in the environment, or the
 * offline one.
 * @throws {ConfigurationError} When the provider that was asked for has no key, or the settings name none.
 */
export async function chooseProvider(
  asked: { provider?: ProviderName; model?: string },
  settings: ProviderSettings,
  platform: Platform,
): Promise<ProviderChoice> {
  const name = asked.provider ?? namedIn(settings);
  // Another provider has other models, keys and addresses.
  const isAnother = asked.provider !== undefined && asked.provider !== settings.name;
  const own = isAnother ? {} : settings;
  const wanted = asked.model ?? own.model;
  if (name === undefined) return fromEnvironment(platform, wanted);
  if (name === "offline") {
    const { OfflineProvider } = await import("@robota/runtime/providers/offline");
    return { provider: new OfflineProvider() };
  }
  const apiKey = given(own.apiKey) ?? platform.env(KEYS[name]);
  const baseURL = own.baseURL ?? platform.env(ADDRESSES[name]);
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

/** A key or an address without a name is Anthropic's; a model alone says nothing. */
function namedIn({ name, apiKey, baseURL }: ProviderSettings): ProviderName | undefined {
  if (name === undefined)
    return apiKey === undefined && baseURL === undefined ? undefined : "anthropic";
  const known = PROVIDER_NAMES.find((candidate) => candidate === name);
  if (known) return known;
  throw new ConfigurationError(`The settings name a provider that there is not: ${name}`, {
    hint: `Set provider.name to one of ${PROVIDER_NAMES.join(", ")}.`,
  });
}

/** A variable that is not set stays as it was written, which is no key. */
function given(apiKey: string | undefined): string | undefined {
  return apiKey?.includes("$ENV:") ? undefined : apiKey;
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
