import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { httpTransport, inProcessSessions } from "@robota/runtime/transports";
import { expect, it } from "vitest";

// In Node, where a test may set the headers that browsers set themselves.
const platform = memoryPlatform();
const provider = new ScriptedProvider([]);
const sessions = inProcessSessions({
  storage: platform.storage,
  open: (session) => new InteractiveSession({ platform, provider, ...session }),
});
const transport = httpTransport({
  tokens: { ann: "ann-secret" },
  allowedOrigins: ["https://app.example"],
  allowedHosts: ["localhost:8787"],
  sessions,
});

function request(
  headers: Record<string, string>,
  method = "GET",
  host = "localhost:8787",
): Promise<Response> {
  const url = `http://${host}/v1/sessions`;
  const authorization = "Bearer ann-secret";
  return Promise.resolve(
    transport.fetch(new Request(url, { method, headers: { authorization, ...headers } })),
  );
}

it("answers pages of an allowed origin, with CORS headers without a wildcard", async () => {
  const response = await request({ origin: "https://app.example" });
  expect(response.status).toBe(200);
  expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  expect(response.headers.get("vary")).toContain("Origin");
});

it("answers preflights with the headers that an allowed origin may send", async () => {
  const response = await request(
    {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,x-other",
    },
    "OPTIONS",
  );
  expect(response.status).toBe(204);
  const allowed = response.headers.get("access-control-allow-headers") ?? "";
  expect(allowed).toContain("Authorization");
  expect(allowed).not.toContain("x-other");
});

it("refuses pages of other origins, even with a token and without a preflight", async () => {
  for (const origin of [
    "https://evil.example",
    "null",
    "https://app.example.evil",
    "http://app.example",
  ]) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const response = await request({ origin }, method);
      expect(response.status).toBe(403);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  }
});

it("answers its own pages and programs, which send no origin", async () => {
  expect((await request({ origin: "http://localhost:8787" })).status).toBe(200);
  expect((await request({})).status).toBe(200);
});

it("refuses other host names, which could be rebound to it", async () => {
  const response = await request({}, "GET", "rebound.example:8787");
  expect(response.status).toBe(421);
  expect(await response.json()).toMatchObject({ code: "HOST_NOT_ALLOWED" });
  const itsOwn = { origin: "http://rebound.example:8787" };
  expect((await request(itsOwn, "GET", "rebound.example:8787")).status).toBe(421);
});

it("answers for a host without a port on every port, and refuses a name with only the same prefix", async () => {
  const local = httpTransport({ anonymousOwner: "all", allowedHosts: ["localhost", "[::1]"] });
  const statusOf = async (host: string): Promise<number> =>
    (await local.request(`http://${host}/healthz`)).status;
  for (const host of ["localhost", "localhost:8787", "LOCALHOST:1", "[::1]:8787"])
    expect([host, await statusOf(host)]).toEqual([host, 200]);
  for (const host of [
    "localhost.evil.example",
    "evil.localhost:8787",
    "127.0.0.1",
    "rebound.example",
  ])
    expect([host, await statusOf(host)]).toEqual([host, 421]);
});

// `no-cors` requests and forms, which browsers send without a preflight.
it.each(["text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded"])(
  "refuses what another page posts as %s, also where nobody needs a token",
  async (type) => {
    const local = httpTransport({ anonymousOwner: "all", allowedHosts: ["localhost"], sessions });
    const post = async (url: string, origin: string, body: string): Promise<number> => {
      const headers = { origin, "content-type": type };
      const answer = await local.fetch(new Request(url, { method: "POST", headers, body }));
      return answer.status;
    };
    const before = await platform.storage.keys("");
    const [rebound, evil] = ["http://rebound.example", "https://evil.example"];
    const messages = "/v1/sessions/a/messages";
    expect(await post("http://localhost/v1/sessions", evil, "{}")).toBe(403);
    expect(await post("http://localhost/v1/sessions", "null", "{}")).toBe(403);
    expect(await post(`${rebound}/v1/sessions`, rebound, "{}")).toBe(421);
    expect(await post(`http://localhost${messages}`, evil, '{"text":"x"}')).toBe(403);
    expect(await post(`${rebound}${messages}`, rebound, '{"text":"x"}')).toBe(421);
    // Its own page needs the token of a session that exists.
    expect(await post(`http://localhost${messages}`, "http://localhost", '{"text":"x"}')).toBe(401);
    expect(await platform.storage.keys("")).toEqual(before);
    expect(provider.requests).toEqual([]);
  },
);
