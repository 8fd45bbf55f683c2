import { expect, it } from "vitest";
import { eventsUntil, httpFixture } from "../../../../../test/support/network/http-sessions.ts";
import { httpTransport } from "./http-transport.ts";
import type { SessionGateway } from "./session-host.ts";

const SSE = { accept: "text/event-stream" };

interface Problem {
  status: number;
  code: string;
  hint: string;
}

async function problemOf(response: Response): Promise<Problem> {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const problem = (await response.json()) as Problem;
  expect(problem.status).toBe(response.status);
  return problem;
}

it("creates, lists, renames and deletes a session", async () => {
  const { call } = httpFixture();
  const made = await call("/v1/sessions", { body: { name: "First" } });
  expect(made.status).toBe(201);
  const { id, url } = (await made.json()) as { id: string; url: string };
  expect(made.headers.get("location")).toBe(url);
  expect(url).toBe(`http://localhost/v1/sessions/${id}`);

  expect(await (await call("/v1/sessions")).json()).toMatchObject({
    sessions: [{ id, name: "First", state: "idle" }],
  });
  const renamed = await call(`/v1/sessions/${id}`, { method: "PATCH", body: { name: "Second" } });
  expect(await renamed.json()).toMatchObject({ id, name: "Second", pendingPermissions: [] });

  expect((await call(`/v1/sessions/${id}`, { method: "DELETE" })).status).toBe(204);
  expect((await call(`/v1/sessions/${id}`)).status).toBe(404);
  expect(await (await call("/v1/sessions")).json()).toEqual({ sessions: [] });
});

it("lists an unused session", async () => {
  const { call, newSession } = httpFixture();
  const id = await newSession();
  expect(await (await call("/v1/sessions")).json()).toMatchObject({
    sessions: [{ id, state: "idle" }],
  });
});

it("creates one session for a request repeated with its Idempotency-Key", async () => {
  const { call } = httpFixture();
  const send = (key: string, body: unknown, token = "ann-secret"): Promise<Response> =>
    call("/v1/sessions", { body, token, headers: { "idempotency-key": key } });

  const responses = await Promise.all([send("k", { name: "a" }), send("k", { name: "a" })]);
  const [first, second] = await Promise.all(responses.map((response) => response.json()));
  expect(responses.map(({ status }) => status)).toEqual([201, 201]);
  expect(second).toEqual(first);
  expect(await (await send("k", { name: "a" })).json()).toEqual(first);

  expect((await problemOf(await send("k", { name: "b" }))).code).toBe("IDEMPOTENCY_KEY_REUSED");
  expect(await (await send("k", { name: "a" }, "bob-secret")).json()).not.toEqual(first);
  expect((await problemOf(await send("with space", {}))).status).toBe(400);
});

it("refuses unknown tokens, and names the header", async () => {
  const { call } = httpFixture();
  const denied = [
    await call("/v1/sessions", { token: null }),
    await call("/v1/sessions", { token: "ann-secret2" }),
    await call("/v1/sessions", { token: "" }),
    await call("/v1/sessions", { token: null, headers: { authorization: "Basic ann-secret" } }),
    await call("/v1/sessions", { token: null, headers: { authorization: "ann-secret" } }),
    await call("/v1/sessions?token=ann-secret", { token: null }),
  ];
  for (const response of denied) {
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    const { status, code, hint } = await problemOf(response);
    expect([status, code]).toEqual([401, "UNAUTHORIZED"]);
    expect(hint).toContain("Authorization: Bearer");
  }
});

it("admits anonymous callers by option, and still refuses a wrong token", async () => {
  const { call } = httpFixture([], { tokens: {}, anonymousOwner: "everybody" });
  expect((await call("/v1/sessions", { method: "POST", token: null })).status).toBe(201);
  expect((await call("/v1/sessions", { token: "guess" })).status).toBe(401);
  const unknown = await problemOf(await call("/v1/sessions", { token: null }));
  expect([unknown.code, unknown.hint]).toEqual(["UNAUTHORIZED", expect.stringContaining("POST")]);
});

