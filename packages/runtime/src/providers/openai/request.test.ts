import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message } from "../../messages/message.ts";
import type { ChatOptions, ToolSchema } from "../provider.ts";
import { ChatRequestWriter } from "./chat-request.ts";
import { COMMON_DIALECT, thinkingFields } from "./dialect.ts";
import { ResponsesRequestWriter } from "./responses-request.ts";

const at = { timestamp: new Date(0) };
const user = (content: Message["content"]): Message => ({ role: "user", id: "u", ...at, content });
const system: Message = { role: "system", id: "s", ...at, content: "Be brief." };
const assistant = (facts: Partial<AssistantMessage>): AssistantMessage => ({
  role: "assistant",
  id: "a",
  ...at,
  content: "",
  state: "complete",
  provider: "openai",
  ...facts,
});
const tool = (toolCallId: string, content: Message["content"]): Message => ({
  role: "tool",
  id: "t",
  ...at,
  toolCallId,
  name: "Read",
  content,
});
const read: ToolSchema = {
  name: "Read",
  description: "Reads",
  parameters: { type: "object", properties: {} },
};
const picture: Message["content"] = [{ type: "image", mediaType: "image/png", data: "AAAA" }];
const files: Message["content"] = [
  { type: "text", text: "See:" },
  ...picture,
  { type: "file", mediaType: "application/pdf", data: "AAAA", name: "a.pdf" },
  { type: "file", mediaType: "text/plain", data: btoa("words"), name: "a.txt" },
];
const svg: Message["content"] = [
  { type: "image", mediaType: "image/svg+xml", data: btoa("<svg/>"), name: "logo.svg" },
];
const SVG_LEFT_OUT = "[logo.svg (image/svg+xml) is left out: models read PNG, JPEG, GIF and WebP]";
const calls = [
  { id: "c1", name: "Read", args: { filePath: "a" } },
  { id: "c2", name: "Read", args: {}, rawArgs: "{half" },
];
const format = { name: "answer", schema: { type: "object" } };

describe("a chat request", () => {
  const write = (
    messages: Message[],
    options: ChatOptions = {},
    maxTokensField: "max_tokens" | "max_completion_tokens" = "max_tokens",
  ): Record<string, unknown> =>
    JSON.parse(
      new ChatRequestWriter({
        provider: "openai",
        model: "m",
        maxTokens: undefined,
        stream: true,
        dialect: { ...COMMON_DIALECT, maxTokensField },
      }).write(messages, options),
    ) as Record<string, unknown>;

  it("contains the conversation with calls and results", () => {
    expect(
      write([
        system,
        user("Hi"),
        assistant({ content: "Wait.", toolCalls: calls }),
        tool("c1", "A"),
        tool("c2", ""),
        assistant({ content: "Done." }),
      ])["messages"],
    ).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: "Wait.",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "Read", arguments: '{"filePath":"a"}' } },
          { id: "c2", type: "function", function: { name: "Read", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "A" },
      { role: "tool", tool_call_id: "c2", content: "(no output)" },
      { role: "assistant", content: "Done." },
    ]);
  });

  it("puts pictures of results after all results of the batch", () => {
    const messages = [
      user("?"),
      assistant({ toolCalls: calls }),
      tool("c1", picture),
      tool("c2", "B"),
      user("!"),
    ];
    expect(write(messages)["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: null },
      { role: "tool", content: "The result follows." },
      { role: "tool", content: "B" },
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
      },
      { role: "user", content: "!" },
    ]);
  });

  it("says of pictures that no model reads that they are left out", () => {
    expect(
      write([user(svg), assistant({ toolCalls: calls }), tool("c1", svg), tool("c2", "B")])[
        "messages"
      ],
    ).toMatchObject([
      { role: "user", content: SVG_LEFT_OUT },
      { role: "assistant" },
      { role: "tool", content: "The result follows." },
      { role: "tool", content: "B" },
      { role: "user", content: [{ type: "text", text: SVG_LEFT_OUT }] },
    ]);
  });

  it("contains the person's images and files", () => {
    expect(write([user(files)])["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "See:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
          },
          { type: "text", text: "a.txt:\nwords" },
        ],
      },
    ]);
  });

  it("sends reasoning back with its calls, and only its own", () => {
    const content: AssistantMessage["content"] = [{ type: "thinking", text: "Hm." }];
    const sent = (facts: Partial<AssistantMessage>): unknown =>
      (write([user("?"), assistant(facts)])["messages"] as unknown[])[1];
    expect(sent({ content, toolCalls: calls })).toMatchObject({ reasoning_content: "Hm." });
    expect(sent({ content: [...content, { type: "text", text: "Hi" }] })).not.toHaveProperty(
      "reasoning_content",
    );
    expect(sent({ content, toolCalls: calls, provider: "anthropic" })).not.toHaveProperty(
      "reasoning_content",
    );
  });

  it("contains the options", () => {
    const options: ChatOptions = {
      tools: [read],
      toolChoice: { name: "Read" },
      maxTokens: 9,
      temperature: 0,
      thinking: { budgetTokens: 5_000 },
      responseFormat: format,
    };
    expect(write([user("?")], options)).toMatchObject({
      model: "m",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 9,
      temperature: 0,
      reasoning_effort: "medium",
      tools: [
        {
          type: "function",
          function: { name: "Read", description: "Reads", parameters: { type: "object" } },
        },
      ],
      tool_choice: { type: "function", function: { name: "Read" } },
      response_format: { type: "json_schema", json_schema: { ...format, strict: true } },
    });
    expect(write([user("?")], { maxTokens: 9 }, "max_completion_tokens")).toMatchObject({
      max_completion_tokens: 9,
    });
  });
});

