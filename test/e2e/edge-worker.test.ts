import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { Robota, SimpleRemoteExecutor } from "@robota/runtime";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWorkerd, type Workerd } from "./workerd.ts";

const VARIABLES = {
  API_TOKENS: JSON.stringify({ ann: "ann-secret", bob: "bob-secret" }),
  ALLOWED_ORIGINS: "https://app.example",
  WATCHDOG_SECONDS: "1",
};

interface Event {
  id: number;
  type: string;
  data: {
    seq: number;
    turnId?: string;
    state?: string;
    response?: string;
    request?: { id: string; tool: string; args: Record<string, unknown> };
    message?: { content: string };
    outcome?: { success: boolean; denied?: boolean };
  };
}

let workerd: Workerd;

beforeAll(async () => {
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: VARIABLES,
  });
});
afterAll(() => workerd[Symbol.asyncDispose]());

function call(path: string, init: RequestInit & { token?: string } = {}): Promise<Response> {
  const { token = "ann-secret", ...rest } = init;
  const headers = new Headers(rest.headers);
  headers.set("authorization", `Bearer ${token}`);
  return fetch(`${workerd.url}${path}`, { ...rest, headers });
}

function post(
  path: string,
  body: unknown,
  init: RequestInit & { token?: string } = {},
): Promise<Response> {
  return call(path, { ...init, method: "POST", body: JSON.stringify(body) });
}

async function newSession(): Promise<string> {
  const response = await call("/v1/sessions", { method: "POST" });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function codeOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as { code: string }).code];
}

/** Events of a stream up to the first that `isLast`, or to its end. */
async function read(response: Response, isLast: (event: Event) => boolean): Promise<Event[]> {
  expect(response.status).toBe(200);
  const events: Event[] = [];
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, id, type, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      if (!data || !type) continue;
      const event = { id: Number(id), type, data: JSON.parse(data) as Event["data"] };
      events.push(event);
      if (isLast(event)) return events;
    }
  }
  return events;
}

const isEnd = ({ type }: Event): boolean => type === "turn_end";
const isRequest = ({ type }: Event): boolean => type === "permission_request";

async function until<Value>(
  ask: () => Promise<Value>,
  isFine: (value: Value) => boolean,
): Promise<Value> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const value = await ask();
    if (isFine(value)) return value;
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function stateInList(id: string): Promise<string | undefined> {
  const { sessions } = (await (await call("/v1/sessions")).json()) as {
    sessions: { id: string; state: string }[];
  };
  return sessions.find((session) => session.id === id)?.state;
}

it("serves curl: a session with a project, a message, its streamed turn", async () => {
  const id = await newSession();
  const turn = await post(
    `/v1/sessions/${id}/messages`,
    { text: "list **/*" },
    { headers: { accept: "text/event-stream" } },
  );
  expect(turn.headers.get("content-type")).toContain("text/event-stream");
  const events = await read(turn, isEnd);
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["turn_start", "tool_start", "tool_end", "text_delta"]),
  );
  expect(events.at(-1)?.data).toMatchObject({ state: "complete" });
  expect(events.at(-1)?.data.response).toContain("src/slug.js");
  const listed = await until(
    () => stateInList(id),
    (state) => state === "idle",
  );
  expect(listed).toBe("idle");
});

it("runs approved calls and no denied ones", async () => {
  const id = await newSession();
  const text = "run echo denied > out.txt\nrun echo allowed >> out.txt; cat out.txt";
  const taken = await post(`/v1/sessions/${id}/messages`, { text });
  expect(taken.status).toBe(202);
  const { turnId } = (await taken.json()) as { turnId: string };

  const first = (await read(await call(`/v1/sessions/${id}/events`), isRequest)).at(-1)!;
  expect(first.data).toMatchObject({ turnId, request: { tool: "Bash" } });
  await until(
    () => stateInList(id),
    (state) => state === "waiting",
  );
  const deny = (): Promise<Response> =>
    post(`/v1/sessions/${id}/permissions/${first.data.request?.id}`, {
      decision: "deny",
      reason: "not this one",
    });
  expect((await deny()).status).toBe(204);
  expect(await codeOf(await deny())).toEqual([409, "ALREADY_ANSWERED"]);

  const afterDenial = await read(await call(`/v1/sessions/${id}/events?after=${first.id}`), isEnd);
  const refused = afterDenial.find(({ type }) => type === "tool_end");
  expect(refused?.data).toMatchObject({ outcome: { success: false, denied: true } });
  expect(refused?.data.message?.content).toContain("not this one");

  const again = await post(`/v1/sessions/${id}/messages`, {
    text: "run echo allowed >> out.txt; cat out.txt",
  });
  expect(again.status).toBe(202);
  const second = (
    await read(await call(`/v1/sessions/${id}/events?after=${afterDenial.at(-1)?.id}`), isRequest)
  ).at(-1)!;
  await post(`/v1/sessions/${id}/permissions/${second.data.request?.id}`, { decision: "allow" });
  const end = (await read(await call(`/v1/sessions/${id}/events?after=${second.id}`), isEnd)).at(
    -1,
  )!;
  expect(end.data.state).toBe("complete");
  expect(end.data.response).toContain("allowed");
  expect(end.data.response).not.toContain("denied >");
});

