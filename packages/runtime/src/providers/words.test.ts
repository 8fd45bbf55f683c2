import { describe, expect, it } from "vitest";
import type { JsonObject } from "../messages/message.ts";
import { MessagesDecoder } from "./anthropic/decode.ts";
import { Answer } from "./answer.ts";
import type { Decoder } from "./call.ts";
import { ChatDecoder } from "./openai/chat-decode.ts";
import { ResponsesDecoder } from "./openai/responses-decode.ts";
import type { ProviderEvent } from "./provider.ts";

const context = { provider: "test", model: "m", secrets: [] };

interface Read {
  /** Number of events read without being parsed. */
  taken: number;
  said: unknown;
}

/** Reads a stream as a call does; `parsed`: every event of it through JSON. */
function read(make: (answer: Answer) => Decoder, stream: string[], parsed: boolean): Read {
  const events: ProviderEvent[] = [];
  const answer = new Answer("test", "m", (event) => events.push(event));
  const decoder = make(answer);
  let taken = 0;
  let failure = "";
  try {
    for (const json of stream) {
      if (!parsed && decoder.words?.(json, "")) taken += 1;
      else decoder.event(JSON.parse(json) as JsonObject, "");
    }
  } catch (error) {
    failure = String(error);
  }
  const { id, model, usage, stopReason } = answer;
  return { taken, said: { events, id, model, usage, stopReason, failure } };
}

/** Checks that both ways say the same; resolves to the number of events not parsed. */
function taken(make: (answer: Answer) => Decoder, ...stream: string[]): number {
  const quick = read(make, stream, false);
  expect(quick.said).toEqual(read(make, stream, true).said);
  return quick.taken;
}

const ODD_WORDS = [
  "",
  " ",
  "ü 🙂 ",
  "}",
  '"}}',
  "a\\b",
  "line\nline",
  "\u0000",
  "\u0085",
  "\ud83d",
];

describe("text events of the Messages API that skip parsing", () => {
  const messages = (answer: Answer): Decoder => new MessagesDecoder(answer, context);
  const begin = (index: number, type: string): string =>
    JSON.stringify({
      type: "content_block_start",
      index,
      content_block: { type, [type]: "", id: "t", name: "n" },
    });
  const text = (words: string, index = 0): string =>
    JSON.stringify({
      type: "content_block_delta",
      index,
      delta: { type: "text_delta", text: words },
    });
  const thought = text("so").replaceAll("text", "thinking");

  it("have the same text as when parsed", () => {
    expect(taken(messages, begin(0, "text"), text("a"), text(" b"), text("c"))).toBe(3);
    expect(taken(messages, begin(0, "thinking"), thought)).toBe(1);
    expect(taken(messages, begin(0, "text"), text("a").replace(/}$/, "      }"))).toBe(1);
    taken(messages, begin(0, "text"), ...ODD_WORDS.map((words) => text(words)));
  });

  it("are refused out of place", () => {
    expect(taken(messages, text("a"))).toBe(0);
    expect(taken(messages, begin(0, "text"), text("a", 1))).toBe(0);
    expect(taken(messages, begin(0, "thinking"), text("a"))).toBe(0);
    expect(taken(messages, begin(0, "tool_use"), text("a"))).toBe(0);
    expect(taken(messages, begin(0, "text"), thought)).toBe(0);
    const stop = JSON.stringify({ type: "content_block_stop", index: 0 });
    expect(taken(messages, begin(0, "text"), stop, text("a"))).toBe(0);
  });
});

describe("text events of Chat Completions that skip parsing", () => {
  const chat = (answer: Answer): Decoder => new ChatDecoder(answer, context);
  const chunk = (content: string, head: object = { id: "c", model: "m" }, tail = {}): string => {
    const choice = { index: 0, delta: { content }, logprobs: null, finish_reason: null };
    return JSON.stringify({ ...head, choices: [choice], ...tail });
  };

  it("have the same text as when parsed", () => {
    expect(taken(chat, chunk("a"), chunk("b"), chunk("c"))).toBe(2);
    const head = {
      object: "chat.completion.chunk",
      created: 7,
      id: "c",
      provider: "x",
      model: "m",
    };
    const tail = { usage: null, obfuscation: "xyz" };
    expect(taken(chat, chunk("a", head, tail), chunk("b", head, tail))).toBe(1);
    taken(chat, ...ODD_WORDS.map((words) => chunk(words)));
  });

  it("are parsed when any other field has changed", () => {
    const other = { id: "c", model: "other" };
    expect(taken(chat, chunk("a"), chunk("b", other), chunk("c", other), chunk("d"))).toBe(1);
    const usage = { usage: { prompt_tokens: 3, completion_tokens: 4 } };
    expect(taken(chat, chunk("a"), chunk("b", undefined, usage))).toBe(0);
    expect(taken(chat, chunk("a"), chunk("b").replace("null}", '"stop"}'))).toBe(0);
    const error = { error: { message: "no", code: 500 } };
    expect(taken(chat, chunk("a"), chunk("b", undefined, error))).toBe(0);
    const open = (words: string): string => `{"in":${chunk(words)}}`;
    expect(taken(chat, open("a"), open("b"))).toBe(0);
    const call = { index: 0, id: "t", function: { name: "n", arguments: "{}" } };
    const calling = chunk("b").replace('"content":"b"', `"tool_calls":[${JSON.stringify(call)}]`);
    expect(taken(chat, chunk("a"), calling, chunk("b"))).toBe(1);
  });

  it("are parsed when the event is named an error", () => {
    const decoder = chat(new Answer("test", "m", () => {}));
    expect(decoder.words?.(chunk("a"), "")).toBe(false);
    expect(decoder.words?.(chunk("a"), "error")).toBe(false);
    expect(decoder.words?.(chunk("a"), "")).toBe(true);
  });
});

describe("text events of the Responses API that skip parsing", () => {
  const responses = (answer: Answer): Decoder => new ResponsesDecoder(answer, context);
  const item = (type: string, of: object): string =>
    JSON.stringify({ type, sequence_number: 1, output_index: 0, item: of });
  const begin = item("response.output_item.added", { type: "message", id: "i" });
  const text = (sequence_number: number, delta: string, tail: object = {}): string =>
    JSON.stringify({
      type: "response.output_text.delta",
      sequence_number,
      item_id: "i",
      output_index: 0,
      content_index: 0,
      delta,
      ...tail,
    });

  it("have the same text as when parsed", () => {
    const tail = { logprobs: [], obfuscation: "x" };
    expect(taken(responses, begin, text(2, "a"), text(3, "b", tail))).toBe(2);
    expect(taken(responses, begin, text(2, "a"), text(2, "a"), text(3, "b"))).toBe(3);
    taken(responses, begin, ...ODD_WORDS.map((words, index) => text(index + 2, words)));
  });

  it("fail out of place", () => {
    expect(taken(responses, text(2, "a"))).toBe(0);
    const done = item("response.output_item.done", { type: "message", id: "i", content: [] });
    expect(taken(responses, begin, done, text(9, "a"))).toBe(0);
  });
});
