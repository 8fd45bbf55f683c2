import { createServer, type RequestListener, type Server } from "node:http";
import { gzipSync } from "node:zlib";
import { nodePlatform, type ResolveHost } from "@robota/adapters-node";
import {
  EgressError,
  guardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
} from "@robota/runtime/network";
import { type PinnedFetch } from "@robota/runtime/ports";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LOOPBACK_FORMS, OTHER_FORMS } from "../../support/network/address-forms.ts";

/** The machine as a private address, which nothing may connect to, and as one that stands for the public internet. */
const PRIVATE = "127.0.0.1";
const PUBLIC = "127.0.0.2";

let port = 0;
let connects: Record<string, number> = {};
let answer: RequestListener = (_, response) => response.end("hello");
const servers: Server[] = [];

async function listen(host: string, at: number): Promise<number> {
  const server = createServer((request, response) => answer(request, response));
  server.on("connection", () => (connects[host] = (connects[host] ?? 0) + 1));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at, host, resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no address");
  return address.port;
}

beforeAll(async () => {
  port = await listen(PRIVATE, 0);
  await listen(PUBLIC, port);
});

afterEach(() => {
  connects = {};
  answer = (_, response) => response.end("hello");
});

afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** A resolver that gives these addresses in turn, then the last one for ever. */
function resolver(...turns: string[][]): ResolveHost & { asked: string[] } {
  const asked: string[] = [];
  const resolve: ResolveHost = async (host) => {
    const addresses = turns[Math.min(asked.length, turns.length - 1)] ?? [];
    asked.push(host);
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  return Object.assign(resolve, { asked });
}

function pinned(resolveHost: ResolveHost): PinnedFetch {
  const { pinnedFetch } = nodePlatform({ resolveHost });
  if (!pinnedFetch) throw new Error("this platform pins");
  return pinnedFetch;
}

/** A guarded request on a machine whose second loopback address counts as public. */
function request(
  url: string,
  resolveHost: ResolveHost,
  { init = {}, ...options }: Partial<GuardedFetchOptions> & { init?: GuardedRequest } = {},
): ReturnType<typeof guardedFetch> {
  const pinnedFetch = pinned(resolveHost);
  return guardedFetch(url, init, {
    fetch: () => Promise.reject(new Error("not pinned")),
    pinnedFetch: (to, sent, accepts) =>
      pinnedFetch(to, sent, (address) => address === PUBLIC || accepts(address)),
    policy: { allowPorts: [port] },
    ...options,
  });
}

describe("a guarded request on this machine", () => {
  it("connects to the address that was checked for its name", async () => {
    const resolve = resolver([PUBLIC]);
    const found = await request(`http://site.example:${port}/x?y`, resolve);
    expect(await found.text()).toBe("hello");
    expect(resolve.asked).toEqual(["site.example"]);
    expect(connects).toEqual({ [PUBLIC]: 1 });
  });

  it("is not rebound between check and connection, nor by the next request", async () => {
    const resolve = resolver([PUBLIC], [PRIVATE]);
    const url = `http://rebind.example:${port}/`;
    expect(await (await request(url, resolve)).text()).toBe("hello");
    await expect(request(url, resolve)).rejects.toMatchObject({ code: "EGRESS_REFUSED" });
    expect(resolve.asked).toHaveLength(2);
    expect(connects).toEqual({ [PUBLIC]: 1 });
  });

  it("is not rebound by a redirect to the same name", async () => {
    answer = (_, response) => response.writeHead(302, { location: "/again" }).end();
    const resolve = resolver([PUBLIC], [PRIVATE]);
    await expect(request(`http://rebind.example:${port}/`, resolve)).rejects.toMatchObject({
      code: "EGRESS_REFUSED",
    });
    expect(connects).toEqual({ [PUBLIC]: 1 });
  });

  it.each([
    ["private only", [PRIVATE]],
    ["private among others", [PUBLIC, PRIVATE]],
    ["private in the other family", [PUBLIC, "::1"]],
    ["an IPv4 address within IPv6", ["::ffff:127.0.0.1"]],
    ["a cloud's metadata service", ["169.254.169.254"]],
    ["no address at all", ["localhost"]],
  ])("does not connect to a name whose addresses are %s", async (_, addresses) => {
    await expect(
      request(`http://site.example:${port}/`, resolver(addresses)),
    ).rejects.toMatchObject({ code: "EGRESS_REFUSED" });
    expect(connects).toEqual({});
  });

  it("reports a name without an address", async () => {
    const gone: ResolveHost = () =>
      Promise.reject(Object.assign(new Error("gone"), { code: "ENOTFOUND" }));
    for (const resolve of [gone, resolver([])]) {
      await expect(request(`http://site.example:${port}/`, resolve)).rejects.toMatchObject({
        code: "EGRESS_FAILED",
        message: expect.stringContaining("ENOTFOUND"),
      });
    }
  });

  it("does not reuse a connection for a request with stricter rules", async () => {
    const resolve = resolver([PRIVATE]);
    const url = `http://configured.example:${port}/`;
    const policy = { allowPrivateOrigins: [url], allowPorts: [port] };
    expect(await (await request(url, resolve, { policy })).text()).toBe("hello");
    await expect(request(url, resolve)).rejects.toMatchObject({ code: "EGRESS_REFUSED" });
    expect(connects).toEqual({ [PRIVATE]: 1 });
  });

  it("checks a literal address", async () => {
    const never = (): boolean => false;
    await expect(
      pinned(resolver([PUBLIC]))(new URL(`http://${PRIVATE}:${port}/`), {}, never),
    ).rejects.toThrow();
    expect(connects).toEqual({});
  });

  it(`connects to nothing private in ${LOOPBACK_FORMS.length + OTHER_FORMS.length} forms of addresses`, async () => {
    const platform = nodePlatform({ resolveHost: resolver([PRIVATE]) });
    const forms = [
      ...LOOPBACK_FORMS,
      ...OTHER_FORMS,
      // With the port of the very server that listens there.
      ...LOOPBACK_FORMS.filter((form) => /^\w+:\/\/[^/]+\/$/.test(form)).map(
        (form) => `${form.slice(0, -1)}:${port}/`,
      ),
      "http://evil.example/",
      `http://evil.example:${port}/`,
    ];
    let refused = 0;
    for (const form of forms) {
      const { fetch, pinnedFetch } = platform;
      const policy = { allowPorts: [80, 443, port] };
      const outcome = guardedFetch(form, {}, { fetch, pinnedFetch, policy });
      await expect(outcome, form).rejects.toBeInstanceOf(EgressError);
      refused += 1;
    }
    await platform.dispose();
    const tried = { forms: forms.length, refused, privateConnects: connects[PRIVATE] ?? 0 };
    expect(tried).toEqual({ forms: forms.length, refused: forms.length, privateConnects: 0 });
  });
});

describe("a response over a real connection", () => {
  it("is limited after decompression", async () => {
    const small = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(small);
    const bomb = await request(`http://site.example:${port}/`, resolver([PUBLIC]), {
      maxBytes: 1024 * 1024,
    });
    expect(small.length).toBeLessThan(1024 * 1024);
    await expect(bomb.bytes()).rejects.toMatchObject({ code: "EGRESS_TOO_LARGE" });
  });

  it("that trickles is cut off by the time limit", async () => {
    answer = (_, response) => {
      const timer = setInterval(() => response.write("."), 20);
      response.on("close", () => clearInterval(timer));
    };
    const slow = await request(`http://site.example:${port}/`, resolver([PUBLIC]), {
      timeoutMs: 150,
    });
    await expect(slow.text()).rejects.toMatchObject({ code: "EGRESS_TIMEOUT" });
  });

  it("gets the given body and headers", async () => {
    answer = (incoming, response) => {
      incoming.setEncoding("utf8");
      let body = "";
      incoming.on("data", (piece: string) => (body += piece));
      incoming.on("end", () => {
        const { method, headers } = incoming;
        response.end(JSON.stringify([method, headers["content-type"], headers["x-a"], body]));
      });
    };
    const post = async (body: BodyInit): Promise<unknown> => {
      const init = { method: "post", headers: { "x-a": "b" }, body };
      const found = await request(`http://site.example:${port}/`, resolver([PUBLIC]), { init });
      return JSON.parse(await found.text());
    };
    expect(await post("text")).toEqual(["POST", "text/plain;charset=UTF-8", "b", "text"]);
    const form = new FormData();
    form.set("name", "value");
    expect(await post(form)).toEqual([
      "POST",
      expect.stringMatching(/^multipart\/form-data; boundary=/),
      "b",
      expect.stringContaining('name="name"'),
    ]);
  });
});

it("goes through a custom fetch, which then decides on connections", () => {
  expect(nodePlatform({ fetch: globalThis.fetch }).pinnedFetch).toBeUndefined();
  expect(nodePlatform().pinnedFetch).toBeTypeOf("function");
});
