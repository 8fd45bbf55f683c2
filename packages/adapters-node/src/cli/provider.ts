import { ConfigurationError, type Provider } from "@robota/runtime";

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
  env: (name: string) => string | undefined,
): Promise<ProviderChoice> {
  const found = (["anthropic", "openai"] as const).find((name) => env(KEYS[name]));
  const name = asked.provider ?? found ?? "offline";
  if (name === "offline") return chooseOffline(asked.provider === undefined);

  const apiKey = env(KEYS[name]);
  const baseURL = env(ADDRESSES[name]);
  // Servers on one's own machine that speak the OpenAI API want no key.
  if (!apiKey && !(name === "openai" && baseURL)) {
    throw new ConfigurationError(`There is no key for ${name}`, {
      hint: `Set ${KEYS[name]}, or use --provider offline.`,
    });
  }
  const model = asked.model ?? DEFAULT_MODELS[name];
  const options = { model, ...(baseURL && { baseURL }) };
  if (name === "anthropic") {
    const { AnthropicProvider } = await import("@robota/runtime/providers/anthropic");
    return { provider: new AnthropicProvider({ ...options, apiKey: apiKey ?? "" }) };
  }
  const { OpenAIProvider } = await import("@robota/runtime/providers/openai");
  return { provider: new OpenAIProvider({ ...options, ...(apiKey && { apiKey }) }) };
}

async function chooseOffline(isFallback: boolean): Promise<ProviderChoice> {
  const { OfflineProvider } = await import("@robota/runtime/providers/offline");
  const provider = new OfflineProvider();
  if (!isFallback) return { provider };
  const keys = Object.values(KEYS).join(" or ");
  return {
    provider,
    note: `No key found, so a script answers and no model: "help" lists what it can do. Set ${keys} for a model.`,
  };
}
