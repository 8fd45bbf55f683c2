import type { Message, Provider } from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { OpenAIProvider } from "@robota/runtime/providers/openai";
import { expect, it } from "vitest";
import { type WireFetch, wireFetch } from "../../../support/wire/wire-fetch.ts";
import { KEY, user } from "../../../support/wire/wire-providers.ts";

const settings = { apiKey: KEY, model: "m", dangerouslyAllowBrowser: true, maxRetries: 0 };

it.each<[string, number, (service: WireFetch) => Provider]>([
  ["Chat Completions", 64, ({ fetch }) => new OpenAIProvider({ ...settings, fetch, api: "chat" })],
  ["Responses", 64, ({ fetch }) => new OpenAIProvider({ ...settings, fetch, api: "responses" })],
  ["Messages", 128, ({ fetch }) => new AnthropicProvider({ ...settings, fetch })],
])(
  "sends %s no names that a model made up and services reject, so that the conversation goes on",
  async (_, maxLength, create) => {
    const names = ["multi_tool_use.parallel", "", "Read file", "ä".repeat(200), "Read"];
    const at = { timestamp: new Date(0) };
    const history: Message[] = [
      user("Hi"),
      {
        ...at,
        role: "assistant",
        id: "a",
        content: "",
        state: "complete",
        toolCalls: names.map((name, index) => ({ id: `call_${index}`, name, args: {} })),
      },
      ...names.map((name, index): Message => ({
        ...at,
        role: "tool",
        id: `t${index}`,
        toolCallId: `call_${index}`,
        name,
        content: "There is no such tool.",
      })),
    ];
    const service = wireFetch(() => new Response("no", { status: 400 }));
    await create(service)
      .chat(history)
      .catch(() => undefined);
    const sent = [...JSON.stringify(service.bodies[0]).matchAll(/"name":"([^"]*)"/g)];
    expect(sent.length).toBeGreaterThanOrEqual(names.length);
    for (const [, name] of sent) expect(name).toMatch(new RegExp(`^[\\w-]{1,${maxLength}}$`));
    expect(sent.map(([, name]) => name)).toContain("Read");
  },
);
