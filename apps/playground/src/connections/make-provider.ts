import type { Provider } from "@robota/runtime";
import type { KeyCheck } from "@robota/runtime/providers";
import type { Connection } from "./connection.ts";

/** A provider that can list its models free of charge. */
export type CheckedProvider = Provider & {
  checkKey?: (options?: { signal?: AbortSignal }) => Promise<KeyCheck>;
};

/** The provider of a connection. Only the part of the runtime that it needs is loaded. */
export async function makeProvider(
  { service, provider: name, model, baseURL }: Connection,
  apiKey: string | undefined,
): Promise<CheckedProvider> {
  // The person has entered the key for use in this page, and read who can see it there.
  const common = { apiKey, model, baseURL, dangerouslyAllowBrowser: true };
  switch (service) {
    case "offline":
      return (await import("../provider.ts")).answering;
    case "prompt-api": {
      const { PromptApiProvider } = await import("./browser-model.ts");
      return new PromptApiProvider();
    }
    case "anthropic": {
      const { AnthropicProvider } = await import("@robota/runtime/providers/anthropic");
      return new AnthropicProvider({ ...common, apiKey: apiKey ?? "" });
    }
    case "remote": {
      const { SimpleRemoteExecutor } = await import("./remote-executor.ts");
      return new SimpleRemoteExecutor({ url: baseURL, model, token: apiKey });
    }
    case "openai": {
      const { OpenAIProvider } = await import("@robota/runtime/providers/openai");
      return new OpenAIProvider({ ...common, api: "responses" });
    }
    case "custom": {
      const { OpenAIProvider } = await import("@robota/runtime/providers/openai");
      return new OpenAIProvider({ ...common, name, api: "chat" });
    }
    default: {
      const { compatibleProvider } = await import("@robota/runtime/providers/openai");
      return compatibleProvider(service, common);
    }
  }
}
