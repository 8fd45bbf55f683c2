import { describe, expect, it } from "vitest";
import type { AssistantMessage, JsonObject, JsonValue } from "../../messages/message.ts";
import { Answer, writtenOrder } from "../answer.ts";
import type { Decoder } from "../call.ts";
import { ChatDecoder } from "./chat-decode.ts";
import { ResponsesDecoder } from "./responses-decode.ts";

const context = { provider: "openai", model: "gpt", secrets: [] };

function decode(make: (answer: Answer) => Decoder, events: JsonObject[], isDone = false): Answer {
  const answer = new Answer("openai", "gpt", () => {});
  const decoder = make(answer);
  for (const event of events) if (!answer.finished) decoder.event(event, "");
  if (isDone) decoder.done?.();
  return answer;
}

describe("chat completions", () => {
  const chat = (...events: JsonObject[]): Answer =>
    decode((answer) => new ChatDecoder(answer, context), events);
  const choice = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const calls = (...list: JsonValue[]): JsonObject => choice({ tool_calls: list });
  const stop = choice({}, "stop");
  const message = (...events: JsonObject[]): AssistantMessage => chat(...events, stop).message();

  it("may lack usage", () => {
    expect(message(choice({ content: "Hi" })).usage).toBeUndefined();
  });

  it("may have calls without ids, without indexes, or with the same index", () => {
    const bare = message(
      calls({ index: 0, function: { name: "Read", arguments: '{"a":1}' } }),
      calls({ index: 1, function: { name: "Read", arguments: '{"a":2}' } }),
    );
    expect(bare.toolCalls).toMatchObject([{ args: { a: 1 } }, { args: { a: 2 } }]);
    expect(new Set(bare.toolCalls?.map(({ id }) => id)).size).toBe(2);
    expect(bare.stopReason).toBe("tool_use");

    const unnumbered = message(
      calls({ id: "x", function: { name: "Read", arguments: "" } }),
      calls({ function: { arguments: '{"a"' } }),
      calls({ function: { arguments: ":1}" } }),
      calls({ id: "y", function: { name: "Read", arguments: '{"a":2}' } }),
    );
    expect(unnumbered.toolCalls).toMatchObject([
      { id: "x", args: { a: 1 } },
      { id: "y", args: { a: 2 } },
    ]);

    const same = message(
      calls({ index: 0, id: "x", function: { name: "Read", arguments: '{"a":1}' } }),
      calls({ index: 0, id: "y", function: { name: "Read", arguments: '{"a":2}' } }),
    );
    expect(same.toolCalls).toMatchObject([
      { id: "x", args: { a: 1 } },
      { id: "y", args: { a: 2 } },
    ]);
  });

  it("may have arguments as objects, and late names", () => {
    expect(
      message(calls({ index: 0, id: "x", function: { name: "Read", arguments: { a: 1 } } }))
        .toolCalls,
    ).toEqual([{ id: "x", name: "Read", args: { a: 1 } }]);
    const late = message(
      calls({ index: 0, function: {} }),
      calls({ index: 0, id: "x", function: { name: "Read", arguments: "{}" } }),
    );
    expect(late.toolCalls).toEqual([{ id: "x", name: "Read", args: {} }]);
  });

  it("may have reasoning under two names, and content as a list", () => {
    const parts = message(
      choice({ reasoning_content: "a" }),
      choice({ reasoning: "b" }),
      choice({ content: [{ type: "text", text: "Hi" }] }),
    );
    expect(parts.content).toEqual([
      { type: "thinking", text: "ab" },
      { type: "text", text: "Hi" },
    ]);
  });

  it("report a refusal", () => {
    expect(message(choice({ refusal: "No." }))).toMatchObject({
      content: "No.",
      stopReason: "refusal",
    });
  });

  it("are complete by the end mark alone, and incomplete without any end", () => {
    const make = (answer: Answer): Decoder => new ChatDecoder(answer, context);
    expect(decode(make, [choice({ content: "Hi" })], true)).toMatchObject({ complete: true });
    expect(decode(make, [choice({ content: "Hi" })]).complete).toBe(false);
    expect(decode(make, [], true).complete).toBe(false);
  });

  const makeChat = (answer: Answer): Decoder => new ChatDecoder(answer, context);
  const headed = (index: number, args?: string): JsonValue => ({
    index,
    id: `call_${index}`,
    function: { name: "Read", ...(args === undefined ? {} : { arguments: args }) },
  });

  it.each([
    ["none", [headed(0)]],
    ["an empty text", [headed(0, "")]],
    ["blanks", [headed(0, " ")]],
    ["half of a text", [headed(0, '{"a":')]],
    ["half of a literal", [headed(0, "nul")]],
    ["a whole text and an empty one", [headed(0, '{"a":1}'), headed(1, "")]],
    ["an empty text and a whole one", [headed(0, ""), headed(1, '{"a":1}')]],
  ])("are incomplete by the end mark alone when calls have the arguments %s", (_, list) => {
    const events = [choice({ content: "Look:" }), calls(...list)];
    expect(decode(makeChat, events, true).complete).toBe(false);
  });

  it("are complete by the end mark alone when all arguments are, and in one piece also without", () => {
    const answer = decode(makeChat, [calls(headed(0, "{}"), headed(1, '{"a":1}'))], true);
    expect(answer.complete).toBe(true);
    expect(answer.message().toolCalls).toMatchObject([{ args: {} }, { args: { a: 1 } }]);
    // A body of one piece has no end that could be missing.
    const body = new Answer("openai", "gpt", () => {});
    new ChatDecoder(body, context).whole({
      choices: [{ message: { role: "assistant", tool_calls: [headed(0, "")] } }],
    });
    expect(body.complete).toBe(true);
    expect(body.message().toolCalls).toEqual([{ id: "call_0", name: "Read", args: {} }]);
  });

  it.each(["length", "content_filter"])(
    "run no call whose arguments never arrived: %s",
    (reason) => {
      const cut = chat(calls(headed(0, ""), headed(1, "")), choice({}, reason)).message();
      expect(cut.toolCalls).toMatchObject([{ args: {} }, { args: {}, rawArgs: "" }]);
      expect(cut.toolCalls?.[0]).not.toHaveProperty("rawArgs");
    },
  );

  it.each([
    [{ error: { code: 429, message: "slow" } }, "RATE_LIMIT_ERROR"],
    [{ error: { code: "rate_limit_exceeded", message: "slow" } }, "RATE_LIMIT_ERROR"],
    [{ error: { type: "server_error", message: "oops" } }, "SERVER_ERROR"],
    [{ error: { code: "context_length_exceeded", message: "long" } }, "CONTEXT_LENGTH"],
    [{ error: "oops" }, "SERVER_ERROR"],
  ])("fail with the error %j inside the stream", (event, code) => {
    expect(() => chat(event)).toThrow(expect.objectContaining({ code }));
  });
});

