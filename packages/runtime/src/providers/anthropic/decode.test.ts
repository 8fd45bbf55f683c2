import { describe, expect, it } from "vitest";
import type { AssistantMessage, JsonObject } from "../../messages/message.ts";
import { Answer, writtenOrder } from "../answer.ts";
import type { ProviderEvent } from "../provider.ts";
import { MessagesDecoder } from "./decode.ts";

const context = { provider: "anthropic", model: "claude", secrets: [] };
const start: JsonObject = {
  type: "message_start",
  message: { id: "msg_1", usage: { input_tokens: 5, output_tokens: 1 } },
};
const end: JsonObject[] = [
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { input_tokens: null, output_tokens: 9 },
  },
  { type: "message_stop" },
];
const begin = (index: number, content_block: JsonObject): JsonObject => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, of: JsonObject): JsonObject => ({
  type: "content_block_delta",
  index,
  delta: of,
});
const text = (index: number, words: string): JsonObject =>
  delta(index, { type: "text_delta", text: words });
const stop = (index: number): JsonObject => ({ type: "content_block_stop", index });
const textBlock = { type: "text", text: "" };
const call = (id: string): JsonObject => ({ type: "tool_use", id, name: "Read", input: {} });

function decode(...events: JsonObject[]): { answer: Answer; seen: ProviderEvent[] } {
  const seen: ProviderEvent[] = [];
  const answer = new Answer("anthropic", "claude", (event) => seen.push(event));
  const decoder = new MessagesDecoder(answer, context);
  for (const event of events) if (!answer.finished) decoder.event(event);
  if (!answer.finished) decoder.end();
  return { answer, seen };
}
const whole = (...events: JsonObject[]): AssistantMessage => {
  const { answer } = decode(start, ...events, ...end);
  expect(answer.complete).toBe(true);
  return answer.message();
};

describe("events without content", () => {
  it("are skipped: pings, unknown events, unknown deltas, repeated starts and stops", () => {
    const message = whole(
      { type: "ping" },
      { type: "something_new", data: 1 },
      start,
      begin(0, textBlock),
      begin(0, textBlock),
      text(0, "Hi"),
      delta(0, { type: "new_delta" }),
      stop(0),
      stop(0),
      stop(7),
    );
    expect(message).toMatchObject({
      id: "msg_1",
      content: "Hi",
      usage: { inputTokens: 5, outputTokens: 9 },
    });
  });
});

describe("contradictory events", () => {
  it.each([
    ["content for a block that never began", [text(3, "x")]],
    ["content for a block that had ended", [begin(0, textBlock), stop(0), text(0, "x")]],
    ["two starts of one block", [begin(0, textBlock), begin(0, call("a"))]],
    ["two calls in one block", [begin(0, call("a")), begin(0, call("b"))]],
    ["text in a call", [begin(0, call("a")), text(0, "x")]],
    [
      "arguments in a text",
      [begin(0, textBlock), delta(0, { type: "input_json_delta", partial_json: "{" })],
    ],
    ["a second answer", [{ type: "message_start", message: { id: "msg_2" } }]],
  ])("are an error: %s", (_, events) => {
    expect(() => decode(start, ...events)).toThrow(
      expect.objectContaining({ code: "PROTOCOL_ERROR" }),
    );
  });

  it("are an error when the answer ends within a call", () => {
    const events = [
      begin(0, call("a")),
      delta(0, { type: "input_json_delta", partial_json: "{}" }),
    ];
    expect(() => decode(start, ...events, ...end)).toThrow(
      expect.objectContaining({ code: "PROTOCOL_ERROR" }),
    );
  });
});

it("accepts an answer without its last event, but not one without a stop reason", () => {
  expect(
    decode(start, begin(0, textBlock), text(0, "Hi"), stop(0), end[0] as JsonObject).answer
      .complete,
  ).toBe(true);
  expect(decode(start, begin(0, textBlock), text(0, "Hi"), stop(0)).answer.complete).toBe(false);
});

