import { expect, it } from "vitest";
import { eventsUntil, httpFixture } from "../../../../../../test/support/network/http-sessions.ts";
import { memoryPlatform } from "../../../testing/memory-platform.ts";
import { SCOPES } from "../principal/scopes.ts";

const TOKENS = {
  ann: SCOPES.map((scope) => ({ token: `ann-${scope}`, scopes: [scope] })),
  bob: "bob-secret",
};

async function fixture(files: Record<string, string> = {}) {
  const platform = memoryPlatform({ files: { "/project/": "", ...files } });
  const write = { name: "Write", args: { filePath: "by-agent.txt", content: "x" } };
  const made = httpFixture([{ text: "x", toolCalls: [write] }], {
    tokens: TOKENS,
    session: { platform, cwd: "/project" },
    limits: { fileBytes: 1000 },
  });
  const response = await made.call("/v1/sessions", { method: "POST", token: "ann-prompt" });
  const { id } = (await response.json()) as { id: string };
  const root = `/v1/sessions/${id}/files`;
  const send = (
    method: string,
    path: string,
    options: { token?: string; body?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> => {
    const { token = "ann-prompt", body, headers } = options;
    const init = { method, headers: { authorization: `Bearer ${token}`, ...headers } };
    const request = new Request(`http://localhost${root}${path}`, {
      ...init,
      ...(body === undefined ? {} : { body }),
    });
    return Promise.resolve(made.transport.fetch(request));
  };
  return { ...made, platform, send, id };
}

async function codeOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as { code: string }).code];
}

it("writes, reads, lists and removes files of the workspace", async () => {
  const { send } = await fixture();
  const made = await send("PUT", "/src/a%20b.html", { body: "<b>hi</b>" });
  expect(made.status).toBe(201);
  const etag = made.headers.get("etag");
  const read = await send("GET", "/src/a%20b.html");
  expect([read.status, await read.text(), read.headers.get("etag")]).toEqual([
    200,
    "<b>hi</b>",
    etag,
  ]);
  expect(Object.fromEntries(read.headers)).toMatchObject({
    "content-type": expect.stringContaining("text/html"),
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringContaining("sandbox"),
  });
  expect(await (await send("GET", "?path=src")).json()).toMatchObject({
    path: "src",
    entries: [{ name: "a b.html", type: "file", size: 9 }],
    isTruncated: false,
  });
  expect(await codeOf(await send("DELETE", "/src"))).toEqual([409, "FILE_CONFLICT"]);
  expect((await send("DELETE", "/src/a%20b.html")).status).toBe(204);
  expect(await codeOf(await send("GET", "/src/a%20b.html"))).toEqual([404, "NO_SUCH_FILE"]);
  expect((await send("DELETE", "/src")).status).toBe(204);
  const head = await send("HEAD", "");
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

it("changes a file only if it is the one that the caller knows", async () => {
  const { send } = await fixture({ "/project/a.txt": "one" });
  const etag = (await send("GET", "/a.txt")).headers.get("etag") ?? "";
  const unchanged = await send("GET", "/a.txt", { headers: { "if-none-match": etag } });
  expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
  const put = (headers: Record<string, string>): Promise<Response> =>
    send("PUT", "/a.txt", { body: "two", headers });
  expect(await codeOf(await put({ "if-none-match": "*" }))).toEqual([412, "PRECONDITION_FAILED"]);
  expect(await codeOf(await put({ "if-match": '"other"' }))).toEqual([412, "PRECONDITION_FAILED"]);
  const writes = await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      send("PUT", "/a.txt", { body: `by ${index}`, headers: { "if-match": etag } }),
    ),
  );
  expect(writes.filter(({ status }) => status === 204)).toHaveLength(1);
  expect(writes.filter(({ status }) => status === 412)).toHaveLength(4);
  const gone = await send("DELETE", "/a.txt", { headers: { "if-match": etag } });
  expect(gone.status).toBe(412);
});

it("sends ranges of a file", async () => {
  const { send } = await fixture({ "/project/a.txt": "0123456789" });
  const range = async (text: string): Promise<unknown[]> => {
    const answer = await send("GET", "/a.txt", { headers: { range: text } });
    return [answer.status, await answer.text(), answer.headers.get("content-range")];
  };
  expect(await range("bytes=2-4")).toEqual([206, "234", "bytes 2-4/10"]);
  expect(await range("bytes=7-")).toEqual([206, "789", "bytes 7-9/10"]);
  expect(await range("bytes=-2")).toEqual([206, "89", "bytes 8-9/10"]);
  expect(await range("bytes=8-99")).toEqual([206, "89", "bytes 8-9/10"]);
  expect(await range("bytes=0-1,3-4")).toEqual([200, "0123456789", null]);
  const beyond = await range("bytes=10-");
  expect([beyond[0], beyond[2]]).toEqual([416, "bytes */10"]);
});