it("replays exactly the events after a given one, also after a restart", async () => {
  const id = await newSession();
  await read(
    await post(
      `/v1/sessions/${id}/messages`,
      { text: "read README.md" },
      { headers: { accept: "text/event-stream" } },
    ),
    isEnd,
  );
  const all = await read(await call(`/v1/sessions/${id}/events`), isEnd);
  await workerd.kill();
  await workerd.start();
  for (const index of [0, 1, Math.floor(all.length / 2), all.length - 2]) {
    const { id: seq } = all[index]!;
    const rest = await read(
      await call(`/v1/sessions/${id}/events`, { headers: { "last-event-id": String(seq) } }),
      isEnd,
    );
    expect(rest).toEqual(all.filter((event) => event.id > seq));
  }
});

it("keeps a pending approval when the process is killed, and continues the turn", async () => {
  const id = await newSession();
  await post(`/v1/sessions/${id}/messages`, { text: "run echo survived > out.txt; cat out.txt" });
  const asked = (await read(await call(`/v1/sessions/${id}/events`), isRequest)).at(-1)!;
  const requestId = asked.data.request?.id;
  await workerd.kill();
  await workerd.start();

  const found = await (await call(`/v1/sessions/${id}`)).json();
  expect(found).toMatchObject({
    state: "waiting",
    pendingPermissions: [{ id: requestId, tool: "Bash" }],
  });
  const path = `/v1/sessions/${id}/permissions/${requestId}`;
  expect((await post(path, { decision: "allow" })).status).toBe(204);
  const end = (await read(await call(`/v1/sessions/${id}/events?after=${asked.id}`), isEnd)).at(
    -1,
  )!;
  expect(end.data).toMatchObject({ turnId: asked.data.turnId, state: "complete" });
  expect(end.data.response).toContain("survived");
  expect(await codeOf(await post(path, { decision: "deny" }))).toEqual([409, "ALREADY_ANSWERED"]);
});

it("runs a message once that is repeated with its key after the process was killed", async () => {
  const id = await newSession();
  const send = async (): Promise<unknown> => {
    const headers = { "idempotency-key": "only-once" };
    const taken = await post(`/v1/sessions/${id}/messages`, { text: "help" }, { headers });
    return taken.json();
  };
  const first = await send();
  await read(await call(`/v1/sessions/${id}/events`), isEnd);
  await workerd.kill();
  await workerd.start();
  expect(await send()).toEqual(first);
  const { messages } = (await (await call(`/v1/sessions/${id}/messages`)).json()) as {
    messages: { role: string }[];
  };
  expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
});

it("continues a turn that died with its process, and then the next prompt, without a request", async () => {
  const id = await newSession();
  for (const text of ["slow 2000", "help"]) await post(`/v1/sessions/${id}/messages`, { text });
  await until(
    () => stateInList(id),
    (state) => state === "open",
  );
  await workerd.kill();
  await workerd.start();
  await until(
    () => stateInList(id),
    (state) => state === "idle",
  );
  let ends = 0;
  const events = await read(
    await call(`/v1/sessions/${id}/events`),
    (event) => isEnd(event) && ++ends === 2,
  );
  const shown = events.flatMap(({ type, data }) =>
    type.startsWith("turn_") ? [[type, data.state]] : [],
  );
  expect(shown).toEqual([
    ["turn_start", undefined],
    ["turn_resume", undefined],
    ["turn_end", "complete"],
    ["turn_start", undefined],
    ["turn_end", "complete"],
  ]);
});

