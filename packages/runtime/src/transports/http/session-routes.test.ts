import { expect, it } from "vitest";
import type { SessionEvent } from "../../session/log/events.ts";
import { collect } from "../../testing/contract.ts";
import type { ScriptedStep, ScriptedToolCall } from "../../testing/scripted-provider.ts";
import {
  eventsUntil,
  httpFixture,
  readEvents,
  type ServerSentEvent,
} from "../../../../../test/support/network/http-sessions.ts";
import { ARCHIVE, DOT_PNG } from "../../../../../test/support/protocols/files.ts";

const SSE = { accept: "text/event-stream" };
const write = (filePath: string): ScriptedToolCall => ({
  name: "Write",
  args: { filePath, content: "x" },
});

async function codeOf(response: Response): Promise<[number, string]> {
  const { code } = (await response.json()) as { code: string };
  return [response.status, code];
}

it("answers a message with the events of its turn and a final event", async () => {
  const { call, newSession } = httpFixture([{ deltas: ["Hel", "lo"] }]);
  const id = await newSession();
  const response = await call(`/v1/sessions/${id}/messages`, {
    body: { text: "hi" },
    headers: SSE,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const events = await collect(readEvents(response));
  expect(events.at(0)?.event).toBe("turn_start");
  expect(events.filter(({ event }) => event === "text_delta").map(deltaOf)).toEqual(["Hel", "lo"]);
  expect(events.slice(-2).map(({ event }) => event)).toEqual(["turn_end", "done"]);
  for (const { id: eventId, event, data } of events.slice(0, -1)) {
    expect(JSON.parse(data)).toMatchObject({ seq: Number(eventId), type: event, sessionId: id });
  }
});

it("accepts a message at once and returns the id of its turn", async () => {
  const { call, newSession } = httpFixture([{ text: "done", delayMs: 50 }]);
  const id = await newSession();
  const response = await call(`/v1/sessions/${id}/messages`, { body: { text: "hi" } });
  expect(response.status).toBe(202);
  const { turnId, queued } = (await response.json()) as { turnId: string; queued: boolean };
  expect(queued).toBe(false);
  const events = await eventsUntil(await call(`/v1/sessions/${id}/events`), "turn_end");
  expect(events.at(-1)).toMatchObject({ turnId, state: "complete", response: "done" });
});

it("asks for an answer in the form of a schema, and refuses one that is none", async () => {
  const { call, newSession, provider } = httpFixture([{ text: "three" }, { text: '{"count":3}' }]);
  const id = await newSession();
  const send = (responseFormat: object, headers: Record<string, string>): Promise<Response> =>
    call(`/v1/sessions/${id}/messages`, { body: { text: "How many?", responseFormat }, headers });
  const schema = { type: "object", properties: { count: { type: "integer" } } };
  const key = { "idempotency-key": "k" };
  for (const wrong of [{ type: "array" }, { type: "object", properties: { a: { type: "int" } } }])
    expect(await codeOf(await send(wrong, key))).toEqual([422, "VALIDATION_ERROR"]);
  const response = await send(schema, { ...key, ...SSE });
  const events = await collect(readEvents(response));
  const end = events.find(({ event }) => event === "turn_end");
  expect(JSON.parse(end?.data ?? "")).toMatchObject({ response: '{"count":3}' });
  expect(provider.requests.map(({ options }) => options.responseFormat?.schema)).toEqual(
    Array.from({ length: 2 }, () => ({ ...schema, additionalProperties: false })),
  );
  expect(await codeOf(await send({ type: "object" }, key))).toEqual([422, expect.any(String)]);
});

it("runs a message repeated with its Idempotency-Key once, and streams its turn again", async () => {
  const { call, newSession, provider } = httpFixture([{ text: "one" }, { text: "two" }]);
  const id = await newSession();
  const send = (text: string, key: string, headers = {}): Promise<Response> =>
    call(`/v1/sessions/${id}/messages`, {
      body: { text },
      headers: { ...headers, "idempotency-key": key },
    });
  const both = await Promise.all([send("hi", "k"), send("hi", "k")]);
  const [first, second] = (await Promise.all(both.map((response) => response.json()))) as [
    { turnId: string },
    unknown,
  ];
  expect(second).toEqual(first);
  const again = await eventsUntil(await send("hi", "k", SSE), "turn_end");
  expect(again.at(-1)).toMatchObject({ turnId: first.turnId, response: "one" });
  expect(provider.requests).toHaveLength(1);

  expect(await codeOf(await send("other", "k"))).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
  expect((await send("hi", "with space")).status).toBe(400);
  const next = await eventsUntil(await send("hi", "l", SSE), "turn_end");
  expect(next.at(-1)).toMatchObject({ response: "two" });
});

it("accepts a refused message when it is repeated with its Idempotency-Key", async () => {
  const { call, newSession } = httpFixture([{ text: "one", delayMs: Infinity }, { text: "later" }]);
  const id = await newSession();
  const path = `/v1/sessions/${id}/messages`;
  const keyed = { body: { text: "third" }, headers: { ...SSE, "idempotency-key": "k" } };
  for (const text of ["first", "second"]) await call(path, { body: { text } });
  expect(await codeOf(await call(path, keyed))).toEqual([409, "QUEUE_FULL"]);
  for (const end of ["cancel-queue", "abort"])
    await call(`/v1/sessions/${id}/${end}`, { method: "POST" });
  await expect
    .poll(async () => (await call(`/v1/sessions/${id}`)).json())
    .toMatchObject({ state: "idle" });
  const events = await eventsUntil(await call(path, keyed), "turn_end");
  expect(events.at(-1)).toMatchObject({ response: "later" });
});

it("queues one message behind a running turn and refuses the next", async () => {
  const gate = Promise.withResolvers<void>();
  const { call, newSession } = httpFixture([
    async () => {
      await gate.promise;
      return { text: "one" };
    },
    { text: "two" },
  ]);
  const id = await newSession();
  const path = `/v1/sessions/${id}/messages`;
  await call(path, { body: { text: "same" } });
  const second = await call(path, { body: { text: "same" }, headers: SSE });
  expect(await (await call(`/v1/sessions/${id}`)).json()).toMatchObject({ pendingPrompt: "same" });
  expect(await codeOf(await call(path, { body: { text: "third" } }))).toEqual([409, "QUEUE_FULL"]);
  gate.resolve();
  expect((await eventsUntil(second, "turn_end")).at(-1)).toMatchObject({ response: "two" });
});

it("reports a queued message, and removes it on request", async () => {
  const { call, newSession } = httpFixture([{ text: "one", delayMs: Infinity }]);
  const id = await newSession();
  const path = `/v1/sessions/${id}/messages`;
  await call(path, { body: { text: "first" } });
  const second = await call(path, { body: { text: "second" } });
  expect([second.status, await second.json()]).toEqual([202, { turnId: null, queued: true }]);
  expect((await call(`/v1/sessions/${id}/cancel-queue`, { method: "POST" })).status).toBe(204);
  expect(await (await call(`/v1/sessions/${id}`)).json()).toMatchObject({ pendingPrompt: null });
  expect((await call(`/v1/sessions/${id}/abort`, { method: "POST" })).status).toBe(204);
  const events = await eventsUntil(await call(`/v1/sessions/${id}/events`), "turn_end");
  expect(events.at(-1)).toMatchObject({ type: "turn_end", state: "interrupted" });
});

it("removes one message from the queue, and reports the model and the last event's number", async () => {
  const session = { queueLimit: 3 };
  const { call, newSession } = httpFixture([{ text: "one", delayMs: Infinity }], { session });
  const id = await newSession();
  for (const text of ["first", "second", "third"])
    await call(`/v1/sessions/${id}/messages`, { body: { text } });
  await call(`/v1/sessions/${id}/cancel-queue`, { body: { text: "second" } });
  await call(`/v1/sessions/${id}/cancel-queue`, { body: { text: "never sent" } });
  const summary = (await (await call(`/v1/sessions/${id}`)).json()) as { seq: number };
  expect(summary).toMatchObject({
    pendingPrompt: "third",
    model: { provider: "scripted", model: "scripted" },
  });
  const events = await call(`/v1/sessions/${id}/events`);
  for await (const { id: seq } of readEvents(events)) if (Number(seq) === summary.seq) break;
  await call(`/v1/sessions/${id}/abort`, { method: "POST" });
});

it("resumes a stream exactly after the event that the client names", async () => {
  const { call, newSession } = httpFixture([{ deltas: ["a", "b", "c"] }, { text: "again" }]);
  const id = await newSession();
  await eventsUntil(
    await call(`/v1/sessions/${id}/messages`, { body: { text: "hi" }, headers: SSE }),
    "turn_end",
  );
  const all = await eventsUntil(await call(`/v1/sessions/${id}/events`), "turn_end");
  for (const [index, { seq }] of all.slice(0, -1).entries()) {
    const rest = await eventsUntil(
      await call(`/v1/sessions/${id}/events?after=${seq}`),
      "turn_end",
    );
    expect(rest).toEqual(all.slice(index + 1));
  }
  const resumed = await call(`/v1/sessions/${id}/events?after=0`, {
    headers: { "last-event-id": String(all.at(-1)?.seq) },
  });
  await call(`/v1/sessions/${id}/messages`, { body: { text: "more" } });
  const next = await eventsUntil(resumed, "turn_end");
  expect(next[0]).toMatchObject({ type: "turn_start", input: "more" });
  for (const after of ["x", "-1", "1.5", "1e3", "99999999999999999999"]) {
    expect((await call(`/v1/sessions/${id}/events?after=${after}`)).status).toBe(400);
  }
});

it("continues a turn whose client has left", async () => {
  const { call, newSession } = httpFixture([{ deltas: ["a", "b", "c", "d"], delayMs: 20 }]);
  const id = await newSession();
  const response = await call(`/v1/sessions/${id}/messages`, {
    body: { text: "hi" },
    headers: SSE,
  });
  await eventsUntil(response, "text_delta");
  const events = await eventsUntil(await call(`/v1/sessions/${id}/events`), "turn_end");
  expect(events.at(-1)).toMatchObject({ state: "complete", response: "abcd" });
});

it("requests approval and applies the answer once", async () => {
  const { call, newSession } = httpFixture([
    { toolCalls: [write("/project/no")] },
    { toolCalls: [write("/project/yes")] },
    { text: "done" },
  ]);
  const id = await newSession();
  await call(`/v1/sessions/${id}/messages`, { body: { text: "hi" } });
  const answer = (requestId: string, body: object): Promise<Response> =>
    call(`/v1/sessions/${id}/permissions/${requestId}`, { body });

  const first = await requestOf(await call(`/v1/sessions/${id}/events`));
  expect(await (await call(`/v1/sessions/${id}`)).json()).toMatchObject({
    state: "waiting",
    pendingPermissions: [
      { id: first.request.id, tool: "Write", args: { filePath: "/project/no" } },
    ],
  });
  expect((await answer(first.request.id, { decision: "perhaps" })).status).toBe(422);
  const denial = { decision: "deny", reason: "not that file" };
  expect((await answer(first.request.id, denial)).status).toBe(204);
  expect(await codeOf(await answer(first.request.id, denial))).toEqual([409, "ALREADY_ANSWERED"]);

  const second = await requestOf(await call(`/v1/sessions/${id}/events?after=${first.seq}`));
  expect((await answer(second.request.id, { decision: "allow", scope: "once" })).status).toBe(204);
  const events = await eventsUntil(await call(`/v1/sessions/${id}/events`), "turn_end");
  const ends = events.filter((event) => event.type === "tool_end");
  expect(ends.map(({ outcome }) => [outcome.success, outcome.denied ?? false])).toEqual([
    [false, true],
    [true, false],
  ]);
  expect(ends[0]?.message.content).toContain("not that file");
  expect(await codeOf(await answer("unknown", { decision: "allow" }))).toEqual([404, "NOT_FOUND"]);
});

it("passes steering messages to the running turn", async () => {
  const { call, newSession, provider } = httpFixture([
    { toolCalls: [write("/project/file")] },
    { text: "done" },
  ]);
  const id = await newSession();
  await call(`/v1/sessions/${id}/messages`, { body: { text: "hi" } });
  const { request } = await requestOf(await call(`/v1/sessions/${id}/events`));
  await call(`/v1/sessions/${id}/steer`, { body: { text: "quickly" } });
  await call(`/v1/sessions/${id}/permissions/${request.id}`, { body: { decision: "allow" } });
  await eventsUntil(await call(`/v1/sessions/${id}/events`), "turn_end");
  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ role: "user", content: "quickly" });
});