it.each([
  "/..%2f..%2fhome%2fuser%2f.robota%2fsettings.json",
  "/src/%2e%2e%2fx",
  "/a%2f%2fb",
  "/%2fetc%2fpasswd",
  "/a%00b",
  "/a%5c..%5cb",
  "/link/x.txt",
  "/link",
  "/dangling",
])("reaches nothing outside of the workspace by %s", async (path) => {
  const { send, platform } = await fixture({ "/home/x.txt": "private" });
  await platform.fs.symlink("/home", "/project/link");
  await platform.fs.symlink("/home/new.txt", "/project/dangling");
  for (const method of ["GET", "PUT", "DELETE"]) {
    const init = { token: "ann-admin", ...(method === "PUT" ? { body: "evil" } : {}) };
    const answer = await send(method, path, init);
    expect([method, answer.status]).toEqual([method, 400]);
  }
  const { entries } = { entries: await platform.fs.readdir("/home") };
  expect(entries.map(({ name }) => name)).not.toContain("new.txt");
});

it("keeps settings and keys for administrators, in lists of all files too", async () => {
  const { send } = await fixture({
    "/project/.robota/settings.json": "{}",
    "/project/.env": "KEY=1",
    "/project/a.txt": "x",
  });
  for (const path of ["/.robota/settings.json", "/.env", "/.ROBOTA/settings.json"]) {
    for (const token of ["ann-read", "ann-prompt", "ann-approve"])
      expect(await codeOf(await send("GET", path, { token }))).toEqual([403, "INSUFFICIENT_SCOPE"]);
  }
  const places = ["/.robota/x", "/.git/hooks/pre-commit", "/.github/workflows/a.yml", "/.npmrc"];
  for (const path of places) {
    const refused = await send("PUT", path, { body: "evil" });
    expect(await codeOf(refused)).toEqual([403, "INSUFFICIENT_SCOPE"]);
    expect((await send("PUT", path, { body: "mine", token: "ann-admin" })).status).toBe(201);
  }
  expect(await codeOf(await send("PUT", "/a.txt", { body: "y", token: "ann-read" }))).toEqual([
    403,
    "INSUFFICIENT_SCOPE",
  ]);
  const zip = async (token: string): Promise<string> => {
    const answer = await send("GET", "", { token, headers: { accept: "application/zip" } });
    expect(answer.headers.get("content-type")).toBe("application/zip");
    return new TextDecoder("latin1").decode(await answer.arrayBuffer());
  };
  expect(await zip("ann-read")).toContain("a.txt");
  expect(await zip("ann-read")).not.toContain(".env");
  expect(await zip("ann-admin")).toContain(".env");
});

it("counts the bytes of a file that arrives, and sends none that is too large", async () => {
  const { send } = await fixture({ "/project/large.txt": "x".repeat(2000) });
  expect(await codeOf(await send("PUT", "/b.txt", { body: "x".repeat(1001) }))).toEqual([
    413,
    "BODY_TOO_LARGE",
  ]);
  expect(await codeOf(await send("GET", "/large.txt"))).toEqual([413, "FILE_TOO_LARGE"]);
  expect((await send("GET", "/b.txt")).status).toBe(404);
});

it("records what a caller wrote as a change of the session, which an export contains", async () => {
  const { call, send, id } = await fixture();
  await call(`/v1/sessions/${id}/messages`, { token: "ann-prompt", body: { text: "hi" } });
  await send("PUT", "/brought.txt", { body: "mine" });
  const made = await call(`/v1/sessions/${id}/log?files=changed`, { token: "ann-read" });
  expect(await made.text()).toContain("brought.txt");
});

it("keeps settings and keys for administrators in an exported session, which names what it leaves out", async () => {
  const { call, send, id } = await fixture({
    "/project/.robota/settings.json": '{"model":"theirs"}',
    "/project/.env": "COLOUR=mauve",
    "/project/a.txt": "all may read this",
  });
  await call(`/v1/sessions/${id}/messages`, { token: "ann-prompt", body: { text: "hi" } });
  await send("PUT", "/.env", { body: "COLOUR=puce", token: "ann-admin" });
  const exported = async (token: string, files: string): Promise<TransferLine[]> => {
    const log = await (await call(`/v1/sessions/${id}/log?files=${files}`, { token })).text();
    return log
      .trim()
      .split("\n")
      .map((line): TransferLine => JSON.parse(line));
  };
  for (const files of ["workspace", "changed"]) {
    const lines = await exported("ann-read", files);
    expect(lines).toContainEqual({ leftOut: { path: ".env", reason: "unreadable" } });
    expect(lines.map(({ file }) => file?.path)).not.toContain(".env");
    expect(lines.map(({ file }) => file?.path)).not.toContain(".robota/settings.json");
    const all = (await exported("ann-admin", files)).map(({ file }) => file?.path);
    expect(all).toContain(".env");
    expect(all.includes("a.txt")).toBe(files === "workspace");
  }
});

interface TransferLine {
  file?: { path: string };
}

it("lets rules of a settings file that a caller wrote wait for trust", async () => {
  const { call, send, id } = await fixture();
  const body = JSON.stringify({ permissions: { allow: ["Write"] } });
  const put = await send("PUT", "/.robota/settings.json", { token: "ann-admin", body });
  expect(put.status).toBe(201);
  const headers = { accept: "text/event-stream" };
  const init = { token: "ann-prompt", body: { text: "hi" }, headers };
  const events = await eventsUntil(
    await call(`/v1/sessions/${id}/messages`, init),
    "permission_request",
  );
  expect(events.at(-1)).toMatchObject({ type: "permission_request", request: { tool: "Write" } });
});
