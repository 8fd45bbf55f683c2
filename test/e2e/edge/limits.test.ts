import { afterAll, beforeAll, expect, it } from "vitest";
import { startWorkerd, type Workerd } from "../workerd.ts";

const TOKENS = { API_TOKENS: JSON.stringify({ ann: "ann-secret", bob: "bob-secret" }) };

let workerd: Workerd;

beforeAll(async () => {
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: TOKENS,
  });
});
afterAll(() => workerd[Symbol.asyncDispose]());

async function restart(variables: Record<string, string>): Promise<void> {
  await workerd.kill();
  await workerd.start({ ...TOKENS, ...variables });
}

function call(path: string, init: RequestInit & { token?: string } = {}): Promise<Response> {
  const { token = "ann-secret", ...rest } = init;
  const headers = new Headers(rest.headers);
  headers.set("authorization", `Bearer ${token}`);
  return fetch(`${workerd.url}${path}`, { ...rest, headers });
}

function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return call(path, { method: "POST", body: JSON.stringify(body), headers });
}

async function newSession(): Promise<string> {
  const made = await call("/v1/sessions", { method: "POST" });
  expect(made.status).toBe(201);
  return `/v1/sessions/${((await made.json()) as { id: string }).id}`;
}

/** The whole turn of a message, as text. */
async function turn(path: string, text: string): Promise<string> {
  const answer = await post(`${path}/messages`, { text }, { accept: "text/event-stream" });
  return answer.text();
}

it("counts a principal's requests over all objects, exactly when they come at the same time", async () => {
  await restart({ REQUESTS_PER_MINUTE: "20" });
  const answers = await Promise.all(Array.from({ length: 60 }, () => call("/v1/sessions")));
  const refused = answers.filter(({ status }) => status === 429);
  // Some may have been refilled while they came.
  expect(refused.length).toBeGreaterThan(30);
  expect(refused.length).toBeLessThanOrEqual(40);
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused[0]?.json()).toMatchObject({ code: "TOO_MANY_REQUESTS" });
  expect((await call("/v1/sessions", { token: "bob-secret" })).status).toBe(200);
});

it("counts the requests of remote programs to its model with a principal's others", async () => {
  const token = "cora-secret";
  await restart({ REQUESTS_PER_MINUTE: "2", API_TOKENS: JSON.stringify({ cora: token }) });
  const ask = (): Promise<Response> =>
    call("/v1/executor", { method: "POST", body: JSON.stringify({ messages: [] }), token });
  const [first, second] = [await ask(), await call("/v1/sessions", { token })];
  expect([first.status, second.status]).toEqual([422, 200]);
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: "TOO_MANY_REQUESTS" });
});

it("remembers a principal's requests when its process dies", async () => {
  await restart({ REQUESTS_PER_MINUTE: "2" });
  // The bucket of two fills by one in 30 s.
  const before = [
    await call("/v1/sessions"),
    await call("/v1/sessions"),
    await call("/v1/sessions"),
  ];
  expect(before.some(({ status }) => status === 429)).toBe(true);
  await restart({ REQUESTS_PER_MINUTE: "2" });
  expect((await call("/v1/sessions")).status).toBe(429);
});

it("counts the requests of a socket with a principal's others", async () => {
  await restart({ REQUESTS_PER_MINUTE: "6" });
  // This principal has not used up their requests above.
  const token = "bob-secret";
  const made = await call("/v1/sessions", { method: "POST", token });
  const path = new URL(made.headers.get("location") ?? "").pathname;
  const socket = new WebSocket(`${workerd.url.replace("http", "ws")}${path}/socket`, [
    "robota.v1",
    `robota.bearer.${Buffer.from(token).toString("base64url")}`,
  ]);
  const frames: { type: string; status?: number; body?: unknown; retryAfterMs?: number }[] = [];
  socket.addEventListener("message", ({ data }) => void frames.push(JSON.parse(String(data))));
  await expect.poll(() => frames).toMatchObject([{ type: "hello" }]);
  for (let id = 0; id < 10; id += 1)
    socket.send(
      JSON.stringify({ v: 1, type: "request", id: `${id}`, method: "GET", path: "context" }),
    );
  await expect.poll(() => frames.length).toBe(11);
  const refused = frames.filter(({ status }) => status === 429);
  // Four are left of six after the session and its socket; some may be refilled.
  expect(refused.length).toBeGreaterThan(3);
  expect(refused.length).toBeLessThan(7);
  expect(refused[0]).toMatchObject({
    body: { code: "TOO_MANY_REQUESTS", detail: "You may send 6 requests a minute." },
    retryAfterMs: expect.any(Number),
  });
  expect((await call(path, { token })).status).toBe(429);
  socket.close();
});

