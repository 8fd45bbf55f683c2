export { AnthropicProvider, type AnthropicProviderOptions } from "./anthropic-provider.ts";