it("continues a turn whose reader has disconnected", async () => {
  const id = await newSession();
  const gone = new AbortController();
  const turn = await post(
    `/v1/sessions/${id}/messages`,
    { text: "slow 300\nrun touch x" },
    { headers: { accept: "text/event-stream" }, signal: gone.signal },
  );
  await turn.body?.getReader().read();
  gone.abort();
  const events = await read(await call(`/v1/sessions/${id}/events`), isRequest);
  expect(events.at(-1)?.data.request?.tool).toBe("Bash");
});

it("lists a stopped session as idle whose queue is kept", async () => {
  const id = await newSession();
  await post(`/v1/sessions/${id}/messages`, { text: "run echo waiting > out.txt" });
  await read(await call(`/v1/sessions/${id}/events`), isRequest);
  await post(`/v1/sessions/${id}/messages`, { text: "help" });
  expect((await post(`/v1/sessions/${id}/abort`, { keepQueue: true })).status).toBe(204);
  await read(await call(`/v1/sessions/${id}/events`), isEnd);
  await until(
    () => stateInList(id),
    (state) => state === "idle",
  );
});

it("accepts a reader that reconnects repeatedly", async () => {
  const id = await newSession();
  for (let attempt = 0; attempt < 12; attempt++) {
    const gone = new AbortController();
    expect((await call(`/v1/sessions/${id}/events`, { signal: gone.signal })).status).toBe(200);
    gone.abort();
  }
  const last = await call(`/v1/sessions/${id}/events`);
  await post(`/v1/sessions/${id}/messages`, { text: "help" });
  expect((await read(last, isEnd)).at(-1)?.data.state).toBe("complete");
});

it("refuses unknown callers, foreign sessions and oversized bodies", async () => {
  const id = await newSession();
  expect((await fetch(`${workerd.url}/v1/sessions`)).status).toBe(401);
  expect(await codeOf(await call("/v1/sessions", { token: "guess" }))).toEqual([
    401,
    "UNAUTHORIZED",
  ]);
  for (const path of ["", "/events", "/messages"]) {
    expect(await codeOf(await call(`/v1/sessions/${id}${path}`, { token: "bob-secret" }))).toEqual([
      404,
      "NOT_FOUND",
    ]);
  }
  expect((await call(`/v1/sessions/${id}`, { method: "DELETE", token: "bob-secret" })).status).toBe(
    404,
  );
  const large = await post(`/v1/sessions/${id}/messages`, { text: "x".repeat(1_100_000) });
  expect(await codeOf(large)).toEqual([413, "BODY_TOO_LARGE"]);
  const malformed = await call(`/v1/sessions/${id}/messages`, { method: "POST", body: "{" });
  expect(await codeOf(malformed)).toEqual([400, "INVALID_JSON"]);
  const foreignPage = await call("/v1/sessions", { headers: { origin: "https://evil.example" } });
  expect(await codeOf(foreignPage)).toEqual([403, "ORIGIN_NOT_ALLOWED"]);
});

it("creates one session for repeated requests, and leaves nothing of a deleted one", async () => {
  const headers = { "idempotency-key": "the-same" };
  const ids = await Promise.all(
    [1, 2, 3].map(
      async () =>
        (
          (await (await post("/v1/sessions", { name: "Once" }, { headers })).json()) as {
            id: string;
          }
        ).id,
    ),
  );
  expect(new Set(ids).size).toBe(1);
  const [id] = ids as [string];
  expect(await codeOf(await post("/v1/sessions", { name: "Twice" }, { headers }))).toEqual([
    422,
    "IDEMPOTENCY_KEY_REUSED",
  ]);
  expect(await (await call(`/v1/sessions/${id}`)).json()).toMatchObject({ name: "Once" });
  expect((await call(`/v1/sessions/${id}`, { method: "DELETE" })).status).toBe(204);
  expect((await call(`/v1/sessions/${id}`)).status).toBe(404);
  expect((await call(`/v1/sessions/${id}`, { method: "DELETE" })).status).toBe(404);
  expect(await stateInList(id)).toBeUndefined();

  // The key is free again, and what was deleted does not come back with it.
  await post("/v1/sessions", { name: "Again" }, { headers });
  expect(await (await call(`/v1/sessions/${id}`)).json()).toMatchObject({
    name: "Again",
    state: "idle",
  });
  expect(await (await call(`/v1/sessions/${id}/messages`)).json()).toEqual({ messages: [] });
});

