import { RemoteSession } from "@robota/runtime/transports";
import { expect, it } from "vitest";
import { z } from "zod";
import { remote } from "../../support/network/remote-sessions.ts";
import { echoCall } from "../../support/support.ts";

it("queues prompts, drops one, steers, and stops", async () => {
  const { connect } = remote([{ toolCalls: [echoCall("x")] }]);
  const session = await connect();
  const first = session.submit("a");
  await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
  const dropped = session.submit("b");
  const cleared = session.submit("c");
  await expect.poll(() => session.getQueue().toSorted()).toEqual(["b", "c"]);
  session.cancelQueue("b");
  expect(await dropped).toMatchObject({ state: "interrupted", turnId: "" });
  expect(session.getPendingPrompt()).toBe("c");
  await session.steer("quickly");
  session.abort();
  expect(await first).toMatchObject({ state: "interrupted" });
  expect(await cleared).toMatchObject({ state: "interrupted", turnId: "" });
  await session.shutdown();
});

it("sends prompts in the order of their calls, also when the first is slow on its way", async () => {
  const { connect, fetch } = remote([{ text: "1" }, { text: "2" }]);
  const session = await connect({
    fetch: async (url, init) => {
      const isSlow = typeof init?.body === "string" && init.body.includes("first");
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 50));
      return fetch(url, init);
    },
  });
  const turns = [session.submit("the first"), session.submit("the second")];
  expect((await Promise.all(turns)).map(({ response }) => response)).toEqual(["1", "2"]);
  await session.shutdown();
});

it("edits, moves, removes and pauses queued prompts, and stops without losing them", async () => {
  const { connect } = remote([{ toolCalls: [echoCall("x")] }, { text: "done" }]);
  const session = await connect();
  const first = session.submit("a");
  await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
  const removed = session.submit("b");
  await expect.poll(() => session.getQueue()).toEqual(["b"]);
  const kept = session.submit("c");
  await expect.poll(() => session.getQueue()).toEqual(["b", "c"]);
  const [b = { id: "" }, c = { id: "" }] = session.queue.list();
  await session.queue.edit(c.id, "c, edited");
  await session.queue.move(c.id, 0);
  await session.queue.remove(b.id);
  expect(await removed).toMatchObject({ state: "interrupted", turnId: "" });
  expect(session.queue.list()).toMatchObject([{ id: c.id, text: "c, edited" }]);
  await expect(session.queue.edit(b.id, "gone")).rejects.toMatchObject({ code: "NOT_FOUND" });
  session.abort({ keepQueue: true });
  expect(await first).toMatchObject({ state: "interrupted" });
  await expect.poll(() => [session.isExecuting(), session.queue.isPaused()]).toEqual([true, true]);
  await session.queue.resume();
  expect((await kept).response).toBe("done");
  await session.shutdown();
});

it("ends a prompt by its own signal while its server does not answer", async () => {
  const session = new RemoteSession({
    url: "http://localhost",
    sessionId: "far-away",
    fetch: () => new Promise<never>(() => {}),
  });
  const leave = new AbortController();
  const turn = session.submit("anyone?", { signal: leave.signal });
  leave.abort();
  expect(await turn).toMatchObject({ state: "interrupted", turnId: "" });
  await session.shutdown();
});

it("sends a prompt again when its connection broke without a word, and runs it once", async () => {
  const { connect, fetch: answering, provider } = remote([{ text: "one" }]);
  const { sessionId } = await connect();
  let lost = 1;
  const half: typeof fetch = async (input, init) => {
    if (!new Request(input, init).url.endsWith("/messages") || lost === 0)
      return answering(input, init);
    lost -= 1;
    return new Promise(() => {});
  };
  const session = await connect({ sessionId, fetch: half, timeoutMs: 500 });
  expect(await session.submit("go")).toMatchObject({ response: "one" });
  expect(provider.requests).toHaveLength(1);
  await session.shutdown();
});

it("runs a command once whose answer was lost", async () => {
  const { connect, loseAnswer, provider, requests } = remote([
    { text: "one" },
    { text: "summary" },
  ]);
  const session = await connect();
  await session.submit("go");
  loseAnswer("/commands/compact");
  expect(await session.executeCommand("compact")).toMatchObject({ success: true });
  expect(requests.filter((line) => line.endsWith("/commands/compact"))).toHaveLength(2);
  expect(provider.requests).toHaveLength(2);
  await session.shutdown();
});

