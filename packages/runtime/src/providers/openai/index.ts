export { OpenAIProvider, type OpenAIProviderOptions } from "./openai-provider.ts";
