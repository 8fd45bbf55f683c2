import type { Platform } from "../../ports/platform.ts";
import type { CompatibleName } from "../openai/presets.ts";
import type { Provider } from "../provider.ts";

/** What a provider from the environment is made of. */
export interface Ingredients {
  apiKey: string | undefined;
  baseURL: string | undefined;
  model: string;
  fetch: Platform["fetch"];
  dangerouslyAllowBrowser: boolean;
}

/** One service that the environment may have a key for; variables that count as one are tried in turn. */
export interface Candidate {
  title: string;
  keys: readonly string[];
  address: string;
  /** The address alone is enough: servers on one's own machine want no key, and have models of their own. */
  isServerOfOnesOwn?: boolean;
  /** Where a model is named. */
  model: string;
  /** Used without one; the catalog's everyday model of that service, or an alias that the service keeps current. */
  defaultModel?: string;
  /** Loads the provider, and nothing else. */
  make(ingredients: Ingredients): Promise<Provider>;
}

export const CANDIDATES: readonly Candidate[] = [
  {
    title: "Anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    address: "ANTHROPIC_BASE_URL",
    model: "ANTHROPIC_MODEL",
    defaultModel: "claude-sonnet-5",
    async make({ apiKey = "", baseURL, ...rest }) {
      const { AnthropicProvider } = await import("../anthropic/index.ts");
      return new AnthropicProvider({ ...rest, apiKey, ...(baseURL && { baseURL }) });
    },
  },
  {
    title: "OpenAI",
    keys: ["OPENAI_API_KEY"],
    address: "OPENAI_BASE_URL",
    isServerOfOnesOwn: true,
    model: "OPENAI_MODEL",
    defaultModel: "gpt-5.4",
    async make({ apiKey, baseURL, ...rest }) {
      const { OpenAIProvider } = await import("../openai/index.ts");
      return new OpenAIProvider({
        ...rest,
        ...(apiKey && { apiKey }),
        ...(baseURL && { baseURL }),
      });
    },
  },
  compatible("OpenRouter", "openRouter", ["OPENROUTER_API_KEY"], "OPENROUTER", "openrouter/auto"),
  compatible(
    "Gemini",
    "gemini",
    ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    "GEMINI",
    "gemini-flash-latest",
  ),
  compatible("ByteDance Ark", "ark", ["ARK_API_KEY"], "ARK"),
];

function compatible(
  title: string,
  name: CompatibleName,
  keys: readonly string[],
  prefix: string,
  defaultModel?: string,
): Candidate {
  return {
    title,
    keys,
    address: `${prefix}_BASE_URL`,
    model: `${prefix}_MODEL`,
    ...(defaultModel && { defaultModel }),
    async make({ apiKey, baseURL, ...rest }) {
      const { compatibleProvider } = await import("../openai/index.ts");
      return compatibleProvider(name, {
        ...rest,
        ...(apiKey && { apiKey }),
        ...(baseURL && { baseURL }),
      });
    },
  };
}
