// The cost of the SDK's request: a provider with this project's own writers and readers, and plain `fetch` between them.
import type { ChatOptions, Message, Provider } from "@robota/runtime";
import { call, type WireCall } from "../../../../packages/runtime/src/providers/call.ts";
import { chat, type ProviderEvent } from "../../../../packages/runtime/src/providers/provider.ts";
import { streamEvents } from "../../../../packages/runtime/src/providers/stream.ts";
import { API_KEY, MODEL, type Target } from "../adapter.ts";
import { PATHS, type Wire } from "../wires.ts";

interface Codec extends Pick<WireCall, "decoder"> {
  write(messages: readonly Message[], options: ChatOptions): string;
}

/** For any of the wires. */
export async function directProvider(wire: Wire): Promise<(target: Target) => Provider> {
  const makeCodec = await codecOf(wire);
  const headers = {
    "content-type": "application/json",
    ...(wire === "anthropic"
      ? { "x-api-key": API_KEY, "anthropic-version": "2023-06-01" }
      : { authorization: `Bearer ${API_KEY}` }),
  };
  return ({ baseURL }) => {
    const codec = makeCodec();
    const url = baseURL + PATHS[wire];
    const context = { provider: wire, model: MODEL, secrets: [API_KEY] };
    const generate = (
      messages: readonly Message[],
      options: ChatOptions,
      onEvent: (event: ProviderEvent) => void,
    ) =>
      call(
        {
          ...context,
          apiSurface: wire,
          url,
          body: codec.write(messages, options),
          send: (body, signal) => fetch(url, { method: "POST", headers, body, signal }),
          decoder: codec.decoder,
        },
        messages,
        options,
        { maxRetries: 0 },
        onEvent,
      );
    const provider: Provider = {
      name: wire,
      model: MODEL,
      generate,
      chat: (messages, options = {}) => chat(provider, messages, options),
      chatStream: (messages, options) => streamEvents(generate, messages, options),
    };
    return provider;
  };
}

async function codecOf(wire: Wire): Promise<() => Codec> {
  const context = { provider: wire, model: MODEL, secrets: [API_KEY] };
  const defaults = { provider: wire, model: MODEL };
  if (wire === "anthropic") {
    const { messagesCodec } =
      await import("../../../../packages/runtime/src/providers/anthropic/codec.ts");
    return () => {
      const codec = messagesCodec({ ...defaults, maxTokens: 32_000, promptCaching: true });
      return { ...codec, decoder: (answer) => codec.decoder(answer, context) };
    };
  }
  const { chatApi, responsesApi } =
    await import("../../../../packages/runtime/src/providers/openai/api.ts");
  const { COMMON_DIALECT } =
    await import("../../../../packages/runtime/src/providers/openai/dialect.ts");
  const given = { ...defaults, maxTokens: undefined, stream: true };
  const api = wire === "openai-chat" ? chatApi(given, COMMON_DIALECT) : responsesApi(given);
  const codec = await api.load();
  return () => ({ ...codec, decoder: (answer) => codec.decoder(answer, context) });
}
