import { describe, expect, it } from "vitest";
import { guardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";
import { from, page, redirect } from "../../../../test/support/network/web-pages.ts";

describe("a guarded request", () => {
  it("returns a public site's response, with any status", async () => {
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

  it("follows redirects, and reports the final address", async () => {
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
    ["a password", "https://:s3cret@b.example/"],
  ])("follows no redirect to %s", async (_, location) => {
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

  it("follows five redirects by default, or the given number", async () => {
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

  it("sends credentials and bodies only to their origin", async () => {
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

  it("reads a body only up to its limit, announced or not", async () => {
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

  it("accepts only the requested content types", async () => {
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

  it("aborts a body that arrives too slowly, and on abort", async () => {
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

  it("follows redirects with the method and the body that a browser would send", async () => {
    const sentOn = async (method: string, status: number): Promise<unknown> => {
      const { options, sent } = from({
        "https://a.example/": redirect("/in", status),
        "https://a.example/in": page("x"),
      });
      const request =
        method === "POST" || method === "PUT"
          ? { method, body: "text", headers: { "content-type": "text/plain", range: "bytes=0-" } }
          : { method };
      await guardedFetch("https://a.example/", request, options);
      const { method: last, body, headers } = sent[1] ?? {};
      return [last, body, headers?.["content-type"]];
    };
    expect(await sentOn("POST", 301)).toEqual(["GET", "", undefined]);
    expect(await sentOn("POST", 302)).toEqual(["GET", "", undefined]);
    expect(await sentOn("POST", 303)).toEqual(["GET", "", undefined]);
    expect(await sentOn("PUT", 303)).toEqual(["GET", "", undefined]);
    expect(await sentOn("PUT", 302)).toEqual(["PUT", "text", "text/plain"]);
    expect(await sentOn("POST", 307)).toEqual(["POST", "text", "text/plain"]);
    expect(await sentOn("POST", 308)).toEqual(["POST", "text", "text/plain"]);
    expect(await sentOn("HEAD", 303)).toEqual(["HEAD", "", undefined]);
    expect(await sentOn("HEAD", 301)).toEqual(["HEAD", "", undefined]);
  });

  it.each([
    ["nowhere", null],
    ["what is no address", "http://["],
  ])("is not redirected to %s", async (_, location) => {
    const headers: HeadersInit = location === null ? {} : { location };
    const { options } = from({
      "https://a.example/null": page("reached"),
      "https://a.example/": () => new Response(null, { status: 302, headers }),
    });
    const failing = guardedFetch("https://a.example/", {}, options);
    await expect(failing).rejects.toMatchObject({ code: "EGRESS_REDIRECTS" });
    await expect(failing).rejects.toThrow("without an address");
  });

  it("does not send a stream twice", async () => {
    let asked = 0;
    const fetch: typeof globalThis.fetch = () => {
      asked += 1;
      return Promise.resolve(redirect("/in", 307)());
    };
    const request = { method: "POST", body: new ReadableStream() };
    await expect(guardedFetch("https://a.example/", request, { fetch })).rejects.toMatchObject({
      code: "EGRESS_REDIRECTS",
    });
    expect(asked).toBe(1);
  });

  it("carries no cookies and no referrer, where a host has them", async () => {
    const seen: RequestInit[] = [];
    const fetch: typeof globalThis.fetch = (_, init) => {
      seen.push(init ?? {});
      return Promise.resolve(page("x")());
    };
    (await guardedFetch("https://a.example/", {}, { fetch })).cancel();
    const hasIdentity = "credentials" in Request.prototype;
    expect(seen[0]).toMatchObject({
      redirect: "manual",
      ...(hasIdentity && { credentials: "omit", referrerPolicy: "no-referrer" }),
    });
  });

  it("reports the system's error code, and whether a retry makes sense", async () => {
    const failWith = async (error: unknown): Promise<unknown> =>
      guardedFetch("https://a.example/", {}, { fetch: () => Promise.reject(error as Error) }).catch(
        (reason: unknown) => reason,
      );
    const coded = (code: unknown, options?: ErrorOptions): Error =>
      Object.assign(new Error("https://a.example/?s3cret", options), { code });
    const refused = await failWith(new TypeError("x", { cause: coded("ECONNREFUSED") }));
    expect(refused).toMatchObject({
      code: "EGRESS_FAILED",
      message: "a.example gave no answer (ECONNREFUSED).",
      hint: expect.stringContaining("name is right"),
      recoverable: true,
      category: "system",
    });
    const tried = new AggregateError([coded("EHOSTUNREACH"), coded("ECONNREFUSED")]);
    expect(await failWith(new TypeError("x", { cause: tried }))).toMatchObject({
      message: "a.example gave no answer (EHOSTUNREACH).",
    });
    const loop = new Error("x");
    loop.cause = loop;
    for (const untold of [
      loop,
      new TypeError("x"),
      coded("at https://a.example/?s3cret"),
      coded("s3cretAB"),
      coded("ABs3cret"),
      coded(["ABC"]),
      coded(7),
    ])
      expect(await failWith(untold)).toMatchObject({
        message: "a.example gave no answer.",
        hint: expect.stringContaining("CORS"),
      });
  });

  it("is not recoverable when refused, and is after a timeout", async () => {
    const refusal = await guardedFetch("https://10.0.0.1/", {}, from({}).options).catch(
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ recoverable: false, category: "user" });
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
      });
    const late = await guardedFetch("https://a.example/", {}, { fetch, timeoutMs: 20 }).catch(
      (error: unknown) => error,
    );
    expect(late).toMatchObject({
      code: "EGRESS_TIMEOUT",
      message: "a.example took over 0.02 s.",
      recoverable: true,
      category: "system",
    });
  });

  it("names only the host of an address in an error", async () => {
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

  it("denies each of its hosts, as addresses too", async () => {
    const denyHosts = ["a.example", "*.b.example", "[2606:4700:4700::1111]", "1.1.1.1"];
    for (const host of ["a.example", "x.b.example", "[2606:4700:4700:0::1111]", "1.1.257"])
      expect(await reach(`https://${host}/`, { denyHosts })).toBe("EGRESS_REFUSED");
    expect(await reach("https://b.example/", { denyHosts })).toBe("asked");
  });

  it("refuses with its own reason, for the first address and for redirects", async () => {
    const policy = {
      refuses: ({ pathname }: URL) =>
        pathname === "/in" ? "No rule lets this be read." : undefined,
    };
    expect(await reach("https://a.example/in", policy)).toBe("EGRESS_REFUSED");
    expect(await reach("https://a.example/", policy)).toBe("asked");
    const { options, sent } = from({ "https://a.example/": redirect("/in") }, { policy });
    await expect(guardedFetch("https://a.example/", {}, options)).rejects.toMatchObject({
      code: "EGRESS_REFUSED",
      message: "No rule lets this be read.",
    });
    expect(sent).toHaveLength(1);
  });

  it("with an invalid host is an error", async () => {
    for (const host of ["https://a.example", "a.example:80", "*", "a.*.example", ""]) {
      expect(await reach("https://a.example/", { denyHosts: [host] })).toBe("CONFIGURATION_ERROR");
    }
  });

  it("allows one private origin that a person configured, but not through a redirect", async () => {
    const policy = { allowPrivateOrigins: ["localhost", "http://127.0.0.1:8888/search"] };
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

  it("lets a configured origin redirect within itself only", async () => {
    const policy = { allowPrivateOrigins: ["http://127.0.0.1:8888", "http://127.0.0.1:9999"] };
    const { options } = from(
      {
        "http://127.0.0.1:8888/a": redirect("/b"),
        "http://127.0.0.1:8888/b": page("here"),
        "http://127.0.0.1:8888/c": redirect("http://127.0.0.1:9999/"),
      },
      { policy },
    );
    const found = await guardedFetch("http://127.0.0.1:8888/a", {}, options);
    expect(await found.text()).toBe("here");
    await expect(guardedFetch("http://127.0.0.1:8888/c", {}, options)).rejects.toMatchObject({
      code: "EGRESS_REFUSED",
    });
  });

  it("lists the allowed ports", async () => {
    expect(await reach("https://a.example/", { allowPorts: [443] })).toBe("asked");
    expect(await reach("http://a.example/", { allowPorts: [443] })).toBe("EGRESS_REFUSED");
    expect(await reach("http://a.example/", { allowPorts: [80] })).toBe("asked");
    const hintFor = (policy: GuardedFetchOptions["policy"] = {}): Promise<unknown> =>
      guardedFetch("https://a.example:25/", {}, { ...from({}).options, policy }).catch(
        (error: unknown) => error,
      );
    expect(await hintFor()).toMatchObject({ hint: "Allowed are 80, 443, 8080, 8443." });
    expect(await hintFor({ allowPorts: [] })).toMatchObject({ hint: "Allowed are none." });
  });

  it("names the refused port", async () => {
    expect(await reach("https://a.example:6379/", {})).toBe("EGRESS_REFUSED");
    expect(await reach("https://a.example:6379/", { allowPorts: [6379] })).toBe("asked");
    expect(await reach("https://a.example/", { allowPorts: [6379] })).toBe("EGRESS_REFUSED");
  });
});
