import type { Platform } from "../../ports/platform.ts";
import type { CompatibleName } from "../openai/presets.ts";
import type { Provider } from "../provider.ts";

/** Ingredients of a provider from the environment. */
export interface Ingredients {
  apiKey: string | undefined;
  baseURL: string | undefined;
  model: string;
  fetch: Platform["fetch"];
  dangerouslyAllowBrowser: boolean;
}

/** Names of the services, as `Provider.name` has them. */
export type EnvironmentProviderName = "anthropic" | "openai" | CompatibleName;

/** One service with a possible key in the environment, and its variables. */
export interface EnvironmentProvider {
  readonly name: EnvironmentProviderName;
  /** Name for people. */
  readonly title: string;
  /** Variables of the key, tried in turn; none for a server on this machine. */
  readonly keys: readonly string[];
  /** Variable of a custom address. */
  readonly address: string;
  /** Variable of the model. */
  readonly model: string;
}

export interface Candidate extends EnvironmentProvider {
  /** An address suffices: local servers need no key, and have models of their own. */
  isServerOfOnesOwn?: boolean;
  /** Used without one; the catalog's everyday model of that service, or an alias that the service keeps current. */
  defaultModel?: string | undefined;
  /** Loads the provider, and nothing else. */
  make(ingredients: Ingredients): Promise<Provider>;
}

export const CANDIDATES: readonly Candidate[] = [
  {
    name: "anthropic",
    title: "Anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    address: "ANTHROPIC_BASE_URL",
    model: "ANTHROPIC_MODEL",
    defaultModel: "claude-sonnet-5",
    async make({ apiKey = "", ...rest }) {
      const { AnthropicProvider } = await import("../anthropic/index.ts");
      return new AnthropicProvider({ ...rest, apiKey });
    },
  },
  {
    name: "openai",
    title: "OpenAI",
    keys: ["OPENAI_API_KEY"],
    address: "OPENAI_BASE_URL",
    isServerOfOnesOwn: true,
    model: "OPENAI_MODEL",
    defaultModel: "gpt-5.4",
    async make(ingredients) {
      const { OpenAIProvider } = await import("../openai/index.ts");
      return new OpenAIProvider(ingredients);
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
  ofOnesOwn("Ollama", "ollama", "OLLAMA"),
  ofOnesOwn("LM Studio", "lmStudio", "LM_STUDIO"),
  ofOnesOwn("llama.cpp", "llamaCpp", "LLAMA_CPP"),
  ofOnesOwn("vLLM", "vllm", "VLLM"),
];

/** A server on this machine, at its usual port unless a variable has another address. */
function ofOnesOwn(title: string, name: CompatibleName, prefix: string): Candidate {
  return { ...compatible(title, name, [], prefix), isServerOfOnesOwn: true };
}

function compatible(
  title: string,
  name: CompatibleName,
  keys: readonly string[],
  prefix: string,
  defaultModel?: string,
): Candidate {
  return {
    name,
    title,
    keys,
    address: `${prefix}_BASE_URL`,
    model: `${prefix}_MODEL`,
    defaultModel,
    async make(ingredients) {
      const { compatibleProvider } = await import("../openai/index.ts");
      return compatibleProvider(name, ingredients);
    },
  };
}
