import type { AssistantMessage } from "@robota/runtime";
import { compatibleProvider, OpenAIProvider } from "@robota/runtime/providers/openai";
import { describe, expect, it } from "vitest";
import { events, type WireFetch, wireFetch } from "../../../support/wire/wire-fetch.ts";
import { KEY, user } from "../../../support/wire/wire-providers.ts";

const delta = (fields: object, rest: object = {}): object => ({
  id: "chatcmpl-1",
  model: "m",
  choices: [{ index: 0, delta: fields, ...rest }],
});
const whole = (message: object, rest: object = {}): object => ({
  choices: [{ message, finish_reason: "stop", ...rest }],
});

const settings = { apiKey: KEY, model: "m", dangerouslyAllowBrowser: true, maxRetries: 0 };
const compatible = ({ fetch }: WireFetch, options: object = {}): OpenAIProvider =>
  compatibleProvider("vllm", { ...settings, fetch, ...options });
const responses = ({ fetch }: WireFetch): OpenAIProvider =>
  new OpenAIProvider({ ...settings, fetch, api: "responses" });
const ask = (service: WireFetch): Promise<AssistantMessage> =>
  compatible(service).chat([user("Hi")]);

/** The chunks of a body as they arrive. */
const chunks = (...texts: string[]): Uint8Array[] =>
  texts.map((text) => new TextEncoder().encode(text));

describe("a body that is no event stream", () => {
  const json = JSON.stringify(whole({ content: "Whole." }));
  it.each([
    ["after blank lines that kept the connection open", ["\n", "\n \n", json]],
    ["after a blank line and a byte order mark", ["\r\n", `\uFEFF${json}`]],
    ["in single characters", Array.from(json)],
  ])("is read %s", async (_, texts) => {
    for (const type of ["application/json", "text/event-stream"]) {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const chunk of chunks(...texts)) controller.enqueue(chunk);
          controller.close();
        },
      });
      const headers = { "content-type": type };
      const service = wireFetch(() => new Response(body, { headers }));
      expect(await ask(service)).toMatchObject({ content: "Whole.", state: "complete" });
    }
  });

  it("says what went wrong, though it is announced as an event stream", async () => {
    const error = { error: { message: "no such deployment", code: "invalid_request_error" } };
    await expect(ask(wireFetch(() => JSON.stringify(error)))).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("no such deployment") as string,
    });
  });
});

describe("an answer that ends for the service's own trouble", () => {
  const text = delta({ content: "Half" });
  const call = { index: 0, id: "call_1", function: { name: "Deploy", arguments: "" } };

  it.each(["error", "insufficient_system_resource", "abort"])(
    "is kept as interrupted, without its calls: %s",
    async (reason) => {
      const end = delta({ tool_calls: [call] }, { finish_reason: reason });
      const message = await ask(wireFetch(() => events(text, end)));
      expect(message).toMatchObject({ content: "Half", state: "interrupted", stopReason: "error" });
      expect(message.toolCalls).toBeUndefined();
    },
  );

  it("is reported as the choice says", async () => {
    const error = { code: 429, message: "upstream is busy" };
    const reply = whole({ content: "" }, { finish_reason: "error", error });
    await expect(ask(wireFetch(() => Response.json(reply)))).rejects.toMatchObject({
      name: "RateLimitError",
      message: expect.stringContaining("upstream is busy") as string,
    });
  });
});

describe("calls that are told apart by neither id nor number", () => {
  const list = { function: { name: "List", arguments: "" } };
  const remove = { function: { name: "Remove", arguments: '{"path":"a"}' } };
  const expected = [
    { name: "List", args: {} },
    { name: "Remove", args: { path: "a" } },
  ];

  it("are as many as the answer in one piece has", async () => {
    const message = await ask(
      wireFetch(() => Response.json(whole({ tool_calls: [list, remove] }))),
    );
    expect(message.toolCalls).toMatchObject(expected);
    const twice = whole({ tool_calls: [list, list] });
    expect((await ask(wireFetch(() => Response.json(twice)))).toolCalls).toHaveLength(2);
  });

  it("are several when their names differ", async () => {
    for (const numbered of [{}, { index: 0 }]) {
      const parts = [list, remove].map((part) => delta({ tool_calls: [{ ...numbered, ...part }] }));
      const end = delta({}, { finish_reason: "tool_calls" });
      const message = await ask(wireFetch(() => events(...parts, end)));
      expect(message.toolCalls).toMatchObject(expected);
    }
  });
});

it("runs a call once that comes a second time, whole, under its id and number", async () => {
  const args = '{"path":"a"}';
  const call = (piece: string): object =>
    delta({ tool_calls: [{ index: 0, id: "c", function: { name: "Remove", arguments: piece } }] });
  const end = delta({}, { finish_reason: "tool_calls" });
  const streams = [
    events(call('{"path"'), call(':"a"}'), call(args), end),
    events(call(args), call(args), end),
  ];
  for (const stream of streams) {
    const message = await ask(wireFetch(() => stream));
    expect(message.toolCalls).toEqual([{ id: "c", name: "Remove", args: { path: "a" } }]);
  }
});

it("knows an item of the Responses API by its place, where a gateway gives it another id at its end", async () => {
  const at = (id: string): object => ({ type: "message", role: "assistant", id, content: [] });
  const reasoning = (id: string): object => ({ type: "reasoning", id, summary: [] });
  const service = wireFetch(() =>
    events(
      { type: "response.output_item.added", output_index: 0, item: reasoning("rs_1") },
      { type: "response.output_item.done", output_index: 0, item: reasoning("rs_2") },
      { type: "response.output_item.added", output_index: 1, item: at("msg_1") },
      { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Hi." },
      { type: "response.output_item.done", output_index: 1, item: at("msg_2") },
      { type: "response.completed", response: { id: "r", status: "completed" } },
    ),
  );
  const message = await responses(service).chat([user("Hi")]);
  expect(message).toMatchObject({ state: "complete", stopReason: "end_turn" });
  expect(message.content).toContainEqual({ type: "text", text: "Hi." });
});
