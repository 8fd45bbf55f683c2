import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message, ToolMessage } from "../../messages/message.ts";
import type { ToolSchema } from "../provider.ts";
import type { ChatOptions } from "../provider.ts";
import { RequestWriter } from "./request.ts";

const at = { timestamp: new Date(0) };
const user = (content: Message["content"]): Message => ({ role: "user", id: "u", ...at, content });
const system = (content: string): Message => ({ role: "system", id: "s", ...at, content });
const assistant = (facts: Partial<AssistantMessage>): AssistantMessage => ({
  role: "assistant",
  id: "a",
  ...at,
  content: "",
  state: "complete",
  provider: "anthropic",
  ...facts,
});
const tool = (
  toolCallId: string,
  content: Message["content"],
  facts: Partial<ToolMessage> = {},
): Message => ({
  role: "tool",
  id: "t",
  ...at,
  toolCallId,
  name: "Read",
  content,
  ...facts,
});
const read: ToolSchema = {
  name: "Read",
  description: "Reads",
  parameters: { type: "object", properties: {} },
};
const cache = { type: "ephemeral" };

interface Body {
  system?: unknown;
  tools?: unknown;
  tool_choice?: unknown;
  messages: { role: string; content: Record<string, unknown>[] }[];
  [field: string]: unknown;
}
function write(
  messages: Message[],
  options: ChatOptions = {},
  promptCaching = false,
  model = "claude-opus-5",
): Body {
  const writer = new RequestWriter({
    provider: "anthropic",
    model,
    maxTokens: 1_000,
    promptCaching,
  });
  return JSON.parse(writer.write(messages, options)) as Body;
}
const content = (...messages: Message[]): unknown =>
  write(messages).messages.map((message) => message.content);

it("separates leading system messages, and puts later ones into the conversation", () => {
  const body = write([system("Be brief."), system("Be kind."), user("Hi"), system("It is late.")]);
  expect(body.system).toEqual([{ type: "text", text: "Be brief.\n\nBe kind." }]);
  expect(body.messages).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "Hi" },
        { type: "text", text: "<system>\nIt is late.\n</system>" },
      ],
    },
  ]);
});

it("sends no empty text, no empty message and no lone surrogate", () => {
  expect(
    content(
      user("Hi"),
      assistant({ content: " \n" }),
      user([{ type: "text", text: "" }]),
      user("a\uD83D"),
    ),
  ).toEqual([
    [
      { type: "text", text: "Hi" },
      { type: "text", text: "a\uFFFD" },
    ],
  ]);
});

it("puts the results of one answer into one message, before the person's message", () => {
  const calls = [
    { id: "a", name: "Read", args: { filePath: "a" } },
    { id: "functions.Read:1", name: "Read", args: {}, rawArgs: "{half" },
  ];
  expect(
    content(
      user("Hi"),
      assistant({ toolCalls: calls }),
      tool("a", "A"),
      tool("functions.Read:1", "", { isError: true }),
      user("And now?"),
    ),
  ).toEqual([
    [{ type: "text", text: "Hi" }],
    [
      { type: "tool_use", id: "a", name: "Read", input: { filePath: "a" } },
      { type: "tool_use", id: "functions_Read_1_eaad187f", name: "Read", input: {} },
    ],
    [
      { type: "tool_result", tool_use_id: "a", content: "A" },
      {
        type: "tool_result",
        tool_use_id: "functions_Read_1_eaad187f",
        is_error: true,
        content: "(no output)",
      },
      { type: "text", text: "And now?" },
    ],
  ]);
});

it("sends images and documents, also in results", () => {
  expect(
    content(
      user([
        { type: "image", mediaType: "image/png", data: "AAAA" },
        { type: "image", mediaType: "image/png", url: "https://example.com/a.png" },
        { type: "file", mediaType: "application/pdf", data: "AAAA", name: "a.pdf" },
        { type: "file", mediaType: "text/plain", data: btoa("words") },
      ]),
      assistant({ toolCalls: [{ id: "a", name: "Read", args: {} }] }),
      tool("a", [{ type: "image", mediaType: "image/png", data: "AAAA" }]),
    ),
  ).toMatchObject([
    [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf" },
        title: "a.pdf",
      },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "words" } },
    ],
    [{ type: "tool_use" }],
    [{ type: "tool_result", content: [{ type: "image", source: { type: "base64" } }] }],
  ]);
});

