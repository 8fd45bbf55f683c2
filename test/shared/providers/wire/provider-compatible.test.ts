import type { AssistantMessage, ChatOptions, Message } from "@robota/runtime";
import {
  type CompatibleName,
  compatibleProvider,
  compatiblePresets,
  type OpenAIProvider,
  type CompatibleOptions,
} from "@robota/runtime/providers/openai";
import { describe, expect, it } from "vitest";
import { events, type WireFetch, wireFetch } from "../../../support/wire/wire-fetch.ts";
import { KEY, user } from "../../../support/wire/wire-providers.ts";

const names = Object.keys(compatiblePresets) as CompatibleName[];
const delta = (fields: object, rest: object = {}): object => ({
  id: "chatcmpl-1",
  model: "m",
  choices: [{ index: 0, delta: fields, ...rest }],
});
const done = "data: [DONE]\n\n";
const said = events(delta({ content: "Hi." }), delta({}, { finish_reason: "stop" })) + done;

function at(
  name: CompatibleName,
  { fetch }: WireFetch,
  options: Partial<CompatibleOptions> = {},
): OpenAIProvider {
  return compatibleProvider(name, {
    model: "m",
    apiKey: KEY,
    fetch,
    maxRetries: 0,
    dangerouslyAllowBrowser: true,
    ...options,
  });
}

async function ask(
  service: WireFetch,
  name: CompatibleName = "ollama",
  options: ChatOptions = {},
  messages: Message[] = [user("Hi")],
): Promise<AssistantMessage> {
  return at(name, service).chat(messages, options);
}

const result = (toolCallId: string): Message => ({
  role: "tool",
  id: toolCallId,
  timestamp: new Date(0),
  toolCallId,
  name: "Read",
  content: "text",
});

describe.each(names)("%s", (name) => {
  it("is called at its own address under its own name, as Chat Completions", async () => {
    const service = wireFetch(() => said);
    const provider = at(name, service);
    const message = await provider.chat([user("Hi")], { maxTokens: 100 });
    expect(provider.name).toBe(name);
    expect(message).toMatchObject({ provider: name, content: "Hi.", stopReason: "end_turn" });
    expect(service.urls).toEqual([`${compatiblePresets[name].baseURL}/chat/completions`]);
    expect(service.bodies[0]).toMatchObject({ max_tokens: 100, stream: true });
  });
});