describe("a responses request", () => {
  const write = (messages: Message[], options: ChatOptions = {}): Record<string, unknown> =>
    JSON.parse(
      new ResponsesRequestWriter({
        provider: "openai",
        model: "m",
        maxTokens: undefined,
        stream: true,
      }).write(messages, options),
    ) as Record<string, unknown>;

  it("contains the conversation as items, with encrypted reasoning", () => {
    const reasoning = { type: "reasoning", id: "r", summary: [], encrypted_content: "x" };
    const content: AssistantMessage["content"] = [
      { type: "thinking", text: "Hm." },
      { type: "provider", provider: "openai", data: reasoning },
      { type: "provider", provider: "openai", data: { type: "reasoning", id: "kept nowhere" } },
      { type: "provider", provider: "anthropic", data: { type: "server_tool_use" } },
      {
        type: "provider",
        provider: "openai",
        data: { type: "message_phase", phase: "commentary" },
      },
      { type: "text", text: "Wait." },
    ];
    expect(
      write([
        system,
        user("Hi"),
        assistant({ content, toolCalls: calls }),
        tool("c1", "A"),
        tool("c2", picture),
        assistant({ content: " " }),
      ])["input"],
    ).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      reasoning,
      { role: "assistant", content: "Wait.", phase: "commentary" },
      { type: "function_call", call_id: "c1", name: "Read", arguments: '{"filePath":"a"}' },
      { type: "function_call", call_id: "c2", name: "Read", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "A" },
      {
        type: "function_call_output",
        call_id: "c2",
        output: [{ type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" }],
      },
    ]);
  });

  it("contains the person's images and files", () => {
    expect(write([user(files)])["input"]).toMatchObject([
      {
        content: [
          { type: "input_text", text: "See:" },
          { type: "input_image", image_url: "data:image/png;base64,AAAA" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
          { type: "input_text", text: "a.txt:\nwords" },
        ],
      },
    ]);
  });

  it("contains the options, and stores nothing at the service", () => {
    const options = {
      tools: [read],
      toolChoice: { name: "Read" },
      maxTokens: 9,
      temperature: 0,
      thinking: { budgetTokens: 1_000 },
      responseFormat: format,
      nativeWebSearch: true,
    };
    expect(write([user("?")], options)).toMatchObject({
      model: "m",
      stream: true,
      store: false,
      max_output_tokens: 9,
      temperature: 0,
      reasoning: { summary: "auto", effort: "low" },
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "function", name: "Read", strict: false }, { type: "web_search" }],
      tool_choice: { type: "function", name: "Read" },
      text: { format: { type: "json_schema", ...format, strict: true } },
    });
    expect(write([user("?")], { thinking: true })["reasoning"]).toEqual({ summary: "auto" });
    expect(write([user("?")])).not.toHaveProperty("include");
  });

  it.each([
    ["gpt-5.5", "low", { effort: "low" }],
    ["gpt-5.5", "max", { effort: "xhigh" }],
    ["o3", "xhigh", { effort: "high" }],
    // A model that does not reason rejects the setting.
    ["gpt-4.1", "high", undefined],
  ] as const)("asks %s for the effort %s as far as it knows it", (model, effort, reasoning) => {
    expect(write([user("?")], { model, effort })["reasoning"]).toEqual(reasoning);
  });
});

it.each([
  ["effort", "gpt-5.5", { reasoning_effort: "xhigh" }],
  ["effort", "llama-4", {}],
  ["reasoning", "any/model", { reasoning: { effort: "high" } }],
  ["type", "glm-5", {}],
] as const)("asks for effort in the dialect %s, of %s", (thinking, model, fields) => {
  const dialect = { ...COMMON_DIALECT, thinking };
  expect(thinkingFields(dialect, { effort: "max" }, model)).toEqual(fields);
});
