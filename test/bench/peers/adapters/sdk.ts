// The official SDKs as their documentation shows them: a streamed `create`, iterated.
import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import { type Adapter, API_KEY, type Connect, IN_PAGE } from "../adapter.ts";
import { plainLoop, type WireEvent } from "../plain-loop.ts";
import type { Wire } from "../wires.ts";

export const sdk: Adapter = {
  load: (wire) => (wire === "anthropic" ? anthropic() : openai(wire)),
};

async function anthropic(): Promise<Connect> {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  return ({ baseURL, tools }) => {
    const client = new Anthropic({ apiKey: API_KEY, baseURL, maxRetries: 0, ...IN_PAGE });
    return plainLoop("anthropic", tools, async (body, onEvent) => {
      const events = await client.messages.create(body as MessageCreateParamsStreaming);
      for await (const event of events) onEvent(event as WireEvent);
    });
  };
}

async function openai(wire: Wire): Promise<Connect> {
  const { default: OpenAI } = await import("openai");
  return ({ baseURL, tools }) => {
    const client = new OpenAI({
      apiKey: API_KEY,
      baseURL: `${baseURL}/v1`,
      maxRetries: 0,
      ...IN_PAGE,
    });
    return plainLoop(wire, tools, async (body, onEvent) => {
      const events =
        wire === "openai-chat"
          ? await client.chat.completions.create(body as ChatCompletionCreateParamsStreaming)
          : await client.responses.create(body as ResponseCreateParamsStreaming);
      for await (const event of events) onEvent(event as WireEvent);
    });
  };
}