it("isolates anonymous callers from each other, each with its own token", async () => {
  const { call } = httpFixture([], { anonymousOwner: "everybody", sessionsPerOwner: 2 });
  const begin = async (): Promise<{ id: string; token: string }> => {
    const made = await call("/v1/sessions", { method: "POST", token: null });
    return (await made.json()) as { id: string; token: string };
  };
  const [first, second] = [await begin(), await begin()];
  expect(first.token).toMatch(/^anonymous-[\w-]{43}$/);
  expect(second.token).not.toBe(first.token);
  const idsOf = async (token: string): Promise<string[]> => {
    const response = await call("/v1/sessions", { token });
    const { sessions } = (await response.json()) as { sessions: { id: string }[] };
    return sessions.map(({ id }) => id);
  };
  expect(await idsOf(first.token)).toEqual([first.id]);
  expect(await idsOf(second.token)).toEqual([second.id]);
  expect(await idsOf("ann-secret")).toEqual([]);

  const path = `/v1/sessions/${first.id}`;
  for (const token of [second.token, "ann-secret"]) {
    expect((await call(path, { token })).status).toBe(404);
    expect((await call(`${path}/messages`, { token, body: { text: "hi" } })).status).toBe(404);
    expect((await call(path, { token, method: "DELETE" })).status).toBe(404);
  }
  expect((await call(path, { token: null })).status).toBe(401);
  expect((await call(path, { token: first.token })).status).toBe(200);

  // One owner's limit does not affect other owners.
  expect((await call("/v1/sessions", { method: "POST", token: first.token })).status).toBe(201);
  expect((await call("/v1/sessions", { method: "POST", token: first.token })).status).toBe(429);
  expect((await call("/v1/sessions", { method: "POST", token: null })).status).toBe(201);
});

