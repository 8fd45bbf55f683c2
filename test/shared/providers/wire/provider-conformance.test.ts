import type { AssistantMessage, ChatOptions, Message } from "@robota/runtime";
import type { StopReason } from "@robota/runtime/providers";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { OpenAIProvider } from "@robota/runtime/providers/openai";
import { describe, expect, it } from "vitest";
import { events, wireFetch } from "../../../support/wire/wire-fetch.ts";
import {
  exchange,
  hello,
  KEY,
  providers,
  twoCalls,
  user,
} from "../../../support/wire/wire-providers.ts";
import type { WireAnswer } from "../../../support/wire/wire-script.ts";

const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const read = {
  name: "Read",
  description: "Reads a file",
  parameters: { type: "object", properties: { filePath: { type: "string" } } },
};
const PNG = "iVBORw0KGgoAAAAA";
const PDF = "JVBERi0xLjcKAAAA";

async function sent(
  wire: string,
  options: ChatOptions,
  messages: Message[] = [user("Hi")],
): Promise<string> {
  const { requests, error } = await exchange(wire, [{ answer: hello }], { options, messages });
  expect(error).toBeUndefined();
  return JSON.stringify(requests[0]?.body);
}

describe.each(Object.keys(providers))("%s", (wire) => {
  it("sends pictures and PDFs", async () => {
    const body = await sent(wire, {}, [
      {
        ...user(""),
        role: "user",
        content: [
          { type: "image", mediaType: "image/png", data: PNG },
          { type: "file", mediaType: "application/pdf", data: PDF, name: "a.pdf" },
          { type: "text", text: "What is this?" },
        ],
      },
    ]);
    for (const piece of [PNG, PDF, "image/png", "application/pdf", "a.pdf", "What is this?"])
      expect(body).toContain(piece);
  });

  it("requests an answer by a schema", async () => {
    const body = await sent(wire, { responseFormat: { name: "answer", schema } });
    expect(body).toContain('"json_schema"');
    expect(body).toContain('"required":["n"]');
  });

  it.each<[WireAnswer, StopReason]>([
    [{ text: ["Hi."], stop: "end" }, "end_turn"],
    [{ text: ["Hi."], calls: twoCalls.calls ?? [] }, "tool_use"],
    [{ text: ["Hi, I"], stop: "length" }, "max_tokens"],
    [{ text: ["I won't."], stop: "refusal" }, "refusal"],
  ])("reports why an answer ended: %j", async (answer, stopReason) => {
    const { message } = await exchange(wire, [{ answer }]);
    expect(message).toMatchObject({ state: "complete", stopReason });
  });

  it("requests a tool, any tool, or none", async () => {
    const choices = ["required", "none", { name: "Read" }] as const;
    const bodies = await Promise.all(
      choices.map((toolChoice) => sent(wire, { tools: [read], toolChoice })),
    );
    expect(bodies[0]).toMatch(/"tool_choice":("required"|\{"type":"any"\})/);
    expect(bodies[1]).toMatch(/"tool_choice":("none"|\{"type":"none"\})/);
    expect(bodies[2]).toMatch(/"tool_choice":\{[^}]*"Read"/);
  });

  it.each(Object.keys(providers))(
    "continues a conversation that %s began, without parts that only that service understands",
    async (other) => {
      const first = await exchange(other, [{ answer: twoCalls }]);
      const answer = first.message as AssistantMessage;
      const results = (answer.toolCalls ?? []).map(({ id, name }): Message => ({
        role: "tool",
        id: `result of ${id}`,
        timestamp: new Date(0),
        toolCallId: id,
        name,
        content: "text",
      }));
      const body = await sent(wire, { tools: [read] }, [user("Hi"), answer, ...results]);
      expect(body).toContain("Looking.");
      expect(body.split('"call_a"')).toHaveLength(3);
      const proofs = ['"sig"', '"opaque"'].filter((proof) => body.includes(proof));
      const own = { "anthropic messages": ['"sig"'], "openai responses": ['"opaque"'] };
      expect(proofs).toEqual(wire === other ? (own[wire as keyof typeof own] ?? []) : []);
    },
  );

  it("isolates the abort of one call from others", async () => {
    const abort = new AbortController();
    const [stopped, other] = await Promise.all([
      exchange(wire, [{ answer: hello, fault: { after: 2, kind: "stall" } }], {
        options: { signal: abort.signal },
        onEvent: () => setTimeout(() => abort.abort(), 20),
      }),
      exchange(wire, [{ answer: hello, pings: { count: 4, everyMs: 40 } }]),
    ]);
    expect(stopped.message?.state).toBe("interrupted");
    expect(other.message?.state).toBe("complete");
  });
});

it("Anthropic: a forced call is requested without thinking, which the service refuses", async () => {
  const service = wireFetch(() => Response.json({ type: "error", error: {} }, { status: 400 }));
  const provider = new AnthropicProvider({
    apiKey: KEY,
    model: "claude-sonnet-5",
    baseURL: "http://127.0.0.1:9",
    fetch: service.fetch,
    dangerouslyAllowBrowser: true,
  });
  for (const toolChoice of ["auto", "required", { name: "Read" }] as const)
    await provider
      .chat([user("Hi")], { thinking: true, tools: [read], toolChoice })
      .catch(() => {});
  expect(service.bodies.map((body) => "thinking" in body)).toEqual([true, false, false]);
});

it.each([
  ["gpt-5.4", true],
  ["gpt-5-mini", true],
  ["o4-mini", true],
  ["gpt-5-chat-latest", false],
  ["gpt-4.1", false],
  ["gpt-4o", false],
])("OpenAI: %s keeps its reasoning for the next round: %s", async (model, isKept) => {
  const response = { id: "resp_1", status: "completed", output: [] };
  const service = wireFetch(() => events({ type: "response.completed", response }));
  const provider = new OpenAIProvider({
    apiKey: KEY,
    model,
    fetch: service.fetch,
    dangerouslyAllowBrowser: true,
  });
  await provider.chat([user("Hi")]).catch(() => {});
  expect(service.bodies[0]?.["include"]).toEqual(
    isKept ? ["reasoning.encrypted_content"] : undefined,
  );
});