it("shows messages, history and context", async () => {
  const { call, newSession } = httpFixture([{ text: "hello" }]);
  const id = await newSession();
  await eventsUntil(
    await call(`/v1/sessions/${id}/messages`, {
      body: { text: "hi", displayText: "Hi!" },
      headers: SSE,
    }),
    "turn_end",
  );
  const get = async (path: string): Promise<unknown> =>
    (await call(`/v1/sessions/${id}${path}`)).json();
  expect(await get("/messages")).toMatchObject({
    messages: [{ content: "Hi!" }, { content: "hello" }],
  });
  expect(await get("/history")).toMatchObject({
    history: [{ type: "user" }, { type: "assistant" }],
  });
  expect(await get("/context")).toMatchObject({ maxTokens: expect.any(Number) });
});

it("ends a session's oldest stream at the limit, without a final event", async () => {
  const gate = Promise.withResolvers<void>();
  const reply = async (): Promise<ScriptedStep> => {
    await gate.promise;
    return { text: "x" };
  };
  const { call, newSession } = httpFixture([reply], { limits: { streamsPerSession: 2 } });
  const id = await newSession();
  const first = await call(`/v1/sessions/${id}/messages`, { body: { text: "hi" }, headers: SSE });
  const second = await call(`/v1/sessions/${id}/events`);
  await (await call(`/v1/sessions/${id}/events`)).body?.cancel();
  const third = await call(`/v1/sessions/${id}/events`);
  expect((await collect(readEvents(first))).map(({ event }) => event)).not.toContain("done");
  gate.resolve();
  for (const response of [second, third]) {
    expect((await eventsUntil(response, "turn_end")).at(-1)).toMatchObject({ response: "x" });
  }
});

