import { describe, expect, it } from "vitest";
import { Robota } from "../../agent/robota.ts";
import {
  SimpleRemoteExecutor,
  type SimpleRemoteExecutorOptions,
} from "../../toolkit/executors/simple-remote-executor.ts";
import { RateLimitError } from "../../errors.ts";
import type { Message } from "../../messages/message.ts";
import type { ProviderEvent } from "../../providers/provider.ts";
import { type ScriptedReply, ScriptedProvider } from "../../testing/scripted-provider.ts";
import { createFunctionTool } from "../../tools/function-tool.ts";
import { executorHandler, type ExecutorHandlerOptions } from "./executor-handler.ts";

const ask: Message[] = [
  {
    role: "user",
    id: "1",
    timestamp: new Date(5),
    content: "Hi",
    metadata: { at: new Date(7), tags: ["a"] },
  },
];

/** A remote executor whose requests go to a handler in this process, as bytes. */
function pair(
  script: readonly ScriptedReply[],
  handlerOptions: Partial<ExecutorHandlerOptions> = {},
  options: Partial<SimpleRemoteExecutorOptions> = {},
) {
  const provider = new ScriptedProvider(script, { model: "m" });
  const errors: unknown[] = [];
  const handler = executorHandler(provider, {
    tokens: { app: "app-token" },
    onError: (error) => errors.push(error),
    ...handlerOptions,
  });
  const remote = new SimpleRemoteExecutor({
    url: "https://worker.example/v1/execute/",
    token: "app-token",
    model: "m",
    maxRetries: 0,
    fetch: async (input, init) => handler(new Request(input, init)),
    ...options,
  });
  return { provider, remote, handler, errors };
}

async function eventsOf(stream: AsyncIterable<ProviderEvent>): Promise<ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("a remote provider", () => {
  it("streams the provider's events, and ends with its message", async () => {
    const { remote, provider } = pair([
      {
        thinking: "hm",
        deltas: ["Hel", "lo"],
        toolCalls: [{ id: "c1", name: "look", args: { at: "x" } }],
        usage: { inputTokens: 3 },
      },
    ]);
    const events = await eventsOf(remote.chatStream(ask, { temperature: 0.5 }));
    expect(events.map(({ type }) => type)).toEqual([
      "thinking_delta",
      "text_delta",
      "text_delta",
      "tool_call_delta",
      "tool_call_delta",
      "message",
    ]);
    expect(events.at(-1)).toMatchObject({
      message: {
        timestamp: expect.any(Date),
        provider: "scripted",
        toolCalls: [{ id: "c1", name: "look", args: { at: "x" } }],
        usage: { inputTokens: 3 },
        content: [
          { type: "thinking", text: "hm" },
          { type: "text", text: "Hello" },
        ],
      },
    });
    expect(provider.requests[0]).toMatchObject({
      messages: ask,
      options: { model: "m", temperature: 0.5 },
    });
  });

  it("is called by POST, and says so otherwise", async () => {
    const { handler } = pair([]);
    for (const method of ["GET", "PUT", "DELETE"]) {
      const response = await handler(new Request("https://worker.example/v1/execute", { method }));
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
      expect(await response.json()).toMatchObject({ code: "METHOD_NOT_ALLOWED" });
    }
  });

  it("serves an agent with its tools", async () => {
    const { remote, provider } = pair([
      { toolCalls: [{ name: "add", args: { a: 1, b: 2 } }] },
      { text: "3" },
    ]);
    const add = createFunctionTool(
      "add",
      "Adds",
      { type: "object" },
      ({ a, b }) => Number(a) + Number(b),
    );
    const agent = new Robota({ provider: remote, tools: [add] });
    expect((await agent.run("1 + 2?")).text).toBe("3");
    expect(provider.requests[0]?.options.tools).toEqual([
      { name: "add", description: "Adds", parameters: { type: "object" } },
    ]);
  });

  it("executes requests as values", async () => {
    const { remote } = pair([{ text: "a" }, { text: "b" }]);
    expect((await remote.execute({ messages: ask })).content).toBe("a");
    expect(
      (await eventsOf(remote.executeStream({ messages: ask, provider: "remote" }))).at(-1),
    ).toMatchObject({ message: { content: "b" } });
    await expect(remote.execute({ messages: ask, provider: "other" })).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
    });
  });

  it("fails with the provider's error, once", async () => {
    const limit = new RateLimitError("Slow down", { provider: "p", status: 429, retryAfterMs: 5 });
    const { remote, provider, errors } = pair([{ error: limit }], {}, { maxRetries: 3 });
    const failure: unknown = await remote.chat(ask).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RateLimitError);
    expect(failure).toMatchObject({ status: 429, retryAfterMs: 5, message: "Slow down" });
    expect([provider.requests.length, errors]).toEqual([1, [limit]]);
  });

  it("hides internal failures", async () => {
    const { remote } = pair([{ error: new Error("at /srv/secret.ts") }]);
    await expect(remote.chat(ask)).rejects.toMatchObject({
      code: "PROVIDER_ERROR",
      message: expect.not.stringContaining("secret"),
    });
  });

  it("keeps the text of a truncated answer", async () => {
    const { remote } = pair([{ deltas: ["so far"], error: "down" }]);
    expect(await remote.chat(ask)).toMatchObject({
      content: "so far",
      state: "interrupted",
      error: { message: "down" },
    });
  });

  it("aborts the remote call when aborted locally", async () => {
    const stop = new AbortController();
    let aborted = false;
    const { remote } = pair([
      (request) => {
        request.options.signal?.addEventListener("abort", () => (aborted = true));
        return { deltas: ["one", "two"], delayMs: 30 };
      },
    ]);
    const answer = await remote.chat(ask, {
      signal: stop.signal,
      onTextDelta: () => stop.abort(),
    });
    expect(answer).toMatchObject({ content: "one", state: "interrupted", stopReason: "aborted" });
    await expect.poll(() => aborted).toBe(true);
  });

  it("keeps the connection alive while the provider thinks", async () => {
    const { remote } = pair(
      [{ delayMs: 3_000, text: "late" }],
      { pingIntervalMs: 100 },
      { idleTimeoutMs: 2_000 },
    );
    expect((await remote.chat(ask)).content).toBe("late");
  });
});