it("says of what the service would refuse that it is left out", () => {
  const large = "A".repeat(5 * 1024 * 1024 + 4);
  const blocks = content(
    user([
      { type: "image", mediaType: "image/svg+xml", data: btoa("<svg/>"), name: "logo.svg" },
      { type: "image", mediaType: "image/png", data: large },
      { type: "image", mediaType: "image/png", data: "data:image/png;base64,AAAA" },
      { type: "file", mediaType: "application/zip", data: "AAAA", name: "a.zip" },
      { type: "file", mediaType: "text/plain", data: "", name: "empty.txt" },
      { type: "file", mediaType: "text/plain", data: "no Base64!" },
    ]),
  );
  expect(blocks).toEqual([
    [
      "[logo.svg (image/svg+xml) is left out: models read PNG, JPEG, GIF and WebP]",
      "[An image (image/png) is left out: it is too large for the model]",
      "[An image (image/png) is left out: it is not Base64]",
      "[a.zip (application/zip) is left out: the model reads text and PDF]",
      "[empty.txt (text/plain) is left out: it is empty]",
      "[A file (text/plain) is left out: it is not Base64]",
    ].map((text) => ({ type: "text", text })),
  ]);
});

it.each([
  ["image/jpg", "AAAA", "image/jpeg"],
  ["IMAGE/PNG", "AAAA", "image/png"],
  ["image/png", "/9j/4AAQSkZJRg==", "image/jpeg"],
  ["application/octet-stream", "iVBORw0KGgoAAAANSUhEUg==", "image/png"],
  ["image/x-gif", "R0lGODlhAQABAAAAACw=", "image/gif"],
  ["image/jpeg", "UklGRiQAAABXRUJQVlA4IA==", "image/webp"],
])("names a picture by what it is: %s %s", (mediaType, data, media_type) => {
  expect(content(user([{ type: "image", mediaType, data }]))).toMatchObject([
    [{ type: "image", source: { media_type, data } }],
  ]);
});

it("sends files of other texts as text", () => {
  const file = { type: "file", mediaType: "application/json", data: btoa("{}") } as const;
  expect(content(user([file]))).toMatchObject([
    [{ type: "document", source: { type: "text", media_type: "text/plain", data: "{}" } }],
  ]);
});

it("sends thinking only with its signature, and only its own", () => {
  const parts: AssistantMessage["content"] = [
    { type: "thinking", text: "Hm.", signature: "proof" },
    { type: "thinking", text: "", redacted: "opaque" },
    { type: "thinking", text: "cut" },
    { type: "provider", provider: "anthropic", data: { type: "server_tool_use", id: "s" } },
    { type: "provider", provider: "openai", data: { type: "reasoning" } },
    { type: "text", text: "Hi" },
  ];
  expect(content(user("?"), assistant({ content: parts }), user("!"))).toMatchObject([
    {},
    [
      { type: "thinking", thinking: "Hm.", signature: "proof" },
      { type: "redacted_thinking", data: "opaque" },
      { type: "server_tool_use", id: "s" },
      { type: "text", text: "Hi" },
    ],
    {},
  ]);
  expect(
    content(user("?"), assistant({ content: parts, provider: "openai" }), user("!")),
  ).toMatchObject([{}, [{ type: "server_tool_use" }, { type: "text" }], {}]);
});

it("trims a trailing answer, so that it can be continued", () => {
  expect(content(user("?"), assistant({ content: "One, \n" }))).toEqual([
    [{ type: "text", text: "?" }],
    [{ type: "text", text: "One," }],
  ]);
});

