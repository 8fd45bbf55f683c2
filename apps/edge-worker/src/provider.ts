import { ConfigurationError, type Provider } from "@robota/runtime";
import { ANONYMOUS, type Environment } from "./environment.ts";

/**
 * The model that a session of `owner` talks to: whichever key the worker has, else the offline provider, which is all
 * that anonymous callers ever get. Only the one that is chosen is loaded.
 * @throws {ConfigurationError} when a key has no model to go with it
 */
export async function chooseProvider(env: Environment, owner: string): Promise<Provider> {
  const { ANTHROPIC_API_KEY, ANTHROPIC_MODEL, OPENAI_API_KEY, OPENAI_MODEL, OPENAI_BASE_URL } = env;
  if (owner !== ANONYMOUS && ANTHROPIC_API_KEY) {
    const { AnthropicProvider } = await import("@robota/runtime/providers/anthropic");
    const model = ANTHROPIC_MODEL ?? "claude-sonnet-4-6";
    return new AnthropicProvider({ apiKey: ANTHROPIC_API_KEY, model });
  }
  if (owner !== ANONYMOUS && OPENAI_API_KEY) {
    if (!OPENAI_MODEL) {
      throw new ConfigurationError("OPENAI_API_KEY is there, but no OPENAI_MODEL", {
        hint: "Set the variable OPENAI_MODEL to a model that this key may use.",
      });
    }
    const { OpenAIProvider } = await import("@robota/runtime/providers/openai");
    return new OpenAIProvider({
      apiKey: OPENAI_API_KEY,
      model: OPENAI_MODEL,
      ...(OPENAI_BASE_URL === undefined ? {} : { baseURL: OPENAI_BASE_URL }),
    });
  }
  const { OfflineProvider } = await import("@robota/runtime/providers/offline");
  return new OfflineProvider();
}
