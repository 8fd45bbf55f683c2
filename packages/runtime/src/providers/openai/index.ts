export { compatibleProvider, type CompatibleOptions } from "./compatible.ts";
export type { ChatDialect } from "./dialect.ts";
export { OpenAIProvider, type OpenAIProviderOptions } from "./openai-provider.ts";
export { type CompatibleName, type CompatiblePreset, compatiblePresets } from "./presets.ts";
