export { AnthropicProvider, type AnthropicProviderOptions } from "./anthropic-provider.ts";
export type { AnthropicWebSearch } from "./request.ts";