it("creates no session with a guessable key that another anonymous caller could find", async () => {
  const { call } = httpFixture([], { anonymousOwner: "everybody" });
  const headers = { "idempotency-key": "1" };
  const keyed = await call("/v1/sessions", { method: "POST", token: null, headers });
  expect((await problemOf(keyed)).code).toBe("TOKEN_NEEDED");
  const ids: string[] = [];
  for (const letter of ["a", "a", "b"]) {
    const token = `anonymous-${letter.repeat(43)}`;
    const made = await call("/v1/sessions", { method: "POST", token, headers });
    const { id, ...rest } = (await made.json()) as { id: string };
    expect(rest).not.toHaveProperty("token");
    ids.push(id);
  }
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

it("refuses anonymous tokens when anonymous callers are not admitted", async () => {
  const { call } = httpFixture();
  const token = `anonymous-${"a".repeat(43)}`;
  expect((await call("/v1/sessions", { method: "POST", token })).status).toBe(401);
});

it("does not start open to everybody by mistake", () => {
  expect(() => httpTransport({})).toThrow(/no token/);
  expect(() => httpTransport({ tokens: { ann: "" } })).toThrow(/empty/);
  expect(() => httpTransport({ tokens: { "../ann": "x" } })).toThrow(/owner/);
  for (const owner of ["all", "all-ann"])
    expect(() => httpTransport({ tokens: { [owner]: "x" }, anonymousOwner: "all" })).toThrow(owner);
  expect(() => httpTransport({ anonymousOwner: "a".repeat(32) })).toThrow(/too long/);
  expect(() => httpTransport({ tokens: { ann: "x" }, allowedOrigins: ["*"] })).toThrow(/origin/);
});

it("answers the same for a missing, a foreign and an invalid session id", async () => {
  const { call, newSession } = httpFixture();
  const id = await newSession();
  const paths = ["", "/events", "/messages", "/history", "/context"];
  for (const path of paths) {
    const foreign = await problemOf(
      await call(`/v1/sessions/${id}${path}`, { token: "bob-secret" }),
    );
    const absent = await problemOf(await call(`/v1/sessions/nothing${path}`));
    const invalid = await problemOf(await call(`/v1/sessions/a%20b${path}`));
    expect([foreign.status, foreign]).toEqual([404, absent]);
    expect(invalid).toEqual(absent);
  }
  const gone = await call(`/v1/sessions/${id}`, { method: "DELETE", token: "bob-secret" });
  expect(gone.status).toBe(404);
  expect(await (await call("/v1/sessions", { token: "bob-secret" })).json()).toEqual({
    sessions: [],
  });
});

it("limits the sessions of one owner", async () => {
  const { call, newSession } = httpFixture([], { sessionsPerOwner: 2 });
  await newSession();
  const id = await newSession();
  expect((await problemOf(await call("/v1/sessions", { method: "POST" }))).code).toBe(
    "TOO_MANY_SESSIONS",
  );
  await call(`/v1/sessions/${id}`, { method: "DELETE" });
  expect((await call("/v1/sessions", { method: "POST" })).status).toBe(201);
});

it("closes unused sessions and reopens them", async () => {
  const { call, newSession } = httpFixture([{ text: "one" }, { text: "two" }], { maxOpen: 1 });
  const [first, second] = [await newSession(), await newSession()];
  for (const id of [first, second, first]) {
    await call(`/v1/sessions/${id}`, { method: "PATCH", body: { name: id } });
  }
  const sent = await call(`/v1/sessions/${first}/messages`, { body: { text: "hi" }, headers: SSE });
  await eventsUntil(sent, "turn_end");
  await call(`/v1/sessions/${second}`);
  const { messages } = (await (await call(`/v1/sessions/${first}/messages`)).json()) as {
    messages: { content: string }[];
  };
  expect(messages.map(({ content }) => content)).toEqual(["hi", "one"]);
});

it("sets restrictive permission modes over the network but no permissive ones", async () => {
  const { call, newSession } = httpFixture();
  const id = await newSession();
  const set = (permissionMode: string): Promise<Response> =>
    call(`/v1/sessions/${id}`, { method: "PATCH", body: { permissionMode } });
  expect(await (await set("plan")).json()).toMatchObject({ permissionMode: "plan" });
  expect((await problemOf(await set("bypassPermissions"))).code).toBe("MODE_NOT_ALLOWED");
  expect((await problemOf(await set("anything"))).status).toBe(422);
  const born = await call("/v1/sessions", { body: { permissionMode: "acceptEdits" } });
  expect((await problemOf(born)).code).toBe("MODE_NOT_ALLOWED");
});

it("serves an attached session", async () => {
  const { transport, call, newSession } = httpFixture();
  const id = await newSession();
  const alone = httpTransport({ tokens: { me: "me-secret" } });
  const headers = { authorization: "Bearer me-secret" };
  const { InteractiveSession } = await import("../../interactive/interactive-session.ts");
  const { memoryPlatform } = await import("../../testing/memory-platform.ts");
  const { ScriptedProvider } = await import("../../testing/scripted-provider.ts");
  const session = new InteractiveSession({
    platform: memoryPlatform(),
    provider: new ScriptedProvider([{ text: "attached" }]),
  });
  session.attachTransport(alone);
  await alone.start();
  const path = `http://localhost/v1/sessions/${session.sessionId}/messages`;
  const body = JSON.stringify({ text: "hi" });
  const answer = await alone.request(path, {
    method: "POST",
    headers: { ...headers, ...SSE },
    body,
  });
  expect((await eventsUntil(answer, "turn_end")).at(-1)).toMatchObject({ response: "attached" });
  expect((await alone.request("/v1/sessions", { method: "POST", headers })).status).toBe(405);
  const stream = await alone.request(`${path.replace("messages", "events")}`, { headers });
  await alone.stop();
  expect((await eventsUntil(stream, "never")).length).toBeGreaterThan(0);
  expect((await alone.request(path, { headers })).status).toBe(503);
  expect(session.isExecuting()).toBe(false);
  expect(transport.name).toBe("http");
  expect((await call(`/v1/sessions/${id}`)).status).toBe(200);
});

it("lists the allowed methods of a known path called with another one", async () => {
  const { call, newSession } = httpFixture();
  const id = await newSession();
  const paths = {
    "/healthz": ["DELETE", "GET, HEAD"],
    "/v1/sessions": ["PUT", "GET, HEAD, POST"],
    [`/v1/sessions/${id}`]: ["POST", "DELETE, GET, HEAD, PATCH"],
    [`/v1/sessions/${id}/log`]: ["DELETE", "GET, HEAD, PUT"],
    [`/v1/sessions/${id}/abort`]: ["GET", "POST"],
    "/v1/sessions/nothing/permissions/1": ["GET", "POST"],
  };
  for (const [path, [method = "", allow]] of Object.entries(paths)) {
    const response = await call(path, { method });
    expect([path, response.headers.get("allow")]).toEqual([path, allow]);
    expect((await problemOf(response)).code).toBe("METHOD_NOT_ALLOWED");
    expect(response.status).toBe(405);
  }
  expect((await problemOf(await call(`/v1/sessions/${id}/nothing`))).status).toBe(404);
  const unknown = await call("/v1/sessions", { method: "PUT", token: null });
  expect((await problemOf(unknown)).status).toBe(401);
});

it("lists the allowed methods also for remote sessions", async () => {
  const gateway: SessionGateway = { fetch: async () => new Response(null, { status: 599 }) };
  const elsewhere = httpTransport({
    tokens: { me: "me-secret" },
    sessions: {
      create: async () => {},
      list: async () => [],
      open: async () => gateway,
      delete: async () => false,
    },
  });
  const headers = { authorization: "Bearer me-secret" };
  const request = (method: string): Response | Promise<Response> =>
    elsewhere.request("/v1/sessions/one", { method, headers });
  expect((await request("POST")).headers.get("allow")).toBe("DELETE, GET, HEAD, PATCH");
  expect((await request("GET")).status).toBe(599);
});
