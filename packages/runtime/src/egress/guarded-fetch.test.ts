import { describe, expect, it } from "vitest";
import { guardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";

interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
}

/** A web of pages by address; what has none answers 404. */
function web(pages: Record<string, () => Response>): {
  fetch: typeof globalThis.fetch;
  sent: Sent[];
} {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { url, method, headers } = request;
      sent.push({ url, method, headers: Object.fromEntries(headers), body: await request.text() });
      init?.signal?.throwIfAborted();
      return pages[url]?.() ?? new Response("none", { status: 404 });
    },
  };
}

const page =
  (text: string, type = "text/html") =>
  (): Response =>
    new Response(text, { headers: { "content-type": type } });
const redirect =
  (location: string, status = 302) =>
  (): Response =>
    new Response(null, { status, headers: { location } });

const from = (
  pages: Record<string, () => Response>,
  options: Omit<GuardedFetchOptions, "fetch"> = {},
): { sent: Sent[]; options: GuardedFetchOptions } => {
  const { fetch, sent } = web(pages);
  return { sent, options: { fetch, ...options } };
};

describe("a guarded request", () => {
  it("gives the answer of a public site, whatever its status", async () => {
    const { options } = from({ "https://a.example/x": page("hello") });
    const found = await guardedFetch("https://a.example./x#part", {}, options);
    expect(found).toMatchObject({
      status: 200,
      ok: true,
      url: "https://a.example/x",
      redirects: [],
    });
    expect(await found.text()).toBe("hello");
    const missing = await guardedFetch("https://a.example/y", {}, options);
    expect(missing).toMatchObject({ status: 404, ok: false });
    missing.cancel();
  });

  it("follows redirects, and tells where it ended", async () => {
    const { options } = from({
      "https://a.example/": redirect("/two", 301),
      "https://a.example/two": redirect("https://b.example/three", 307),
      "https://b.example/three": page("there"),
    });
    const found = await guardedFetch("https://a.example/", {}, options);
    expect(found.url).toBe("https://b.example/three");
    expect(found.redirects).toEqual(["https://a.example/", "https://a.example/two"]);
  });

  it.each([
    ["a private address", "https://10.0.0.1/"],
    ["http again", "http://b.example/"],
    ["a file", "file:///etc/passwd"],
    ["a host that is not allowed", "https://evil-b.example/"],
    ["a denied host", "https://x.denied.b.example/"],
    ["a port of another service", "https://b.example:6379/"],
    ["a user name", "https://me@b.example/"],
  ])("is not led by a redirect to %s", async (_, location) => {
    const { options, sent } = from(
      { "https://a.example/": redirect(location) },
      {
        policy: {
          allowHosts: ["a.example", "b.example", "*.b.example"],
          denyHosts: ["*.denied.b.example"],
        },
      },
    );
    await expect(guardedFetch("https://a.example/", {}, options)).rejects.toMatchObject({
      code: "EGRESS_REFUSED",
    });
    expect(sent).toHaveLength(1);
  });

  it("follows five redirects and no more, or as many as told", async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`https://a.example/${at}`, redirect(`/${at + 1}`)]),
    );
    const { options, sent } = from(pages);
    const code = "EGRESS_REDIRECTS";
    await expect(guardedFetch("https://a.example/0", {}, options)).rejects.toMatchObject({ code });
    expect(sent).toHaveLength(6);
    await expect(
      guardedFetch("https://a.example/0", {}, { ...options, maxRedirects: 0 }),
    ).rejects.toMatchObject({ code });
    expect(sent).toHaveLength(7);
  });

  it("keeps credentials and bodies at their origin", async () => {
    const { options, sent } = from({
      "https://a.example/": redirect("/in"),
      "https://a.example/in": redirect("https://b.example/"),
      "https://b.example/": page("x"),
    });
    const headers = { authorization: "Bearer s", "x-api-key": "s", cookie: "s", accept: "text/*" };
    await guardedFetch("https://a.example/", { headers }, options);
    expect(sent[1]?.headers).toMatchObject({ authorization: "Bearer s", "x-api-key": "s" });
    expect(sent[2]?.headers).toEqual({ accept: "text/*" });

    const body = "secret";
    const stays = from({
      "https://a.example/": redirect("/in", 307),
      "https://a.example/in": redirect("https://b.example/", 308),
    });
    await expect(
      guardedFetch("https://a.example/", { method: "post", body }, stays.options),
    ).rejects.toMatchObject({ code: "EGRESS_REDIRECTS" });
    expect(stays.sent.map(({ method, body: text }) => [method, text])).toEqual([
      ["POST", body],
      ["POST", body],
    ]);
  });

  it("turns a redirected POST into a GET without its body", async () => {
    const { options, sent } = from({
      "https://a.example/": redirect("https://b.example/", 303),
      "https://b.example/": page("x"),
    });
    await guardedFetch("https://a.example/", { method: "POST", body: "secret" }, options);
    expect(sent[1]).toMatchObject({ method: "GET", body: "" });
    expect(sent[1]?.headers).not.toHaveProperty("content-type");
  });

  it("reads no more of a body than its limit, announced or not", async () => {
    const endless = (): Response => {
      const stream = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(1000)),
      });
      return new Response(stream);
    };
    const announced = (): Response => new Response("x", { headers: { "content-length": "5000" } });
    const { options } = from({
      "https://a.example/": endless,
      "https://a.example/announced": announced,
    });
    const limited = { ...options, maxBytes: 4000 };
    const answer = await guardedFetch("https://a.example/", {}, limited);
    const code = "EGRESS_TOO_LARGE";
    await expect(answer.bytes()).rejects.toMatchObject({ code });
    await expect(guardedFetch("https://a.example/announced", {}, limited)).rejects.toMatchObject({
      code,
    });
  });

  it("takes only the types of content that are asked for", async () => {
    const { options } = from({
      "https://a.example/": page("{}", "Application/JSON; charset=utf-8"),
      "https://a.example/image": page("", "image/png"),
    });
    const accepts = ["application/json", "text/*"];
    const found = await guardedFetch("https://a.example/", {}, { ...options, accepts });
    expect(await found.text()).toBe("{}");
    await expect(
      guardedFetch("https://a.example/image", {}, { ...options, accepts }),
    ).rejects.toMatchObject({ code: "EGRESS_TYPE" });
  });

  it("stops a body that comes too slowly, and when it is told to stop", async () => {
    const silent = (): Response => new Response(new ReadableStream());
    // A real platform breaks the body when the signal aborts.
    const fetch: typeof globalThis.fetch = async (_, init) => {
      const stream = new ReadableStream({
        start: (controller) =>
          init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason)),
      });
      return silent().ok ? new Response(stream) : silent();
    };
    const slow = await guardedFetch("https://a.example/", {}, { fetch, timeoutMs: 20 });
    await expect(slow.bytes()).rejects.toMatchObject({ code: "EGRESS_TIMEOUT" });

    const stop = new AbortController();
    const stopped = await guardedFetch("https://a.example/", {}, { fetch, signal: stop.signal });
    queueMicrotask(() => stop.abort());
    await expect(stopped.bytes()).rejects.toMatchObject({ name: "AbortError" });
    await expect(
      guardedFetch("https://a.example/", {}, { fetch, signal: stop.signal }),
    ).rejects.toMatchObject({ name: "AbortError" });
  });

  it("says nothing of an address but its host in an error", async () => {
    const fetch: typeof globalThis.fetch = (input) =>
      Promise.reject(new TypeError(`failed: ${new Request(input).url}`));
    const failures = await Promise.all(
      [
        "https://a.example/p4th?key=s3cret",
        "https://u:s3cret@a.example/",
        "https://10.0.0.1/p4th?s3cret",
      ].map((url) =>
        guardedFetch(url, {}, { fetch }).then(
          () => "answered",
          (error: unknown) => JSON.stringify(error),
        ),
      ),
    );
    expect(failures.join()).toContain("a.example");
    expect(failures.join()).not.toMatch(/s3cret|p4th/);
  });
});

