import { afterEach, expect, it, vi } from "vitest";
import { httpFixture, readEvents } from "../../../../../../test/support/network/http-sessions.ts";
import { costOf } from "../../../context/models.ts";
import { ScriptedProvider } from "../../../testing/scripted-provider.ts";
import { MemoryStorage } from "../../../virtual/memory-storage.ts";
import { meteredProvider } from "./metered-provider.ts";
import { storedUsage } from "./usage-counter.ts";
import type { UsageLimits } from "./usage.ts";

afterEach(() => vi.useRealTimers());

function counted(limits: Partial<UsageLimits>, storage = new MemoryStorage()) {
  const counter = storedUsage(storage, { requestsPerMinute: 600, streams: 32, ...limits });
  return {
    counter,
    storage,
    options: { countRequest: counter.request, streamCounter: counter.streams },
  };
}

const user = (content: string) => ({
  role: "user" as const,
  content,
  id: "1",
  timestamp: new Date(0),
});
const usage = { outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };

it("refuses requests beyond a minute's, says when to come again, and counts each principal alone", async () => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ["Date"] });
  const { call } = httpFixture([], counted({ requestsPerMinute: 6 }).options);
  for (let index = 0; index < 6; index++) expect((await call("/v1/sessions")).status).toBe(200);
  const refused = await call("/v1/sessions");
  expect(refused.headers.get("retry-after")).toBe("10");
  expect(await refused.json()).toMatchObject({
    status: 429,
    code: "TOO_MANY_REQUESTS",
    hint: expect.stringContaining("Retry-After"),
  });
  expect((await call("/v1/sessions", { token: "bob-secret" })).status).toBe(200);
  vi.setSystemTime(1_010_000);
  expect((await call("/v1/sessions")).status).toBe(200);
  expect((await call("/v1/sessions")).status).toBe(429);
  expect((await call("/healthz", { token: null })).status).toBe(200);
});

it.each([
  ["raised", { from: 6, to: 600, afterMs: 0 }],
  ["lowered", { from: 600, to: 6, afterMs: 10_000 }],
])(
  "follows a limit that was %s since the requests were counted",
  async (_, { from, to, afterMs }) => {
    vi.useFakeTimers({ now: 1_000_000, toFake: ["Date"] });
    const { counter, storage } = counted({ requestsPerMinute: from });
    for (let index = 0; index <= from; index++) await counter.request("ann", { spends: false });
    expect(await counter.request("ann", { spends: false })).toMatchObject({
      retryAfter: expect.any(Number),
    });
    const { counter: restarted } = counted({ requestsPerMinute: to }, storage);
    vi.setSystemTime(1_000_000 + afterMs);
    expect(await restarted.request("ann", { spends: false })).toBeUndefined();
  },
);

it("counts requests that come at the same time, and lets no more than the limit through", async () => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ["Date"] });
  const { call } = httpFixture([], counted({ requestsPerMinute: 5 }).options);
  const answers = await Promise.all(Array.from({ length: 40 }, () => call("/v1/sessions")));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
});

it("limits the streams of a principal over its sessions, and frees each that ends", async () => {
  const { call, newSession } = httpFixture([], counted({ streams: 2 }).options);
  const paths = [await newSession(), await newSession(), await newSession()].map(
    (id) => `/v1/sessions/${id}/events`,
  );
  const [first = "", second = "", third = ""] = paths;
  const open = [await call(first), await call(second)];
  const refused = await call(third);
  expect(await refused.json()).toMatchObject({ status: 429, code: "TOO_MANY_STREAMS" });
  expect(refused.headers.get("retry-after")).toBe("15");
  await open[0]?.body?.cancel();
  const again = await call(third);
  expect(again.status).toBe(200);
  for (const { body } of [...open.slice(1), again]) await body?.cancel();
});

it("refuses a message with a stream before it is taken, and counts a stream until its turn is done", async () => {
  const { call, newSession, provider } = httpFixture(
    [{ text: "one" }, { text: "two" }],
    counted({ streams: 1 }).options,
  );
  const path = `/v1/sessions/${await newSession()}`;
  const body = { text: "hi" };
  const headers = { accept: "text/event-stream" };
  const watching = await call(`${path}/events`);
  expect((await call(`${path}/messages`, { body, headers })).status).toBe(429);
  expect(provider.requests).toEqual([]);
  await watching.body?.cancel();
  for (let turn = 0; turn < 2; turn++) {
    const types: unknown[] = [];
    const answer = await call(`${path}/messages`, { body, headers });
    for await (const { event } of readEvents(answer)) types.push(event);
    expect(types.at(-1)).toBe("done");
  }
});

