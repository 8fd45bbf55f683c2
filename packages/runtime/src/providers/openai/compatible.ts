import { AuthenticationError, ConfigurationError } from "../../errors.ts";
import { requiredModel } from "../client.ts";
import { OpenAIProvider, type OpenAIProviderOptions } from "./openai-provider.ts";
import { type CompatibleName, type CompatiblePreset, compatiblePresets } from "./presets.ts";

/** Like those of `OpenAIProvider`; what is left out is the preset's. */
export type CompatibleOptions = Omit<OpenAIProviderOptions, "api" | "name">;

/**
 * A provider for a server that speaks OpenAI's Chat Completions. Its name is the preset's: history that one server wrote
 * is sent to another without what only the first understands.
 * @throws {ConfigurationError} when there is no such preset, or no model
 * @throws {AuthenticationError} when the server wants a key and there is none
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
    throw new AuthenticationError(`${title} wants a key`, {
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