describe("responses", () => {
  const responses = (...events: JsonObject[]): Answer =>
    decode((answer) => new ResponsesDecoder(answer, context), events);
  const created: JsonObject = {
    type: "response.created",
    response: { id: "resp_1", model: "gpt-x" },
  };
  const added = (output_index: number, item: JsonObject): JsonObject => ({
    type: "response.output_item.added",
    output_index,
    item,
  });
  const done = (output_index: number, item: JsonObject): JsonObject => ({
    type: "response.output_item.done",
    output_index,
    item,
  });
  const text = (output_index: number, delta: string): JsonObject => ({
    type: "response.output_text.delta",
    output_index,
    content_index: 0,
    delta,
  });
  const completed: JsonObject = {
    type: "response.completed",
    response: { id: "resp_1", status: "completed" },
  };
  const words: JsonObject = {
    type: "message",
    id: "m",
    content: [{ type: "output_text", text: "Hi" }],
  };
  const message = (...events: JsonObject[]): AssistantMessage =>
    responses(created, ...events, completed).message();

  it("skip unknown events and events with a repeated number", () => {
    const numbered = [
      created,
      added(0, words),
      text(0, "H"),
      text(0, "i"),
      text(0, "i"),
      done(0, words),
      completed,
    ].map((event, at) => ({
      ...event,
      sequence_number: [0, 1, 2, 3, 3, 4, 5][at] ?? 0,
    }));
    expect(responses({ type: "response.new_thing" }, ...numbered).message().content).toBe("Hi");
  });

  it("keep every event of a server that does not number them", () => {
    const flat = [
      created,
      added(0, words),
      text(0, "H"),
      text(0, "i"),
      done(0, words),
      completed,
    ].map((event) => ({ ...event, sequence_number: 0 }));
    expect(responses(...flat).message().content).toBe("Hi");
  });

  it("take content without deltas from the finished item", () => {
    const fn = { type: "function_call", id: "f", call_id: "c", name: "Read", arguments: '{"a":1}' };
    expect(message(done(0, words), done(1, fn))).toMatchObject({
      content: "Hi",
      toolCalls: [{ id: "c", args: { a: 1 } }],
    });
  });

  it("keep reasoning for the next round, and its place among the calls", () => {
    const reasoning = (id: string): JsonObject => ({
      type: "reasoning",
      id,
      summary: [{ type: "summary_text", text: id }],
      encrypted_content: "x",
    });
    const fn = (id: string): JsonObject => ({
      type: "function_call",
      id: `f${id}`,
      call_id: id,
      name: "Read",
      arguments: "{}",
    });
    const answer = message(
      done(0, reasoning("r1")),
      done(1, fn("c1")),
      done(2, reasoning("r2")),
      done(3, fn("c2")),
    );
    const order = writtenOrder(answer, "openai").map((item) =>
      "type" in item ? item.type : item.id,
    );
    expect(order).toEqual(["thinking", "provider", "c1", "thinking", "provider", "c2"]);
  });

  it("mark text before the final answer as an aside", () => {
    const answer = message(
      added(0, { ...words, phase: "commentary" }),
      text(0, "Hi"),
      done(0, words),
    );
    expect(answer.content).toEqual([
      {
        type: "provider",
        provider: "openai",
        data: { type: "message_phase", phase: "commentary" },
      },
      { type: "text", text: "Hi" },
    ]);
  });

  it("separate the paragraphs of a summary", () => {
    const summary = (summary_index: number, delta: string): JsonObject => ({
      type: "response.reasoning_summary_text.delta",
      output_index: 0,
      summary_index,
      delta,
    });
    const { content } = message(
      added(0, { type: "reasoning", id: "r" }),
      summary(0, "a"),
      summary(1, "b"),
      done(0, { type: "reasoning", id: "r" }),
    );
    expect(content).toMatchObject([{ text: "a" }, { text: "\n\nb" }, { type: "provider" }]);
  });

  it("report the service's own search", () => {
    const search = { type: "web_search_call", id: "w", action: { type: "search", query: "tabs" } };
    expect(message(done(0, search), done(1, words)).content).toMatchObject([
      { type: "provider", data: search },
      { type: "text" },
    ]);
  });

  it.each([
    ["content for an item that never began", [text(4, "x")]],
    ["content for an item that had ended", [done(0, words), text(0, "x")]],
    ["two starts of one item", [added(0, words), added(0, { type: "function_call", id: "f" })]],
    [
      "arguments for a text",
      [
        added(0, words),
        { type: "response.function_call_arguments.delta", output_index: 0, delta: "{" },
      ],
    ],
    [
      "an end within a call",
      [added(0, { type: "function_call", id: "f", call_id: "c", name: "Read" }), completed],
    ],
  ])("that contradict themselves are an error: %s", (_, events) => {
    expect(() => responses(created, ...events)).toThrow(
      expect.objectContaining({ code: "PROTOCOL_ERROR" }),
    );
  });

  it.each([
    [{ type: "error", code: "rate_limit_exceeded", message: "slow" }, "RATE_LIMIT_ERROR"],
    [{ type: "error", error: { code: "server_error", message: "oops" } }, "SERVER_ERROR"],
    [
      {
        type: "response.failed",
        response: { status: "failed", error: { code: "server_error", message: "oops" } },
      },
      "SERVER_ERROR",
    ],
    [
      {
        type: "response.failed",
        response: { status: "failed", error: { code: "invalid_prompt", message: "no" } },
      },
      "REFUSED",
    ],
  ])("fail with %j", (event, code) => {
    expect(() => responses(created, event)).toThrow(expect.objectContaining({ code }));
  });

  const incomplete = (reason: string): JsonObject => ({
    type: "response.incomplete",
    response: { status: "incomplete", incomplete_details: { reason } },
  });

  it.each(["max_output_tokens", "content_filter"])(
    "run no call whose arguments never arrived: %s",
    (reason) => {
      const fn = { type: "function_call", id: "f", call_id: "c", name: "Read", arguments: "" };
      const halfway = [added(0, fn), incomplete(reason)];
      const ended = [done(0, { ...fn, status: "incomplete" }), incomplete(reason)];
      for (const events of [halfway, ended])
        expect(responses(created, ...events).message().toolCalls).toMatchObject([
          { id: "c", rawArgs: "" },
        ]);
    },
  );

  it("report why they are incomplete", () => {
    expect(
      responses(created, done(0, words), incomplete("max_output_tokens")).message().stopReason,
    ).toBe("max_tokens");
    expect(
      responses(created, done(0, words), incomplete("content_filter")).message().stopReason,
    ).toBe("refusal");
  });
});
