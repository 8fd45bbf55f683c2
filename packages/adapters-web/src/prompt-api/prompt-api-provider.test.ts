import { type ChatOptions, type Message, type ProviderEvent, Robota } from "@robota/runtime";
import { type ProviderNativeRawPayload } from "@robota/runtime/providers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { standIn, type StandIn } from "../../../../test/support/language-model.ts";
import { PromptApiProvider } from "./prompt-api-provider.ts";

const at = { timestamp: new Date(0) };
const user = (content: Message["content"]): Message => ({ role: "user", id: "u", ...at, content });
const system: Message = { role: "system", id: "s", ...at, content: "Be brief." };
const read = {
  name: "Read",
  description: "Reads a file",
  parameters: { type: "object", properties: { filePath: { type: "string" } } },
};

async function ask(
  model: StandIn,
  messages: Message[] = [user("Hi")],
  options: ChatOptions = {},
): Promise<{ events: ProviderEvent[]; message: Awaited<ReturnType<PromptApiProvider["chat"]>> }> {
  const events: ProviderEvent[] = [];
  const provider = new PromptApiProvider({ languageModel: model });
  const message = await provider.generate(messages, options, (event) => events.push(event));
  return { events, message };
}

afterEach(() => vi.unstubAllGlobals());

describe("the browser's own model", () => {
  it("is found when the browser has it; otherwise the error says what to do", async () => {
    vi.stubGlobal("LanguageModel", undefined);
    const without = new PromptApiProvider();
    expect(await without.availability()).toBe("unavailable");
    await expect(without.chat([user("Hi")])).rejects.toMatchObject({
      code: "MODEL_NOT_AVAILABLE",
      hint: expect.stringContaining("Chrome") as string,
    });
    await expect(without.prepare()).rejects.toMatchObject({ code: "MODEL_NOT_AVAILABLE" });
    vi.stubGlobal("LanguageModel", standIn());
    expect(await new PromptApiProvider().availability()).toBe("available");
    const languages = ["tlh"];
    expect(await new PromptApiProvider({ languages }).availability()).toBe("unavailable");
  });

  it("is downloaded only on request, and reports its progress", async () => {
    const model = standIn(4_096);
    model.state = "downloadable";
    const provider = new PromptApiProvider({ languageModel: model });
    await expect(provider.chat([user("Hi")])).rejects.toMatchObject({
      hint: expect.stringContaining("prepare()") as string,
    });
    expect(model.creations).toHaveLength(0);
    expect(provider.contextWindow).toBeUndefined();
    const progress: number[] = [];
    await provider.prepare({ onDownloadProgress: (fraction) => progress.push(fraction) });
    expect(progress).toEqual([0, 0.25, 0.5, 1]);
    expect(provider.contextWindow).toBe(4_096);
    expect(await provider.availability()).toBe("available");
    expect(model.open).toBe(0);
  });

  it("aborts a download", async () => {
    const model = standIn();
    model.state = "downloadable";
    const abort = new AbortController();
    const prepared = new PromptApiProvider({ languageModel: model }).prepare({
      signal: abort.signal,
      onDownloadProgress: () => abort.abort(),
    });
    await expect(prepared).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("an answer of the browser's model", () => {
  it("is streamed, given the previous conversation, and reports its usage", async () => {
    const model = standIn();
    model.answers = [["Hel", "lo."]];
    const messages: Message[] = [
      system,
      user("Hi"),
      { role: "assistant", id: "a", ...at, content: "Yes?", state: "complete" },
      user("Say hello"),
    ];
    const { events, message } = await ask(model, messages);
    expect(events).toEqual([
      { type: "text_delta", delta: "Hel" },
      { type: "text_delta", delta: "lo." },
    ]);
    expect(message).toMatchObject({
      content: "Hello.",
      state: "complete",
      stopReason: "end_turn",
      provider: "prompt-api",
      usage: { inputTokens: 9, outputTokens: 2 },
    });
    expect(model.creations[0]?.initialPrompts).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Yes?" },
    ]);
    expect(model.prompts[0]?.input).toEqual([{ role: "user", content: "Say hello" }]);
    expect(model.open).toBe(0);
  });

  it("continues another service's conversation, without parts that only that service understands", async () => {
    const model = standIn();
    model.answers = [["Both are there."]];
    const began: Message = {
      role: "assistant",
      id: "a",
      ...at,
      content: [
        { type: "thinking", text: "Let me see.", signature: "sig" },
        { type: "text", text: "Looking." },
        { type: "provider", provider: "openai", data: { encrypted_content: "opaque" } },
      ],
      toolCalls: [
        { id: "call_a", name: "Read", args: { filePath: "a.md" } },
        { id: "call_b", name: "Read", args: { filePath: "b.md" } },
      ],
      state: "complete",
      provider: "anthropic",
      model: "claude-sonnet-5",
    };
    const results = ["call_a", "call_b"].map((toolCallId): Message => ({
      role: "tool",
      id: `result of ${toolCallId}`,
      ...at,
      toolCallId,
      name: "Read",
      content: `text of ${toolCallId}`,
    }));
    await ask(model, [user("Hi"), began, ...results]);
    expect(model.creations[0]?.initialPrompts).toEqual([
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: [
          "Looking.",
          '{"tool":"Read","args":{"filePath":"a.md"}}',
          '{"tool":"Read","args":{"filePath":"b.md"}}',
        ].join("\n"),
      },
    ]);
    expect(model.prompts[0]?.input).toEqual([
      { role: "user", content: "Result of Read:\ntext of call_a" },
      { role: "user", content: "Result of Read:\ntext of call_b" },
    ]);
  });

  it("may call a tool, in a constrained form", async () => {
    const model = standIn();
    model.answers = [['{"tool":"Read",', '"args":{"filePath":"a.md"}}']];
    const { events, message } = await ask(model, [user("Read a.md")], { tools: [read] });
    expect(events.map(({ type }) => type)).toEqual(["tool_call_delta"]);
    expect(message).toMatchObject({
      content: "",
      stopReason: "tool_use",
      toolCalls: [{ name: "Read", args: { filePath: "a.md" } }],
    });
    expect(model.prompts[0]?.options.responseConstraint).toMatchObject({
      anyOf: [
        { required: ["say"] },
        { required: ["tool", "args"], properties: { tool: { const: "Read" } } },
      ],
    });
    expect(JSON.stringify(model.creations[0]?.initialPrompts)).toContain("Reads a file");
  });

  it("is streamed out of its constrained form while it is written", async () => {
    const model = standIn();
    const json = JSON.stringify({ say: 'A "quote",\nüñï and 😀.' }).replace("😀", "\\ud83d\\ude00");
    model.answers = [json.split("")];
    const { events, message } = await ask(model, [user("Hi")], { tools: [read] });
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
    expect(deltas.length).toBeGreaterThan(10);
    expect(deltas.every((delta) => delta.isWellFormed())).toBe(true);
    expect(deltas.join("")).toBe('A "quote",\nüñï and 😀.');
    expect(message.content).toBe('A "quote",\nüñï and 😀.');
  });

  it.each([
    ["none", undefined],
    ["required", 1],
    [{ name: "Read" }, 1],
    ["auto", 2],
  ] as const)("obeys the tool choice %j", async (toolChoice, forms) => {
    const model = standIn();
    model.answers = [['{"tool":"Read","args":{}}']];
    await ask(model, [user("Hi")], { tools: [read], toolChoice });
    const constraint = model.prompts[0]?.options.responseConstraint as { anyOf: unknown[] };
    expect(constraint?.anyOf.length).toBe(forms);
  });

  it("is offered few tools, or the chosen ones", async () => {
    const tools = ["A", "B", "C", "D", "E"].map((name) => ({ ...read, name }));
    const model = standIn();
    model.answers = [['{"say":"1"}'], ['{"say":"2"}']];
    await ask(model, [user("Hi")], { tools });
    const chosen = new PromptApiProvider({ languageModel: model, tools: ["E"] });
    await chosen.chat([user("Hi")], { tools });
    const offered = model.prompts.map(({ options }) =>
      [...JSON.stringify(options.responseConstraint).matchAll(/"const":"(\w)"/g)].map(
        ([, name]) => name,
      ),
    );
    expect(offered).toEqual([["A", "B", "C", "D"], ["E"]]);
  });

  it("that is neither text nor a call is an error, and runs no tool", async () => {
    const model = standIn();
    model.answers = [['{"tool":"Read","args":{"file'], ["Sure, I will"]];
    for (let call = 0; call < 2; call += 1) {
      await expect(ask(model, [user("Hi")], { tools: [read] })).rejects.toMatchObject({
        code: "INVALID_RESPONSE",
      });
    }
    expect(model.open).toBe(0);
  });

  it("follows a schema", async () => {
    const model = standIn();
    model.answers = [['{"n":1}']];
    const schema = { type: "object", properties: { n: { type: "number" } } };
    const { message } = await ask(model, [user("Hi")], { responseFormat: { name: "n", schema } });
    expect(message.content).toBe('{"n":1}');
    expect(model.prompts[0]?.options.responseConstraint).toEqual(schema);
  });

  it("accepts an image, which is announced", async () => {
    const model = standIn();
    model.answers = [["A dot."]];
    const image = { type: "image", mediaType: "image/png", data: "AQID" } as const;
    const pdf = {
      type: "file",
      mediaType: "application/pdf",
      data: "AQID",
      name: "a.pdf",
    } as const;
    await ask(model, [user([{ type: "text", text: "What?" }, image, pdf])]);
    expect(model.creations[0]?.expectedInputs?.map(({ type }) => type)).toEqual(["text", "image"]);
    const [content] = model.prompts[0]?.input.map((message) => message.content) ?? [];
    expect(content).toMatchObject([{ value: "What?" }, { type: "image" }, { type: "text" }]);
    const picture = typeof content === "string" ? undefined : content?.[1]?.value;
    expect(picture instanceof Blob && picture.size).toBe(3);
  });
});

describe("a call of the browser's model that fails", () => {
  it("reports an over-long conversation before the browser drops its beginning", async () => {
    const model = standIn(100);
    const long = "word ".repeat(120);
    await expect(ask(model, [user(long)])).rejects.toMatchObject({ code: "CONTEXT_LENGTH" });
    const before: Message = { role: "assistant", id: "a", ...at, content: long, state: "complete" };
    await expect(ask(model, [user("Hi"), before, user("Hi")])).rejects.toMatchObject({
      code: "CONTEXT_LENGTH",
    });
    expect(model.prompts).toHaveLength(0);
    expect(model.open).toBe(0);
  });

  it("keeps shown text on abort, and destroys the session", async () => {
    const model = standIn();
    model.answers = [["Hel", "lo ", "you"]];
    const abort = new AbortController();
    const provider = new PromptApiProvider({ languageModel: model });
    const message = await provider.generate([user("Hi")], { signal: abort.signal }, () =>
      abort.abort(),
    );
    expect(message).toMatchObject({
      content: "Hel",
      state: "interrupted",
      stopReason: "aborted",
    });
    expect(message.error).toBeUndefined();
    expect(model.open).toBe(0);
    const early = provider.chat([user("Hi")], { signal: AbortSignal.abort() });
    await expect(early).rejects.toMatchObject({ name: "AbortError" });
  });

  it("ends at the idle timeout, also when the browser ignores the abort", async () => {
    const model = standIn();
    model.promptStreaming = () => new ReadableStream<string>();
    const provider = new PromptApiProvider({ languageModel: model });
    const silent = provider.chat([user("Hi")], { idleTimeoutMs: 50 });
    await expect(silent).rejects.toMatchObject({ code: "NETWORK_ERROR" });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    const aborted = provider.chat([user("Hi")], { signal: abort.signal });
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
    expect(model.open).toBe(0);
  });

  it("passes on an error thrown by the listener", async () => {
    const model = standIn();
    model.answers = [["Hello."]];
    const provider = new PromptApiProvider({ languageModel: model });
    const call = provider.generate([user("Hi")], {}, () => {
      throw new TypeError("listener");
    });
    await expect(call).rejects.toBeInstanceOf(TypeError);
    expect(model.open).toBe(0);
  });

  it("keeps shown text when the model fails, and reports the reason", async () => {
    const model = standIn();
    model.answers = [new DOMException("withheld", "NotReadableError")];
    const { message } = await ask(model);
    expect(message).toMatchObject({
      content: "Half",
      state: "interrupted",
      error: { code: "REFUSED" },
    });
    expect(model.open).toBe(0);
  });

  it("names a language that the model does not support", async () => {
    const languageModel = standIn();
    const provider = new PromptApiProvider({ languageModel, languages: ["tlh"] });
    await expect(provider.chat([user("Hi")])).rejects.toMatchObject({
      code: "MODEL_NOT_AVAILABLE",
    });
  });
});

it("logs requests and answers without keys", async () => {
  const model = standIn();
  model.answers = [["Hel", "lo."]];
  const payloads: ProviderNativeRawPayload[] = [];
  await ask(model, [user("My key is sk-test-0123456789abcdef.")], {
    onProviderNativeRawPayload: (payload) => payloads.push(payload),
  });
  expect(payloads.map(({ payloadKind, sequence }) => `${sequence} ${payloadKind}`)).toEqual([
    "0 request",
    "1 stream_event",
    "2 stream_event",
  ]);
  expect(JSON.stringify(payloads[0])).toContain("My key is [REDACTED].");
});

it("runs an agent through a round with tools", async () => {
  const model = standIn();
  model.answers = [
    ['{"tool":"Read","args":{"filePath":"a.md"}}'],
    (prompt) => [JSON.stringify({ say: `It says: ${JSON.stringify(prompt)}` })],
  ];
  const agent = new Robota({
    provider: new PromptApiProvider({ languageModel: model }),
    tools: [{ ...read, execute: () => "forty-two" }],
  });
  const { text } = await agent.run("What is in a.md?");
  expect(text).toContain("Result of Read");
  expect(text).toContain("forty-two");
  expect(model.creations[1]?.initialPrompts?.at(-1)).toEqual({
    role: "assistant",
    content: '{"tool":"Read","args":{"filePath":"a.md"}}',
  });
  expect(model.open).toBe(0);
});