it("stops a day's tokens at the limit however many calls come at once, and remembers after a restart", async () => {
  vi.useFakeTimers({ now: Date.parse("2026-11-23T23:00:00Z"), toFake: ["Date"] });
  const limits = { tokensPerDay: 10_000 };
  const { counter, storage } = counted(limits);
  const script = Array.from({ length: 20 }, () => ({
    text: "x",
    usage: { ...usage, inputTokens: 890 },
  }));
  const meter = counter.meter("ann", costOf);
  const provider = meteredProvider(new ScriptedProvider(script), meter);
  const calls = await Promise.allSettled(
    Array.from({ length: 20 }, () => provider.chat([user("hi")], { maxTokens: 950 })),
  );
  const made = calls.filter(({ status }) => status === "fulfilled");
  expect(made.length).toBeGreaterThan(0);
  expect(made.length).toBeLessThanOrEqual(10);
  const [refused] = calls.filter((one) => one.status === "rejected");
  expect(refused?.reason).toMatchObject({ code: "BUDGET_EXCEEDED" });

  // Settled to what was used: there is room for the rest of the day's tokens, and for no more.
  for (let index = made.length; index < 10; index++)
    await provider.chat([user("hi")], { maxTokens: 950 });
  const restarted = counted(limits, storage).counter;
  const spends = { spends: true };
  expect(await restarted.request("ann", spends)).toBeUndefined();
  const after = meteredProvider(
    new ScriptedProvider([{ text: "x", usage: { ...usage, inputTokens: 2000 } }]),
    restarted.meter("ann", costOf),
  );
  await after.chat([user("hi")], { maxTokens: 800 });
  expect(await restarted.request("ann", spends)).toMatchObject({
    code: "DAILY_LIMIT",
    retryAfter: 3600,
  });
  expect(await restarted.request("bob", spends)).toBeUndefined();
  vi.setSystemTime(Date.parse("2026-11-24T00:00:00Z"));
  expect(await restarted.request("ann", spends)).toBeUndefined();
});

it("refuses messages of a principal whose day is spent, but nothing else", async () => {
  const { counter, options } = counted({ tokensPerDay: 100 });
  const { call, newSession } = httpFixture([], options);
  const path = `/v1/sessions/${await newSession()}`;
  const meter = counter.meter("ann", costOf);
  await meter.reserve({ tokens: 100, dollars: 0 });
  for (const route of ["messages", "steer"]) {
    const refused = await call(`${path}/${route}`, { body: { text: "hi" } });
    expect(await refused.json()).toMatchObject({ status: 429, code: "DAILY_LIMIT" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect((await call(path)).status).toBe(200);
});

it("limits money, and none is spent on a model whose price is not known", async () => {
  const { counter } = counted({ dollarsPerDay: 0.05 });
  const meter = counter.meter("ann", costOf);
  const script = [{ text: "x", usage: { ...usage, inputTokens: 10 } }];
  const unknown = meteredProvider(new ScriptedProvider(script), meter);
  await expect(unknown.chat([user("hi")])).rejects.toMatchObject({ code: "BUDGET_EXCEEDED" });
  const known = meteredProvider(new ScriptedProvider(script), meter);
  const options = { model: "claude-sonnet-5", maxTokens: 100 };
  expect((await known.chat([user("hi")], options)).content).toBe("x");
  const large = { model: "claude-sonnet-5", maxTokens: 64_000 };
  await expect(known.chat([user("hi")], large)).rejects.toMatchObject({ code: "BUDGET_EXCEEDED" });
});

it("keeps in memory only who was heard of within a minute, and forgets nothing that counts", async () => {
  let now = 1_000_000;
  const storage = new MemoryStorage();
  const reads = vi.spyOn(storage, "get");
  const limits = { requestsPerMinute: 6, streams: 1, tokensPerDay: 100 };
  const counter = storedUsage(storage, limits, () => now);
  const request = (owner: string) => counter.request(owner, { spends: true });
  const readsOf = (owner: string): number =>
    reads.mock.calls.filter(([key]) => key.endsWith(`/${owner}`)).length;
  for (const owner of ["ann", "bob", "cid"]) await request(owner);
  await counter.meter("bob", costOf).reserve({ tokens: 100, dollars: 0 });
  expect(await counter.streams.open("ann", "1")).toBeUndefined();
  for (let index = 0; index < 3; index++) {
    now += 30_000;
    await counter.streams.renew("ann", ["1"]);
  }
  for (let index = 0; index < 6; index++) await request("dan");
  for (const owner of ["ann", "bob", "cid"]) await request(owner);
  expect(["ann", "bob", "cid"].map(readsOf)).toEqual([1, 2, 2]);
  expect(await counter.streams.open("ann", "2")).toMatchObject({ code: "TOO_MANY_STREAMS" });
  expect(await request("bob")).toMatchObject({ code: "DAILY_LIMIT" });
  now += 9_000;
  expect(await request("dan")).toMatchObject({ code: "TOO_MANY_REQUESTS" });
});