it("serves its model to remote programs with a token", async () => {
  const url = `${workerd.url}/v1/executor`;
  const options = { url, model: "script-1", maxRetries: 0 };
  const agent = new Robota({
    provider: new SimpleRemoteExecutor({ ...options, token: "ann-secret" }),
  });
  expect((await agent.run("help")).text).toContain("script");
  const stranger = new Robota({
    provider: new SimpleRemoteExecutor({ ...options, token: "guess" }),
  });
  expect((await stranger.run("help")).error).toMatchObject({ code: "AUTHENTICATION_ERROR" });
});

it("answers nobody without a token, and everybody on the offline provider by option", async () => {
  await workerd.kill();
  await workerd.start({});
  expect(await codeOf(await fetch(`${workerd.url}/v1/sessions`))).toEqual([503, "NOT_CONFIGURED"]);
  await workerd.kill();
  await workerd.start({ ALLOW_ANONYMOUS_OFFLINE: "1", ANTHROPIC_API_KEY: "never-used" });
  const { id, token } = await anonymousSession();
  const turn = await post(
    `/v1/sessions/${id}/messages`,
    { text: "help" },
    { token, headers: { accept: "text/event-stream" } },
  );
  expect((await read(turn, isEnd)).at(-1)?.data.response).toContain("script");
});

it("isolates anonymous callers, and limits them by address", async () => {
  await workerd.kill();
  await workerd.start({ ALLOW_ANONYMOUS_OFFLINE: "1", SESSIONS_PER_OWNER: "2" });
  const [first, second] = [
    await anonymousSession("1.2.3.4"),
    await anonymousSession("2001:db8::1"),
  ];
  const listed = (await (await call("/v1/sessions", { token: first.token })).json()) as object;
  expect(listed).toMatchObject({ sessions: [{ id: first.id }] });
  for (const method of ["GET", "DELETE"]) {
    const foreign = await call(`/v1/sessions/${first.id}`, { method, token: second.token });
    expect(await codeOf(foreign)).toEqual([404, "NOT_FOUND"]);
  }
  expect((await fetch(`${workerd.url}/v1/sessions`)).status).toBe(401);

  const another = await anonymousSession("1.2.3.4");
  expect(await codeOf(await beginFrom("1.2.3.4"))).toEqual([429, "TOO_MANY_SESSIONS"]);
  await anonymousSession("2001:0db8:0:0::2");
  expect(await codeOf(await beginFrom("2001:db8::ffff:3"))).toEqual([429, "TOO_MANY_SESSIONS"]);
  await anonymousSession("2001:db8:0:1::1");
  const gone = await call(`/v1/sessions/${another.id}`, { method: "DELETE", token: another.token });
  expect(gone.status).toBe(204);
  await anonymousSession("1.2.3.4");
});

it("serves anonymous callers only under the machine's own host names", async () => {
  const statusOf = async (host: string): Promise<number> => {
    const { port } = new URL(workerd.url);
    const asked = get({ host: "127.0.0.1", port, path: "/healthz", headers: { host } });
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  };
  expect(await statusOf("rebound.example")).toBe(421);
  expect(await statusOf("localhost:8787")).toBe(200);
  await workerd.kill();
  await workerd.start({ ALLOW_ANONYMOUS_OFFLINE: "1", ALLOWED_HOSTS: "robota.example" });
  expect(await statusOf("robota.example")).toBe(200);
  expect(await statusOf("localhost:8787")).toBe(421);
});

it("deletes unused sessions of anonymous callers", async () => {
  await workerd.kill();
  await workerd.start({
    ALLOW_ANONYMOUS_OFFLINE: "1",
    ANONYMOUS_SECONDS: "1",
    SESSIONS_PER_OWNER: "1",
  });
  const { id, token } = await anonymousSession("5.6.7.8");
  await until(
    async () => (await call(`/v1/sessions/${id}`, { token })).status,
    (status) => status === 404,
  );
  await until(
    async () => (await beginFrom("5.6.7.8")).status,
    (status) => status === 201,
  );
});

function beginFrom(address: string): Promise<Response> {
  const headers = { "cf-connecting-ip": address };
  return fetch(`${workerd.url}/v1/sessions`, { method: "POST", headers });
}

async function anonymousSession(address = "127.0.0.1"): Promise<{ id: string; token: string }> {
  const made = await beginFrom(address);
  expect(made.status).toBe(201);
  return (await made.json()) as { id: string; token: string };
}