describe("a compatible server", () => {
  it("gets no header about the SDK, and no key when it needs none", async () => {
    let headers = new Headers();
    const provider = compatibleProvider("ollama", {
      model: "m",
      fetch: (input, init) => {
        headers = new Request(input, init).headers;
        return Promise.resolve(new Response(said));
      },
    });
    await provider.chat([user("Hi")]);
    const names = [...headers.keys()];
    expect(names.filter((header) => header.startsWith("x-stainless"))).toEqual([]);
    expect(names).not.toContain("authorization");
  });

  it("must have a key when the preset requires one", () => {
    for (const name of ["openRouter", "gemini", "ark"] as const) {
      expect(() => compatibleProvider(name, { model: "m" })).toThrow(/needs a key/);
      const proxy = { model: "m", baseURL: "http://localhost:4000/v1" };
      expect(() => compatibleProvider(name, proxy)).not.toThrow();
    }
    // @ts-expect-error there is no such preset
    expect(() => compatibleProvider("olama", { model: "m" })).toThrow(/no preset/);
  });

  it("may omit its usage", async () => {
    expect((await ask(wireFetch(() => said))).usage).toBeUndefined();
  });

  it("may send arguments as objects, in one chunk, without ids and indexes", async () => {
    const call = (path: string): object => ({ function: { name: "Read", arguments: { path } } });
    const message = await ask(
      wireFetch(() =>
        events(
          delta({ tool_calls: [call("a.md"), call("b.md")] }),
          delta({ tool_calls: [call("c.md")] }, { finish_reason: "stop" }),
        ),
      ),
    );
    expect(message.stopReason).toBe("tool_use");
    expect(message.toolCalls?.map(({ args }) => args)).toEqual([
      { path: "a.md" },
      { path: "b.md" },
      { path: "c.md" },
    ]);
    const ids = message.toolCalls?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain("");
  });

  it.each([
    ["one number for all calls", (index: number) => ({ index: 0, id: `call_${index}` })],
    ["no numbers", (index: number) => ({ id: `call_${index}` })],
    ["no ids", (index: number) => ({ index })],
    ["neither number nor id", () => ({})],
    ["one number and no id", () => ({ index: 0 })],
    ["one id for all calls", (index: number) => ({ index, id: "call" })],
  ])("may give parallel calls %s", async (_, numbered) => {
    const chunks = [0, 1].flatMap((index) => [
      delta({
        tool_calls: [
          { ...numbered(index), function: { name: "Read", arguments: '{"n":' + index } },
        ],
      }),
      delta({
        tool_calls: [{ ...withoutId(numbered(index)), function: { arguments: "}" } }],
      }),
    ]);
    const message = await ask(
      wireFetch(() => events(...chunks, delta({}, { finish_reason: "tool_calls" })) + done),
    );
    expect(message.toolCalls?.map(({ args }) => args)).toEqual([{ n: 0 }, { n: 1 }]);
    expect(new Set(message.toolCalls?.map(({ id }) => id)).size).toBe(2);
  });

  it("may repeat a call's name with each piece of its arguments", async () => {
    const piece = (text: string): object =>
      delta({ tool_calls: [{ index: 0, id: "c", function: { name: "Read", arguments: text } }] });
    const message = await ask(
      wireFetch(
        () =>
          events(piece('{"n"'), piece(":1}"), piece(""), delta({}, { finish_reason: "stop" })) +
          done,
      ),
    );
    expect(message.toolCalls).toEqual([{ id: "c", name: "Read", args: { n: 1 } }]);
  });

  it.each([
    ["llamaCpp", "reasoning_content"],
    ["ollama", "reasoning"],
    ["vllm", "reasoning"],
  ] as const)("%s: thinking is shown and sent back with the calls, as %s", async (name, field) => {
    const call = { index: 0, id: "call_1", function: { name: "Read", arguments: "{}" } };
    const service = wireFetch(() =>
      events(
        delta({ [field]: "Let me see." }),
        delta({ tool_calls: [call] }, { finish_reason: "tool_calls" }),
      ),
    );
    const answer = await ask(service, name);
    expect(answer.content).toEqual([{ type: "thinking", text: "Let me see." }]);
    await ask(service, name, {}, [user("Hi"), answer, result("call_1")]);
    expect(service.bodies[1]?.["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", [field]: "Let me see.", tool_calls: [{ id: "call_1" }] },
      { role: "tool" },
    ]);
    // Another server would not know them.
    const other = wireFetch(() => said);
    await ask(other, "lmStudio", {}, [user("Hi"), answer, result("call_1")]);
    expect(JSON.stringify(other.bodies[0])).not.toContain("Let me see.");
  });

  it("may answer in one piece, and is requested so when it can't stream", async () => {
    const body = { choices: [{ message: { content: "Whole." }, finish_reason: "stop" }] };
    const service = wireFetch(() => Response.json(body));
    const message = await at("llamaCpp", service, { stream: false }).chat([user("Hi")]);
    expect(message).toMatchObject({ content: "Whole.", state: "complete" });
    expect(service.bodies[0]?.["stream"]).toBe(false);
    expect(service.bodies[0]).not.toHaveProperty("stream_options");
  });

  it("may send nothing but an end mark", async () => {
    const message = await ask(wireFetch(() => events(delta({ content: "Hi." })) + done));
    expect(message).toMatchObject({ content: "Hi.", stopReason: "end_turn", state: "complete" });
  });

  it("may keep the connection alive with comments, and fail in the middle", async () => {
    const processing = ": OPENROUTER PROCESSING\n\n";
    const error = { error: { code: 502, message: "Provider disconnected" }, choices: [] };
    const service = wireFetch(() => processing + events(delta({ content: "Hal" }), error));
    expect(await ask(service, "openRouter")).toMatchObject({
      content: "Hal",
      state: "interrupted",
      error: { code: "SERVER_ERROR" },
    });
  });

  it("may wrap an error in a list, and report a wrong key as a bad request", async () => {
    const body = [{ error: { code: 400, message: "API key not valid.", status: "INVALID" } }];
    const service = wireFetch(() => Response.json(body, { status: 400 }));
    await expect(ask(service, "gemini")).rejects.toMatchObject({
      code: "AUTHENTICATION_ERROR",
      message: expect.stringContaining("API key not valid.") as string,
    });
  });
});