it("ends a session's streams when the session is deleted", async () => {
  const { call, newSession } = httpFixture([{ text: "x" }]);
  const id = await newSession();
  await eventsUntil(
    await call(`/v1/sessions/${id}/messages`, { body: { text: "hi" }, headers: SSE }),
    "turn_end",
  );
  const events = readEvents(await call(`/v1/sessions/${id}/events`));
  for (let type: string | undefined; type !== "turn_end";) {
    const next = await events.next();
    expect(next.done).toBe(false);
    type = next.value?.event;
  }
  await call(`/v1/sessions/${id}`, { method: "DELETE" });
  expect(await events.next()).toMatchObject({ done: true });
});

it("keeps an idle stream alive with comments", async () => {
  const { call, newSession } = httpFixture([], { pingIntervalMs: 10 });
  const id = await newSession();
  const response = await call(`/v1/sessions/${id}/events`);
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.split(": ping\n\n").length > 3) break;
  }
  expect(text).toMatch(/^retry: 2000\n\n/);
});

it("sends a slow reader every delta in order, without delaying the turn", async () => {
  const deltas = Array.from({ length: 15_000 }, (_, index) => `${index} ${"x".repeat(40)}\n`);
  const { call, newSession, errors } = httpFixture([{ deltas }]);
  const id = await newSession();
  const slow = await call(`/v1/sessions/${id}/events`);
  const reader = readEvents(slow);
  const quick = await call(`/v1/sessions/${id}/messages`, { body: { text: "hi" }, headers: SSE });
  await eventsUntil(quick, "turn_end");

  const words: string[] = [];
  for await (const event of reader) {
    if (event.event === "text_delta") words.push(deltaOf(event));
    if (event.event === "turn_end") break;
  }
  expect(words.length).toBe(deltas.length);
  expect(words.join("")).toBe(deltas.join(""));
  expect(errors).toEqual([]);
});

async function requestOf(
  response: Response,
): Promise<SessionEvent & { type: "permission_request" }> {
  const event = (await eventsUntil(response, "permission_request")).at(-1);
  if (event?.type !== "permission_request") throw new Error("no request came");
  return event;
}

function deltaOf({ data }: ServerSentEvent): string {
  return (JSON.parse(data) as { delta: string }).delta;
}

it("attaches the images and files of a message, for what their bytes are", async () => {
  const { call, newSession, provider } = httpFixture([{ text: "A dot." }]);
  const messages = `/v1/sessions/${await newSession()}/messages`;
  const send = (data: string, text = "look") =>
    call(messages, {
      body: { text, attachments: [{ type: "image", mediaType: "image/webp", data }] },
      headers: SSE,
    });
  await collect(readEvents(await send(DOT_PNG)));
  expect(provider.requests[0]?.messages.at(-1)?.content).toEqual([
    { type: "text", text: "look" },
    { type: "image", mediaType: "image/png", data: DOT_PNG },
  ]);
  expect(await codeOf(await send(ARCHIVE))).toEqual([422, "ATTACHMENT_REFUSED"]);
});