it.each([
  ["overloaded_error", "OVERLOADED", true],
  ["rate_limit_error", "RATE_LIMIT_ERROR", true],
  ["api_error", "SERVER_ERROR", true],
  ["something_new", "SERVER_ERROR", true],
  ["invalid_request_error", "INVALID_REQUEST", false],
  ["authentication_error", "AUTHENTICATION_ERROR", false],
])("turns the error event %s into %s", (type, code, recoverable) => {
  const event: JsonObject = { type: "error", error: { type, message: "words" } };
  expect(() => decode(start, event)).toThrow(expect.objectContaining({ code, recoverable }));
});

it("keeps thinking with its signature, redacted thinking too", () => {
  const message = whole(
    begin(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "Hm." }),
    delta(0, { type: "signature_delta", signature: "proof" }),
    stop(0),
    begin(1, { type: "redacted_thinking", data: "opaque" }),
    stop(1),
    begin(2, textBlock),
    text(2, "Hi"),
    stop(2),
  );
  expect(message.content).toEqual([
    { type: "thinking", text: "Hm.", signature: "proof" },
    { type: "thinking", text: "", redacted: "opaque" },
    { type: "text", text: "Hi" },
  ]);
});

it("keeps the service's own tools with their input and results, in place", () => {
  const search = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };
  const found = { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] };
  const events = [
    begin(0, search),
    delta(0, { type: "input_json_delta", partial_json: '{"query":' }),
    delta(0, { type: "input_json_delta", partial_json: '"tabs"}' }),
    stop(0),
    begin(1, found),
    stop(1),
    begin(2, textBlock),
    text(2, "Found."),
    stop(2),
  ];
  expect(whole(...events).content).toEqual([
    { type: "provider", provider: "anthropic", data: { ...search, input: { query: "tabs" } } },
    { type: "provider", provider: "anthropic", data: found },
    { type: "text", text: "Found." },
  ]);
  expect(decode(start, ...events, ...end).seen[0]).toEqual({
    type: "server_tool_use",
    use: { name: "web_search", input: { query: "tabs" } },
  });
});

it("remembers a call's position before later content", () => {
  const message = whole(
    begin(0, call("a")),
    stop(0),
    begin(1, { type: "thinking", thinking: "More.", signature: "proof" }),
    stop(1),
    begin(2, call("b")),
    stop(2),
  );
  const order = writtenOrder(message, "anthropic").map((item) =>
    "type" in item ? item.type : item.id,
  );
  expect(order).toEqual(["a", "thinking", "b"]);
  const elsewhere = writtenOrder(message, "openai").map((item) =>
    "type" in item ? item.type : item.id,
  );
  expect(elsewhere).toEqual(["thinking", "a", "b"]);
});

it("accepts a call without arguments as complete only when the model has ended the answer", () => {
  const ending = (stop_reason: string): JsonObject[] => [
    { type: "message_delta", delta: { stop_reason } },
    { type: "message_stop" },
  ];
  const callsOf = (stop_reason: string): AssistantMessage["toolCalls"] =>
    decode(start, begin(0, call("a")), stop(0), ...ending(stop_reason)).answer.message().toolCalls;
  expect(callsOf("tool_use")).toEqual([{ id: "a", name: "Read", args: {} }]);
  for (const cut of ["max_tokens", "refusal", "stop_sequence"])
    expect(callsOf(cut)).toMatchObject([{ id: "a", rawArgs: "" }]);
  // Without a reason to stop, the answer is not whole at all.
  const unended = decode(start, begin(0, call("a")), stop(0), { type: "message_stop" });
  expect(unended.answer.complete).toBe(false);
});

it("runs a call that was delivered twice once, and distinguishes calls with the same id", () => {
  const args = (index: number, json: string): JsonObject =>
    delta(index, { type: "input_json_delta", partial_json: json });
  const twice = whole(
    begin(0, call("a")),
    args(0, "{}"),
    stop(0),
    begin(1, call("a")),
    args(1, "{}"),
    stop(1),
  );
  expect(twice.toolCalls).toHaveLength(1);
  const shared = whole(
    begin(0, call("a")),
    args(0, '{"x":1}'),
    stop(0),
    begin(1, call("a")),
    args(1, '{"x":2}'),
    stop(1),
  );
  expect(new Set(shared.toolCalls?.map(({ id }) => id)).size).toBe(2);
});