it("rejects a prompt that its server keeps refusing, and waits for one that is not there", async () => {
  const { connect, fetch: answering } = remote([{ text: "one" }, { text: "two" }]);
  const { sessionId } = await connect();
  let answer: (() => Response) | undefined;
  let asked = 0;
  const fetching: typeof fetch = async (input, init) => {
    if (!answer || !new Request(input, init).url.endsWith("/messages"))
      return answering(input, init);
    asked += 1;
    return answer();
  };
  const session = await connect({ sessionId, fetch: fetching, timeoutMs: 100 });
  const problem = (status: number, code: string, headers = {}): (() => Response) => {
    return () => Response.json({ code, detail: "No.", hint: "Wait." }, { status, headers });
  };
  answer = problem(500, "INTERNAL_ERROR");
  await expect(session.submit("a")).rejects.toMatchObject({ code: "INTERNAL_ERROR" });
  expect(asked).toBeGreaterThan(1);
  answer = () => new Response("Error 1101", { status: 500 });
  await expect(session.submit("b")).rejects.toMatchObject({ code: "BAD_ANSWER" });
  // Tomorrow is later than anybody waits for an answer.
  asked = 0;
  answer = problem(429, "DAILY_LIMIT", { "retry-after": "86400" });
  await expect(session.submit("c")).rejects.toMatchObject({ code: "DAILY_LIMIT", hint: "Wait." });
  expect(asked).toBe(1);
  asked = 0;
  answer = () => new Response("<h1>Bad Gateway</h1>", { status: 502 });
  const waiting = session.submit("d");
  await expect.poll(() => asked).toBeGreaterThan(40);
  answer = undefined;
  expect(await waiting).toMatchObject({ response: "one" });
  await session.shutdown();
});

it("ends a prompt by its own signal, and no other", async () => {
  const { connect, fetch } = remote([{ toolCalls: [echoCall("x")] }, { text: "B" }, { text: "C" }]);
  let arrived = (): void => undefined;
  const session = await connect({
    // The answer to one prompt is lost; the prompt has arrived.
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      if (typeof init?.body !== "string" || !init.body.includes("unheard")) return answer;
      arrived();
      return new Promise<never>((_, reject) =>
        init.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
      );
    },
  });
  const [running, waiting, unheard] = [1, 2, 3].map(() => new AbortController());
  const never = session.submit("never", { signal: AbortSignal.abort() });
  const first = session.submit("a", { signal: running?.signal });
  await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
  const dropped = session.submit("b", { signal: waiting?.signal });
  const kept = session.submit("c");
  await expect.poll(() => session.getQueue()).toEqual(["b", "c"]);
  waiting?.abort();
  for (const one of [never, dropped])
    expect(await one).toMatchObject({ state: "interrupted", turnId: "" });
  await expect.poll(() => session.getQueue()).toEqual(["c"]);

  const { promise: hasArrived, resolve } = Promise.withResolvers<void>();
  arrived = resolve;
  const lost = session.submit("unheard", { signal: unheard?.signal });
  await hasArrived;
  unheard?.abort();
  expect(await lost).toMatchObject({ state: "interrupted" });
  await expect.poll(() => session.getQueue()).toEqual(["c"]);

  running?.abort();
  expect(await first).toMatchObject({ state: "interrupted", turnId: expect.stringMatching(/./) });
  expect((await kept).response).toBe("B");
  await expect.poll(() => session.isExecuting()).toBe(false);
  await session.shutdown();
});

it("gives the value of an answer, checked here, and keeps the order of prompts", async () => {
  const { connect, provider } = remote([
    { text: '{"count":3}' },
    { text: "Hello" },
    { text: '{"count":"4"}' },
    { text: '{"count":4}' },
  ]);
  const session = await connect();
  const Even = z.object({ count: z.number().refine((count) => count % 2 === 0, "is odd") });
  const [odd, plain] = await Promise.all([
    session.submit("How many?", { responseFormat: Even }),
    session.submit("Hi"),
  ]);
  expect(odd).toMatchObject({ state: "complete", error: { code: "RESPONSE_FORMAT" } });
  expect(odd).not.toHaveProperty("output");
  expect(plain).toMatchObject({ response: "Hello" });
  expect(plain).not.toHaveProperty("output");
  // The server knows the schema, and has the model correct what is not in it.
  const { output } = await session.submit("And now?", { responseFormat: Even });
  expect(output).toEqual({ count: 4 });
  expect(
    provider.requests.map(({ options }) => options.responseFormat?.schema["required"]),
  ).toEqual([["count"], undefined, ["count"], ["count"]]);
  await expect(
    session.submit("Which?", { responseFormat: z.array(z.string()) }),
  ).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
  await session.shutdown();
});