it("limits the streams of a principal over its sessions", async () => {
  await restart({ STREAMS_PER_OWNER: "2" });
  const paths = [await newSession(), await newSession()];
  const gone = new AbortController();
  for (const path of paths) {
    expect((await call(`${path}/events`, { signal: gone.signal })).status).toBe(200);
  }
  const refused = await call(`${paths[0]}/events`);
  expect(await refused.json()).toMatchObject({ status: 429, code: "TOO_MANY_STREAMS" });
  gone.abort();
});

it("stops a turn whose principal has used the day's tokens, in every session and after a restart", async () => {
  const limit = { TOKENS_PER_DAY: "15000" };
  await restart(limit);
  const first = await newSession();
  const second = await newSession();
  let answer = await turn(first, "help");
  expect(answer).toContain("turn_end");
  for (let index = 0; index < 20 && !answer.includes("a day (UTC)"); index++)
    answer = await turn(index % 2 === 0 ? second : first, "help");
  expect(answer).toContain("a day (UTC)");
  await restart(limit);
  expect(await turn(second, "help")).toMatch(/day \(UTC\)/);
  await restart({});
  expect(await turn(second, "help")).toContain("turn_end");
});

it("follows the operator's settings: mode, rules, tools and template", async () => {
  await restart({
    PERMISSION_MODE: "plan",
    ALLOWED_TOOLS: "Read,Glob,Write",
    WORKSPACE_TEMPLATE: JSON.stringify({ "docs/a.txt": "the template" }),
    SESSION_SETTINGS: JSON.stringify({ permissions: { deny: ["Write(docs/**)"] } }),
  });
  const path = await newSession();
  expect(await (await call(path)).json()).toMatchObject({ permissionMode: "plan" });
  expect(await turn(path, "read docs/a.txt")).toContain("the template");
  expect(await turn(path, "run echo x")).toContain('"denied":true');
  const changed = await call(path, {
    method: "PATCH",
    body: JSON.stringify({ permissionMode: "default" }),
  });
  expect(changed.status).toBe(200);
  expect(await turn(path, "write docs/b.txt: x")).toContain('"denied":true');
});

it.each([
  ["PERMISSION_MODE", "yolo"],
  ["REQUESTS_PER_MINUTE", "many"],
  ["TOKENS_PER_DAY", "-1"],
  ["DOLLARS_PER_DAY", "0"],
  ["ALLOWED_TOOLS", "Read,Sudo"],
  ["WORKSPACE_TEMPLATE", '{"../x":"y"}'],
  ["SESSION_SETTINGS", "{"],
  ["COMMAND_SCOPES", "read,root"],
  ["WATCHDOG_SECONDS", "30s"],
  ["WATCHDOG_SECONDS", "0"],
  ["ANONYMOUS_SECONDS", "a day"],
])("answers nobody when %s is %j, and names it", async (name, value) => {
  await restart({ [name]: value });
  const answer = await call("/v1/sessions", { method: "POST" });
  expect(await answer.json()).toMatchObject({
    status: 503,
    code: "NOT_CONFIGURED",
    detail: expect.stringContaining(name),
    hint: expect.stringContaining(name),
  });
});

it("opens no session when the rules of the operator can't be used", async () => {
  await restart({ SESSION_SETTINGS: JSON.stringify({ permissions: { deny: "Bash" } }) });
  const answer = await call("/v1/sessions", { method: "POST" });
  expect(await answer.json()).toMatchObject({ status: 503, code: "NOT_CONFIGURED" });
});