describe("the server of a provider", () => {
  it("refuses callers without the right token", async () => {
    for (const token of [undefined, "wrong"]) {
      const { remote, provider } = pair(
        [{ text: "x" }],
        {},
        token === undefined ? { token: () => "" } : { token },
      );
      await expect(remote.chat(ask)).rejects.toMatchObject({
        code: "AUTHENTICATION_ERROR",
        status: 401,
      });
      expect(provider.requests).toEqual([]);
    }
    expect(() => executorHandler(new ScriptedProvider([]), {})).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_ERROR" }),
    );
    const open = pair([{ text: "x" }], { anonymousOwner: "all", tokens: {} });
    const response = await open.handler(
      new Request("https://w.example/", {
        method: "POST",
        body: JSON.stringify({ messages: ask }),
      }),
    );
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it("enforces the operator's models and maximum length", async () => {
    const { remote, provider } = pair([{ text: "x" }], { models: ["m", "n"], maxTokens: 100 });
    await expect(remote.chat(ask, { model: "expensive" })).rejects.toMatchObject({ status: 403 });
    await remote.chat(ask, { model: "n", maxTokens: 5000 });
    expect(provider.requests[0]?.options).toMatchObject({ model: "n", maxTokens: 100 });
  });

  it("refuses malformed requests, and pages of other origins", async () => {
    const { handler } = pair([]);
    const send = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
      handler(
        new Request("https://worker.example/", {
          method: "POST",
          headers: { authorization: "Bearer app-token", ...headers },
          body,
        }),
      );
    expect((await send("{")).status).toBe(400);
    expect((await send('{"messages":[]}')).status).toBe(422);
    expect((await send('{"messages":[{"role":"root"}]}')).status).toBe(422);
    expect((await send('{"messages":[],"options":{"apiKey":"x"}}')).status).toBe(422);
    const foreign = await handler(
      new Request("https://worker.example/", {
        method: "OPTIONS",
        headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
      }),
    );
    expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
  });
});
