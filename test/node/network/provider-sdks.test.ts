import { getEventListeners } from "node:events";
import { gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { OpenAIProvider } from "@robota/runtime/providers/openai";
import { build } from "esbuild";
import OpenAI from "openai";
import { afterAll, describe, expect, it } from "vitest";
import { fetchUntilCut } from "../../support/wire/wire-cut.ts";
import {
  hello,
  KEY,
  providers,
  type ProviderSettings,
  user,
} from "../../support/wire/wire-providers.ts";
import {
  requestsOf,
  scriptAddress,
  type WireReply,
  type WireScript,
} from "../../support/wire/wire-script.ts";
import { startWireServer } from "../../support/wire/wire-server.ts";
import { turnClock } from "../../support/time/own-time.ts";

/** A call of each SDK with this body. */
const officialCalls: Record<string, (address: string, body: never) => Promise<unknown>> = {
  "anthropic messages": (baseURL, body) =>
    new Anthropic({ apiKey: KEY, baseURL }).messages.create(body),
  "openai chat": (address, body) => openai(address).chat.completions.create(body),
  "openai responses": (address, body) => openai(address).responses.create(body),
};

const openai = (address: string): OpenAI => new OpenAI({ apiKey: KEY, baseURL: `${address}/v1` });

const server = await startWireServer();
afterAll(() => server.close());
const scripted = (...replies: WireReply[]): WireScript => ({ id: crypto.randomUUID(), replies });

describe.each(Object.keys(providers))("%s", (wire) => {
  const make = (
    script: WireScript,
    settings?: ProviderSettings,
  ): NonNullable<ReturnType<(typeof providers)[string]>> => {
    const provider = providers[wire]?.(scriptAddress(server.origin, script), settings);
    if (!provider) throw new Error(wire);
    return provider;
  };

  it("reuses connections for consecutive calls", async () => {
    const before = server.connections();
    const provider = make(scripted({ answer: hello }));
    for (let call = 0; call < 20; call += 1) await provider.chat([user("Hi")]);
    // The next call may begin before the end of the answer before it has arrived.
    expect(server.connections() - before).toBeLessThanOrEqual(3);
  });

  it("leaves no listener on a long-lived signal", async () => {
    const { signal } = new AbortController();
    const provider = make(
      scripted(
        { answer: hello },
        { status: 400 },
        { answer: hello, fault: { after: 1, kind: "cut" } },
      ),
      { fetch: fetchUntilCut },
    );
    // One of them is rejected by the service, one is cut.
    const outcomes: string[] = [];
    for (let call = 0; call < 4; call += 1) {
      const [outcome] = await Promise.allSettled([provider.chat([user("Hi")], { signal })]);
      outcomes.push(outcome.status === "fulfilled" ? outcome.value.state : outcome.status);
    }
    expect(outcomes).toEqual(["complete", "rejected", "interrupted", "interrupted"]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it.each([
    ["never answers", () => new Promise<Response>(() => {})],
    ["never ends its answer", () => Promise.resolve(new Response(new ReadableStream()))],
  ])("is aborted even when a custom fetch ignores the abort and %s", async (_, fetch) => {
    const provider = providers[wire]?.("http://127.0.0.1:9", { fetch });
    using clock = turnClock();
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    await expect(provider?.chat([user("Hi")], { signal: abort.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(clock.ms()).toBeLessThan(2_000);
  });

  it("isolates concurrent calls", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const text = Array.from({ length: 20 }, (__, delta) => `${index}.${delta} `);
        const message = await make(scripted({ answer: { text }, chunk: 50 })).chat([user("Hi")]);
        return message.content === text.join("");
      }),
    );
    expect(answers.every(Boolean)).toBe(true);
  });

  it("ignores the SDK's own environment variables for address, key and log", async () => {
    const names = ["ANTHROPIC", "OPENAI"].flatMap((name) => [
      `${name}_BASE_URL`,
      `${name}_API_KEY`,
      `${name}_LOG`,
    ]);
    const before = names.map((name) => process.env[name]);
    for (const name of names)
      process.env[name] = name.endsWith("LOG") ? "debug" : "http://127.0.0.1:9/other";
    try {
      const script = scripted({ answer: hello });
      await make(script).chat([user("Hi")]);
      const [request] = await requestsOf(server.origin, script);
      expect(request?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    } finally {
      names.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      });
    }
  });
});

it("sends the given headers, and a key only if there is one", async () => {
  const script = scripted({ answer: hello });
  const provider = new OpenAIProvider({
    model: "m",
    baseURL: `${scriptAddress(server.origin, script)}/v1/`,
    defaultHeaders: { "x-team": "blue" },
  });
  await provider.chat([user("Hi")]);
  const [request] = await requestsOf(server.origin, script);
  expect(request?.path).toBe("/v1/chat/completions");
  expect(request?.headers).toMatchObject({ "x-team": "blue" });
  expect(request?.headers).not.toHaveProperty("authorization");
});

it.each([
  [
    "an empty key",
    () => new AnthropicProvider({ apiKey: " ", model: "m" }),
    "AUTHENTICATION_ERROR",
  ],
  [
    "a key with an ellipsis",
    () => new AnthropicProvider({ apiKey: "sk-ant…", model: "m" }),
    "AUTHENTICATION_ERROR",
  ],
  [
    "no key for the service itself",
    () => new OpenAIProvider({ model: "m" }),
    "AUTHENTICATION_ERROR",
  ],
  [
    "an address without a scheme",
    () => new OpenAIProvider({ model: "m", baseURL: "localhost:1234" }),
    "CONFIGURATION_ERROR",
  ],
])("reports %s on first use", async (_, make, code) => {
  await expect(make().chat([user("Hi")])).rejects.toMatchObject({ code });
});

it("enables the service's own web search for one session only", async () => {
  const script = scripted({ answer: hello });
  const provider = new AnthropicProvider({
    apiKey: KEY,
    model: "m",
    baseURL: scriptAddress(server.origin, script),
  });
  const { webSearch, chatOptions } = provider.configureNativeWebTools({ webSearch: true });
  expect(webSearch).toBe(true);
  await provider.chat([user("Hi")], chatOptions);
  await provider.chat([user("Hi")]);
  const bodies = (await requestsOf(server.origin, script)).map(({ body }) => JSON.stringify(body));
  expect(bodies.map((body) => body.includes("web_search"))).toEqual([true, false]);
  const chat = new OpenAIProvider({ apiKey: KEY, model: "m", api: "chat" });
  expect(chat.configureNativeWebTools({ webSearch: true })).toEqual({
    webSearch: false,
    chatOptions: {},
  });
});

/** Headers that tell about the SDK and the machine, which a provider's user has not asked for, and a page's consent. */
const EXPLAINED = /^(?:user-agent|x-stainless-.+|anthropic-dangerous-direct-browser-access)$/;

it.each(Object.entries(officialCalls))(
  "sends what the official SDK sends for %s",
  async (wire, callSdk) => {
    const ours = scripted({ answer: hello });
    await providers[wire]?.(scriptAddress(server.origin, ours)).chat([user("Hi")]);
    const [sent] = await requestsOf(server.origin, ours);
    const theirs = scripted({ answer: hello });
    await callSdk(scriptAddress(server.origin, theirs), sent?.body as never);
    const [expected] = await requestsOf(server.origin, theirs);
    const headersOf = (request: typeof sent): [string, string][] =>
      Object.entries(request?.headers ?? {})
        .filter(([name]) => !EXPLAINED.test(name))
        .toSorted(([one], [other]) => one.localeCompare(other));
    expect({ ...sent, headers: headersOf(sent) }).toEqual({
      ...expected,
      headers: headersOf(expected),
    });
  },
);

it.each(["anthropic", "openai"])("loads nothing of the other service with %s", async (name) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from "@robota/runtime/providers/${name}";`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    conditions: ["@robota/source"],
    minify: true,
    write: false,
    outdir: "out",
  });
  const total = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  expect(total).toBeLessThan(26_500);
  const other = name === "openai" ? "api.anthropic.com" : "api.openai.com";
  expect(outputFiles.some(({ text }) => text.includes(other))).toBe(false);
});

it("refuses a header that HTTP does not allow, without its value", async () => {
  const provider = new AnthropicProvider({
    apiKey: KEY,
    model: "m",
    baseURL: server.origin,
    defaultHeaders: { "x-token": "secret\u2026" },
  });
  const error: unknown = await provider.chat([user("Hi")]).catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: 'The header "x-token" can\'t be sent',
  });
});

it("keeps the beginning of an error's body that never ends", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("no ".repeat(10_000))),
    cancel: () => void (isCancelled = true),
  });
  const provider = new OpenAIProvider({
    model: "m",
    baseURL: "http://127.0.0.1:9/v1",
    fetch: () => Promise.resolve(new Response(body, { status: 400 })),
  });
  await expect(provider.chat([user("Hi")])).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringContaining("answered 400: no no no"),
  });
  await expect.poll(() => isCancelled).toBe(true);
});

it("cancels an error's body that never comes when the call is aborted", async () => {
  const abort = new AbortController();
  let isCancelled = false;
  const body = new ReadableStream({
    pull: () => {
      setTimeout(() => abort.abort(), 0);
      return new Promise(() => {});
    },
    cancel: () => void (isCancelled = true),
  });
  const provider = new OpenAIProvider({
    model: "m",
    baseURL: "http://127.0.0.1:9/v1",
    fetch: () => Promise.resolve(new Response(body, { status: 400 })),
  });
  await expect(provider.chat([user("Hi")], { signal: abort.signal })).rejects.toMatchObject({
    name: "AbortError",
  });
  await expect.poll(() => isCancelled).toBe(true);
});
