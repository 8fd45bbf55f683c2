import { AuthenticationError, ConfigurationError } from "../../errors.ts";
import { requiredModel } from "../client.ts";
import { OpenAIProvider, type OpenAIProviderOptions } from "./openai-provider.ts";
import { type CompatibleName, type CompatiblePreset, compatiblePresets } from "./presets.ts";

/** Options of `OpenAIProvider`, with the preset's values as defaults. */
export type CompatibleOptions = Omit<OpenAIProviderOptions, "api" | "name">;

/**
 * A provider for a server that speaks OpenAI's Chat Completions. Its name is the preset's: history from one server is
 * sent to another without server-specific data.
 * @throws {ConfigurationError} for an unknown preset, or without a model
 * @throws {AuthenticationError} when the server requires a key and there is none
 */
export function compatibleProvider(
  name: CompatibleName,
  options: CompatibleOptions,
): OpenAIProvider {
  if (!Object.hasOwn(compatiblePresets, name)) {
    throw new ConfigurationError(`There is no preset "${name}"`, {
      hint: `There are ${Object.keys(compatiblePresets).join(", ")}.`,
    });
  }
  const { title, baseURL, keyVariable, dialect }: CompatiblePreset = compatiblePresets[name];
  requiredModel(options, title, "one-of-its-models");
  if (keyVariable && !options.apiKey?.trim() && !options.baseURL) {
    throw new AuthenticationError(`${title} needs a key`, {
      provider: name,
      hint: `Pass it as \`apiKey\`; it is usually kept in ${keyVariable}.`,
    });
  }
  return new OpenAIProvider({
    ...options,
    name,
    api: "chat",
    baseURL: options.baseURL ?? baseURL,
    dialect: { ...dialect, ...options.dialect },
  });
}