describe("provider-specific data to send back", () => {
  it("Gemini: the signature of each call", async () => {
    const extra_content = { google: { thought_signature: "opaque" } };
    const call = (id: string, more: object): object => ({
      id,
      function: { name: "Read", arguments: "{}" },
      ...more,
    });
    const calls = [call("call_1", { index: 0, extra_content }), call("call_2", { index: 1 })];
    const service = wireFetch(() =>
      events(delta({ tool_calls: calls }, { finish_reason: "tool_calls" })),
    );
    const answer = await ask(service, "gemini");
    const history = [user("Hi"), answer, result("call_1"), result("call_2")];
    await ask(service, "gemini", {}, history);
    const [, sent] = (service.bodies[1] ?? {})["messages"] as { tool_calls: object[] }[];
    expect(sent?.tool_calls).toEqual([
      {
        id: "call_1",
        type: "function",
        function: { name: "Read", arguments: "{}" },
        extra_content,
      },
      { id: "call_2", type: "function", function: { name: "Read", arguments: "{}" } },
    ]);
    const other = wireFetch(() => said);
    await ask(other, "vllm", {}, history);
    expect(JSON.stringify(other.bodies[0])).not.toContain("opaque");
  });

  it("OpenRouter: the details of the thinking, reassembled", async () => {
    const detail = { type: "reasoning.text", index: 0, format: "anthropic-claude-v1" };
    const call = { index: 0, id: "call_1", function: { name: "Read", arguments: "{}" } };
    const service = wireFetch(() =>
      events(
        delta({ reasoning: "Let me ", reasoning_details: [{ ...detail, text: "Let me " }] }),
        delta({ reasoning: "see.", reasoning_details: [{ ...detail, text: "see." }] }),
        delta({ reasoning_details: [{ ...detail, signature: "sig" }] }),
        delta({ tool_calls: [call] }, { finish_reason: "tool_calls" }),
      ),
    );
    const answer = await ask(service, "openRouter", { thinking: { budgetTokens: 2_000 } });
    await ask(service, "openRouter", { thinking: true }, [user("Hi"), answer, result("call_1")]);
    expect(service.bodies.map(({ reasoning }) => reasoning)).toEqual([
      { max_tokens: 2_000 },
      { enabled: true },
    ]);
    const [, sent] = (service.bodies[1] ?? {})["messages"] as object[];
    expect(sent).toMatchObject({
      role: "assistant",
      reasoning_details: [{ ...detail, text: "Let me see.", signature: "sig" }],
      tool_calls: [{ id: "call_1" }],
    });
    expect(sent).not.toHaveProperty("reasoning");
  });

  it("Ark: thinking is enabled by its own option", async () => {
    const service = wireFetch(() => said);
    await ask(service, "ark", { thinking: true });
    expect(service.bodies[0]).toMatchObject({ thinking: { type: "enabled" } });
  });
});

function withoutId({ index }: { id?: string; index?: number }): object {
  return index === undefined ? {} : { index };
}
