import { describe, expect, it } from "vitest";
import type { Message } from "../../messages/message.ts";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { createFunctionTool } from "../../tools/function-tool.ts";
import { type CacheStorage, MemoryCacheStorage } from "./cache-storage.ts";
import { responseKey, withResponseCache } from "./response-cache.ts";
import { Robota } from "../../agent/robota.ts";

const ask = (content: string): Message[] => [
  { role: "user", id: crypto.randomUUID(), timestamp: new Date(), content },
];

describe("a provider with a cache", () => {
  it("calls the provider once per request, and streams the cached answer", async () => {
    const provider = new ScriptedProvider([
      { thinking: "hm", deltas: ["Hel", "lo"], usage: { inputTokens: 9 } },
      { text: "other" },
    ]);
    const cached = withResponseCache(provider, new MemoryCacheStorage());
    const first = await cached.chat(ask("Hi"));
    const deltas: string[] = [];
    const second = await cached.chat(ask("Hi"), { onTextDelta: (delta) => deltas.push(delta) });
    expect(second).toMatchObject({ content: first.content, metadata: { cached: true } });
    expect(second.usage).toBeUndefined();
    expect(second.id).not.toBe(first.id);
    expect(second.timestamp).toBeInstanceOf(Date);
    expect(deltas).toEqual(["Hello"]);
    expect((await cached.chat(ask("Ho"))).content).toBe("other");
    expect(provider.requests).toHaveLength(2);
  });

  it("caches no answer that calls tools, was cut, failed or hit a limit", async () => {
    const provider = new ScriptedProvider([
      { toolCalls: [{ name: "pay", args: {} }] },
      { deltas: ["cut"], error: "down" },
      { error: "down" },
      { text: "so far", stopReason: "max_tokens" },
      { text: "whole" },
    ]);
    const cached = withResponseCache(provider, new MemoryCacheStorage());
    for (let count = 0; count < 5; count++) await cached.chat(ask("Hi")).catch(() => undefined);
    expect((await cached.chat(ask("Hi"))).content).toBe("whole");
    expect(provider.requests).toHaveLength(5);
  });

  it("serves agents: rounds with tools are requested anew, the answer after them is cached", async () => {
    let paid = 0;
    const pay = createFunctionTool(
      "pay",
      "Pays",
      { type: "object" },
      () => `paid ${(paid += 1) > 0}`,
    );
    const round = { toolCalls: [{ name: "pay", args: {} }] };
    const provider = new ScriptedProvider([round, { text: "done" }, round]);
    const cached = withResponseCache(provider, new MemoryCacheStorage());
    for (let run = 0; run < 2; run++) {
      const agent = new Robota({ provider: cached, tools: [pay] });
      expect((await agent.run("Pay")).text).toBe("done");
    }
    expect([paid, provider.requests.length]).toEqual([2, 3]);
  });

  it("deletes and reports a tampered entry", async () => {
    const storage = new MemoryCacheStorage();
    const provider = new ScriptedProvider([{ text: "real" }, { text: "again" }]);
    const cached = withResponseCache(provider, storage);
    await cached.chat(ask("Hi"));
    const key = await responseKey(provider, ask("Hi"));
    const entry = await storage.get(key);
    if (!entry) throw new Error("nothing was kept");
    await storage.set(key, { ...entry, value: entry.value.replace("real", "fake") });
    await expect(cached.chat(ask("Hi"))).rejects.toMatchObject({ code: "CORRUPT" });
    expect(await storage.get(key)).toBeUndefined();
    expect((await cached.chat(ask("Hi"))).content).toBe("again");
  });

  it("continues without a failing storage, which it reports", async () => {
    const broken: CacheStorage = {
      get: () => Promise.reject(new Error("no disk")),
      set: () => Promise.reject(new Error("no disk")),
      delete: async () => undefined,
      clear: async () => undefined,
    };
    const errors: unknown[] = [];
    const provider = new ScriptedProvider([{ text: "ok" }, { text: "ok" }]);
    const cached = withResponseCache(provider, broken, { onError: (error) => errors.push(error) });
    expect((await cached.chat(ask("Hi"))).content).toBe("ok");
    expect(errors).toHaveLength(2);
    await expect(withResponseCache(provider, broken).chat(ask("Hi"))).rejects.toThrow("no disk");
  });

  it("does not answer after an abort", async () => {
    const cached = withResponseCache(
      new ScriptedProvider([{ text: "x" }]),
      new MemoryCacheStorage(),
    );
    await cached.chat(ask("Hi"));
    await expect(cached.chat(ask("Hi"), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});

describe("the key of an answer", () => {
  const provider = { name: "p", model: "m" };
  const conversation = (id: string): Message[] => [
    { role: "user", id, timestamp: new Date(), content: "Look" },
    {
      role: "assistant",
      id,
      timestamp: new Date(),
      content: "",
      state: "complete",
      toolCalls: [{ id: `${id}-1`, name: "look", args: { a: 1, b: 2 } }],
    },
    {
      role: "tool",
      id,
      timestamp: new Date(),
      toolCallId: `${id}-1`,
      name: "look",
      content: "seen",
    },
  ];

  it("ignores times, ids and the order of fields", async () => {
    const key = await responseKey(provider, conversation("x"), { temperature: 1, maxTokens: 2 });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(await responseKey(provider, conversation("y"), { maxTokens: 2, temperature: 1 })).toBe(
      key,
    );
    const { signal } = new AbortController();
    const options = {
      temperature: 1,
      maxTokens: 2,
      signal,
      idleTimeoutMs: 5,
      onTextDelta: () => {},
    };
    expect(await responseKey(provider, conversation("x"), options)).toBe(key);
  });

  it("differs with every input of an answer", async () => {
    const tool = (description: string) => [{ name: "t", description, parameters: {} }];
    const [first, ...rest] = conversation("x");
    const keys = await Promise.all([
      responseKey(provider, ask("a")),
      responseKey(provider, ask("b")),
      responseKey({ ...provider, name: "q" }, ask("a")),
      responseKey({ ...provider, model: "n" }, ask("a")),
      responseKey(provider, ask("a"), { temperature: 0 }),
      responseKey(provider, ask("a"), { tools: tool("one") }),
      responseKey(provider, ask("a"), { tools: tool("two") }),
      responseKey(provider, [{ ...(ask("a")[0] as Message), role: "system" } as Message]),
      responseKey(provider, [first as Message, ...rest]),
      responseKey(provider, [first as Message]),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
    expect(await responseKey(provider, ask("a"), { model: "m" })).toBe(keys[0]);
  });
});

describe("answers in memory", () => {
  const entry = (storedAt: number) => ({ value: "{}", integrity: "", storedAt });

  it("are evicted least recently used first", async () => {
    const storage = new MemoryCacheStorage({ maxEntries: 2, now: () => 0 });
    await storage.set("a", entry(0));
    await storage.set("b", entry(0));
    await storage.get("a");
    await storage.set("c", entry(0));
    expect([await storage.get("a"), await storage.get("b"), storage.size]).toEqual([
      entry(0),
      undefined,
      2,
    ]);
    await storage.clear();
    expect(storage.size).toBe(0);
  });

  it("expire", async () => {
    let time = 0;
    const storage = new MemoryCacheStorage({ ttlMs: 100, now: () => time });
    await storage.set("a", entry(0));
    time = 99;
    expect(await storage.get("a")).toBeDefined();
    time = 100;
    expect(await storage.get("a")).toBeUndefined();
    expect(storage.size).toBe(0);
  });

  it("expire when the clock was set back, since their age is unknown", async () => {
    let time = 1000;
    const storage = new MemoryCacheStorage({ ttlMs: 100, now: () => time });
    await storage.set("a", entry(1000));
    time = 999;
    expect(await storage.get("a")).toBeUndefined();
  });
});