describe("tools", () => {
  it("are sent with the tool choice", () => {
    expect(write([user("?")], { tools: [read], toolChoice: "required" })).toMatchObject({
      tools: [{ name: "Read", description: "Reads", input_schema: { type: "object" } }],
      tool_choice: { type: "any" },
    });
    expect(write([user("?")], { tools: [read], toolChoice: { name: "Read" } }).tool_choice).toEqual(
      { type: "tool", name: "Read" },
    );
    expect(write([user("?")]).tools).toBeUndefined();
  });

  it("are sent without a choice when the conversation has calls but none is allowed any more", () => {
    const messages = [
      user("?"),
      assistant({ toolCalls: [{ id: "a", name: "Read", args: {} }] }),
      tool("a", "A"),
    ];
    expect(write(messages)).toMatchObject({
      tools: [{ name: "Read" }],
      tool_choice: { type: "none" },
    });
  });

  it("include the service's web search when a session enabled it", () => {
    const { tools } = write([user("?")], { tools: [read], nativeWebSearch: true });
    expect(tools).toMatchObject([
      { type: "web_search_20250305", name: "web_search" },
      { name: "Read" },
    ]);
  });
});

describe("the prompt cache", () => {
  it("is marked after the tools, the system prompt and the last two turns of the user", () => {
    const other: ToolSchema = { ...read, name: "Write" };
    const messages = [
      system("Be brief."),
      user("one"),
      assistant({ content: "1" }),
      user("two"),
      assistant({ toolCalls: [{ id: "a", name: "Read", args: {} }] }),
      tool("a", "A"),
    ];
    const body = write(messages, { tools: [read, other] }, true);
    expect(body.tools).toMatchObject([{ name: "Read" }, { name: "Write", cache_control: cache }]);
    expect((body.tools as object[])[0]).not.toHaveProperty("cache_control");
    expect(body.system).toEqual([{ type: "text", text: "Be brief.", cache_control: cache }]);
    const marked = body.messages.map((message) =>
      message.content.map((block) => "cache_control" in block),
    );
    expect(marked).toEqual([[false], [false], [true], [false], [true]]);
  });

  it("finds the same prefix in the next request", () => {
    const writer = new RequestWriter({
      provider: "anthropic",
      model: "claude",
      maxTokens: 10,
      promptCaching: false,
    });
    const messages = [system("Be brief."), user("one"), assistant({ content: "1" }), user("two")];
    const first = writer.write(messages, { tools: [read] });
    const second = writer.write([...messages, assistant({ content: "2" }), user("three")], {
      tools: [read],
    });
    expect(second.startsWith(first.slice(0, -2))).toBe(true);
  });
});

it.each([
  [
    "claude-opus-5",
    true,
    { thinking: { type: "adaptive", display: "summarized" }, max_tokens: 1_000 },
  ],
  [
    "claude-opus-4-6",
    true,
    { thinking: { type: "adaptive", display: "summarized" }, max_tokens: 1_000 },
  ],
  [
    "claude-sonnet-4-5-20250929",
    true,
    { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 2_024 },
  ],
  [
    "claude-3-7-sonnet-20250219",
    true,
    { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 2_024 },
  ],
  [
    "claude-opus-5",
    { budgetTokens: 5_000 },
    { thinking: { type: "enabled", budget_tokens: 5_000 }, max_tokens: 6_000 },
  ],
])("requests thinking of %s as %j", (model, thinking, expected) => {
  const body = write([user("?")], { thinking, temperature: 0.5 }, false, model);
  expect(body).toMatchObject(expected);
  expect(body["temperature"]).toBeUndefined();
});

it("passes on limits, temperature and the response format", () => {
  const schema = { type: "object" };
  expect(
    write([user("?")], {
      maxTokens: 7,
      temperature: 0,
      model: "other",
      responseFormat: { name: "x", schema },
    }),
  ).toMatchObject({
    model: "other",
    stream: true,
    max_tokens: 7,
    temperature: 0,
    output_config: { format: { type: "json_schema", schema } },
  });
});

it.each([
  ["claude-opus-5", "xhigh", { effort: "xhigh" }],
  ["claude-opus-4-6", "xhigh", { effort: "high" }],
  ["claude-sonnet-4-6", "max", { effort: "max" }],
  // Rejected by models without the setting.
  ["claude-haiku-4-5", "low", undefined],
  ["claude-opus-4-5-20251101", "low", undefined],
  ["another", "low", undefined],
] as const)("asks %s for the effort %s as far as it knows it", (model, effort, config) => {
  expect(write([user("?")], { model, effort })["output_config"]).toEqual(config);
});
