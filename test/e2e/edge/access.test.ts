import { afterAll, beforeAll, expect, it } from "vitest";
import { startWorkerd, type Workerd } from "../workerd.ts";

const LONG = "0123456789abcdef0123456789abcdef";
const BRIEF = `brief-${LONG}`;
const TOKENS = JSON.stringify({
  ann: [`ann-${LONG}`, { token: `reader-${LONG}`, scopes: ["read"] }],
  bob: { token: `bob-${LONG}`, scopes: ["prompt"] },
});

let workerd: Workerd;

beforeAll(async () => {
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: { API_TOKENS: TOKENS },
  });
});
afterAll(() => workerd[Symbol.asyncDispose]());

function call(path: string, init: RequestInit & { token?: string | null } = {}): Promise<Response> {
  const { token = `ann-${LONG}`, ...rest } = init;
  const headers = new Headers(rest.headers);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  return fetch(`${workerd.url}${path}`, { ...rest, headers });
}

async function newSession(token?: string): Promise<string> {
  const init = token === undefined ? { method: "POST" } : { method: "POST", token };
  const made = await call("/v1/sessions", init);
  expect(made.status).toBe(201);
  return ((await made.json()) as { id: string }).id;
}

async function ticketFor(id: string): Promise<string> {
  const made = await call(`/v1/sessions/${id}/tickets`, { method: "POST" });
  expect(made.status).toBe(201);
  return ((await made.json()) as { ticket: string }).ticket;
}

async function statusOf(path: string): Promise<number> {
  const response = await call(path, { token: null });
  await response.body?.cancel();
  return response.status;
}

it("takes the scopes of a token along to the object of the session, whatever a caller says they are", async () => {
  const id = await newSession(`bob-${LONG}`);
  const init = {
    method: "PATCH",
    token: `bob-${LONG}`,
    headers: { "x-robota-principal": JSON.stringify({ owner: "bob", scopes: ["admin"] }) },
  };
  const path = `/v1/sessions/${id}`;
  const body = JSON.stringify({ permissionMode: "plan" });
  expect((await call(path, { ...init, body })).status).toBe(403);
  expect((await call(path, { ...init, body: JSON.stringify({ name: "x" }) })).status).toBe(200);
  const foreign = { token: `bob-${LONG}`, headers: init.headers };
  expect((await call(`/v1/sessions/${await newSession()}`, foreign)).status).toBe(404);
});

it("refuses a ticket the second time, also after its process was killed", async () => {
  const id = await newSession();
  const path = `/v1/sessions/${id}/events?ticket=${await ticketFor(id)}`;
  expect(await statusOf(path)).toBe(200);
  expect(await statusOf(path)).toBe(401);
  const unused = `/v1/sessions/${id}/events?ticket=${await ticketFor(id)}`;
  await workerd.kill();
  await workerd.start();
  expect(await statusOf(path)).toBe(401);
  // The key comes from the tokens, so that a ticket is good wherever the worker runs next.
  expect(await statusOf(unused)).toBe(200);
  expect(await statusOf(unused)).toBe(401);
});

/** Streams opened with a token that expires, and with its ticket; on a slow machine it gets a longer life. */
async function briefStreams(lifeMs: number): Promise<{ path: string; streams: Response[] }> {
  await workerd.kill();
  const expiresAt = new Date(Date.now() + lifeMs).toISOString();
  const brief = { token: BRIEF, scopes: ["read"], expiresAt };
  await workerd.start({ API_TOKENS: JSON.stringify({ ann: [`ann-${LONG}`, brief] }) });
  const path = `/v1/sessions/${await newSession()}`;
  const made = await call(`${path}/tickets`, { method: "POST", token: BRIEF });
  const { ticket } = (await made.json()) as { ticket?: string };
  const streams = await Promise.all([
    call(`${path}/events`, { token: BRIEF }),
    call(`${path}/events?ticket=${ticket}`, { token: null }),
  ]);
  if (Date.now() >= Date.parse(expiresAt)) return briefStreams(lifeMs * 2);
  return { path, streams };
}

it("ends streams whose token or ticket has expired, before the next event", async () => {
  const { path, streams } = await briefStreams(4_000);
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  const statusNow = async (): Promise<number> => (await call(path, { token: BRIEF })).status;
  await expect.poll(statusNow).toBe(401);
  await call(`${path}/messages`, { method: "POST", body: JSON.stringify({ text: "Secret plan" }) });
  for (const stream of streams) expect(await stream.text()).not.toContain("Secret plan");
});

it("answers nobody when a token has a scope that is not known, and says which", async () => {
  await workerd.kill();
  await workerd.start({
    API_TOKENS: JSON.stringify({ ann: { token: LONG, scopes: ["read", "write"] } }),
  });
  const answer = await call("/v1/sessions", { token: LONG });
  expect(await answer.json()).toMatchObject({
    status: 503,
    code: "NOT_CONFIGURED",
    detail: expect.stringContaining('"write"'),
    hint: expect.stringContaining("approve"),
  });
});

it("makes no tickets from tokens that could be guessed", async () => {
  await workerd.kill();
  await workerd.start({ API_TOKEN: "short" });
  const made = await call("/v1/sessions", { method: "POST", token: "short" });
  const { id } = (await made.json()) as { id: string };
  const path = `/v1/sessions/${id}/tickets`;
  const refused = await call(path, { method: "POST", token: "short" });
  expect(await refused.json()).toMatchObject({ status: 503, code: "NOT_CONFIGURED" });
  await workerd.kill();
  await workerd.start({ API_TOKEN: "short", TICKET_SECRET: LONG });
  expect((await call(path, { method: "POST", token: "short" })).status).toBe(201);
});