describe("a policy", () => {
  const reach = async (url: string, policy: GuardedFetchOptions["policy"]): Promise<string> => {
    const { options, sent } = from({}, policy ? { policy } : {});
    try {
      (await guardedFetch(url, {}, options)).cancel();
      return "asked";
    } catch (error) {
      expect(sent).toEqual([]);
      return (error as { code: string }).code;
    }
  };

  it.each([
    ["an empty list allows nothing", [], "https://a.example/", "EGRESS_REFUSED"],
    ["a name is exact", ["a.example"], "https://a.example/", "asked"],
    ["a name has other forms", ["Ä.example."], "https://ä.EXAMPLE./", "asked"],
    ["a name is not its end", ["a.example"], "https://evila.example/", "EGRESS_REFUSED"],
    ["a name is not its start", ["a.example"], "https://a.example.evil.example/", "EGRESS_REFUSED"],
    ["a name is not what is under it", ["a.example"], "https://b.a.example/", "EGRESS_REFUSED"],
    ["a star is what is under it", ["*.a.example"], "https://c.b.a.example/", "asked"],
    ["a star is not the name", ["*.a.example"], "https://a.example/", "EGRESS_REFUSED"],
    ["a star is not its end", ["*.a.example"], "https://evila.example/", "EGRESS_REFUSED"],
    ["nothing private is allowed", ["127.0.0.1"], "https://127.0.0.1/", "EGRESS_REFUSED"],
  ])("in which %s", async (_, allowHosts, url, outcome) => {
    expect(await reach(url, { allowHosts })).toBe(outcome);
  });

  it("denies before it allows", async () => {
    const policy = { allowHosts: ["a.example"], denyHosts: ["A.example."] };
    expect(await reach("https://a.example/", policy)).toBe("EGRESS_REFUSED");
    const denied = { denyHosts: ["localhost"], allowPrivateOrigins: ["http://localhost:9"] };
    expect(await reach("http://localhost:9/", denied)).toBe("EGRESS_REFUSED");
  });

  it("that holds no host is a mistake to tell", async () => {
    for (const host of ["https://a.example", "a.example:80", "*", "a.*.example", ""]) {
      expect(await reach("https://a.example/", { denyHosts: [host] })).toBe("CONFIGURATION_ERROR");
    }
  });

  it("opens one private origin that a person configured, and not by a redirect", async () => {
    const policy = { allowPrivateOrigins: ["http://127.0.0.1:8888/search"] };
    expect(await reach("http://127.0.0.1:8888/x", policy)).toBe("asked");
    expect(await reach("http://127.0.0.1:8889/x", policy)).toBe("EGRESS_REFUSED");
    const { options, sent } = from(
      { "http://a.example/": redirect("http://127.0.0.1:8888/x") },
      { policy },
    );
    await expect(guardedFetch("http://a.example/", {}, options)).rejects.toMatchObject({
      code: "EGRESS_REFUSED",
    });
    expect(sent).toHaveLength(1);
  });

  it("names the ports", async () => {
    expect(await reach("https://a.example:6379/", {})).toBe("EGRESS_REFUSED");
    expect(await reach("https://a.example:6379/", { allowPorts: [6379] })).toBe("asked");
    expect(await reach("https://a.example/", { allowPorts: [6379] })).toBe("EGRESS_REFUSED");
  });
});
