import { describe, expect, it } from "vitest";
import { guardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";
import { from, page } from "../../../../test/support/network/web-pages.ts";

describe("the body of a response", () => {
  const answerOf = (
    response: () => Response,
    options: Omit<GuardedFetchOptions, "fetch"> = {},
  ): ReturnType<typeof guardedFetch> =>
    guardedFetch(
      "https://a.example/",
      {},
      from({ "https://a.example/": response }, options).options,
    );
  const latin1 = Uint8Array.of(0x6a, 0xe0, 0x20, 0x6f, 0xfc);

  it.each([
    ["text/plain; charset=iso-8859-1", "jà oü"],
    ["text/plain;charset=ISO-8859-1", "jà oü"],
    ['text/plain;  CHARSET="windows-1252"; format=flowed', "jà oü"],
    ["text/plain; charset=koi8-r", "jЮ oЭ"],
    ["text/plain; charset=of-nobody", "j\u{fffd} o\u{fffd}"],
    ["text/plain", "j\u{fffd} o\u{fffd}"],
  ])("is decoded as its header says: %s", async (type, text) => {
    const answer = await answerOf(
      () => new Response(latin1, { headers: { "content-type": type } }),
    );
    expect(await answer.text()).toBe(text);
  });

  it("may be absent, come in pieces, and be exactly at the limit", async () => {
    const none = await answerOf(() => new Response(null, { status: 204 }));
    expect(await none.text()).toBe("");
    const pieces = (): Response =>
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (const piece of ["ab", "cd", "e"])
              controller.enqueue(new TextEncoder().encode(piece));
            controller.close();
          },
        }),
      );
    expect(await (await answerOf(pieces, { maxBytes: 5 })).text()).toBe("abcde");
    await expect((await answerOf(pieces, { maxBytes: 4 })).text()).rejects.toMatchObject({
      code: "EGRESS_TOO_LARGE",
    });
    const announced = (body: string | null) => (): Response =>
      new Response(body, { headers: { "content-length": "5" } });
    expect(await (await answerOf(announced("abcde"), { maxBytes: 5 })).text()).toBe("abcde");
    // A HEAD answer announces the length of a body that does not follow.
    expect((await answerOf(announced(null), { maxBytes: 4 })).status).toBe(200);
  });

  it("is cancelled when nobody reads it: on abort, at a redirect and at a limit", async () => {
    const held = (init: ResponseInit): { response: () => Response; isFree: () => boolean } => {
      let isFree = false;
      const stream = (): ReadableStream<Uint8Array> =>
        new ReadableStream<Uint8Array>({
          pull: (controller) => controller.enqueue(new Uint8Array(100)),
          cancel: () => void (isFree = true),
        });
      return { response: () => new Response(stream(), init), isFree: () => isFree };
    };
    const cancelled = held({});
    (await answerOf(cancelled.response)).cancel();
    expect(cancelled.isFree()).toBe(true);

    const redirected = held({ status: 302, headers: { location: "https://a.example/next" } });
    await answerOf(redirected.response).then((answer) => answer.cancel());
    expect(redirected.isFree()).toBe(true);

    const refused = held({ status: 302, headers: { location: "https://10.0.0.1/" } });
    await expect(answerOf(refused.response)).rejects.toMatchObject({ code: "EGRESS_REFUSED" });
    expect(refused.isFree()).toBe(true);

    const wrong = held({ headers: { "content-type": "image/png" } });
    await expect(answerOf(wrong.response, { accepts: ["text/*"] })).rejects.toMatchObject({
      code: "EGRESS_TYPE",
    });
    expect(wrong.isFree()).toBe(true);

    const large = held({});
    const reading = await answerOf(large.response, { maxBytes: 250 });
    await expect(reading.bytes()).rejects.toMatchObject({ code: "EGRESS_TOO_LARGE" });
    expect(large.isFree()).toBe(true);
    reading.cancel();
  });

  it.each([
    ["application/json", "application/json", true],
    ["Application/JSON ; charset=utf-8", "application/json", true],
    ["application/json-seq", "application/json", false],
    ["text/html", "text/*", true],
    ["textual/html", "text/*", false],
    ["image/text/*", "text/*", false],
    ["", "text/*", false],
  ])("of the type %j is accepted where %j is: %j", async (type, pattern, isTaken) => {
    const typed = (status: number) => (): Response =>
      new Response(new Uint8Array(1), { status, headers: { "content-type": type } });
    const taking = answerOf(typed(200), { accepts: ["font/woff", pattern] });
    if (isTaken) expect((await taking).ok).toBe(true);
    else await expect(taking).rejects.toThrow(`answered with ${type || "no type of content"}`);
    // The text of an error is worth reading in any form.
    expect((await answerOf(typed(404), { accepts: [pattern] })).status).toBe(404);
  });
});

describe("on a host that resolves names itself", () => {
  /** A machine on which the name has this address. */
  const resolving =
    (address: string, failure?: Error): NonNullable<GuardedFetchOptions["pinnedFetch"]> =>
    (_, __, accepts) => {
      if (!accepts(address)) return Promise.reject(new TypeError("not connected"));
      return failure ? Promise.reject(failure) : Promise.resolve(new Response("pinned"));
    };
  const { options } = from({ "https://a.example/": page("by name") });

  it("connects to a public address through the pinned fetch only", async () => {
    const pinnedFetch = resolving("93.184.215.14");
    const found = await guardedFetch("https://a.example/", {}, { ...options, pinnedFetch });
    expect(await found.text()).toBe("pinned");
  });

  it("refuses a private address, as distinct from a failed connection", async () => {
    const inside = guardedFetch(
      "https://a.example/",
      {},
      { ...options, pinnedFetch: resolving("192.168.1.1") },
    );
    await expect(inside).rejects.toMatchObject({ code: "EGRESS_REFUSED" });
    const pinnedFetch = resolving("93.184.215.14", new TypeError("broken"));
    const broken = guardedFetch("https://a.example/", {}, { ...options, pinnedFetch });
    await expect(broken).rejects.toMatchObject({ code: "EGRESS_FAILED" });
  });

  it("connects to a configured origin at any address", async () => {
    const policy = { allowPrivateOrigins: ["https://a.example"] };
    const pinnedFetch = resolving("127.0.0.1");
    const found = await guardedFetch("https://a.example/", {}, { ...options, pinnedFetch, policy });
    expect(await found.text()).toBe("pinned");
  });
});

describe("in a page, which hides redirect targets", () => {
  /** A browser's answers: a hidden redirect, and then the response that it followed to by itself. */
  const browser = (end: string): { fetch: typeof globalThis.fetch; modes: unknown[] } => {
    const modes: unknown[] = [];
    const fetch: typeof globalThis.fetch = (_, init) => {
      modes.push(init?.redirect);
      const facts =
        init?.redirect === "manual"
          ? { type: { value: "opaqueredirect" } }
          : { url: { value: end }, redirected: { value: true } };
      return Promise.resolve(Object.defineProperties(new Response("end"), facts));
    };
    return { fetch, modes };
  };

  it("a request without a credential is sent on, and its final address is checked and reported", async () => {
    const { fetch, modes } = browser("https://b.example/end");
    const request = { headers: { accept: "text/*", "User-Agent": "x" } };
    const found = await guardedFetch("https://a.example/", request, { fetch });
    expect(found).toMatchObject({
      url: "https://b.example/end",
      redirects: ["https://a.example/"],
    });
    expect(modes).toEqual(["manual", "follow"]);
    await guardedFetch("https://a.example/", { method: "head" }, { fetch });
    expect(modes).toHaveLength(4);
    for (const end of ["https://10.0.0.1/", "http://b.example/", "https://c.example/"]) {
      const policy = { denyHosts: ["c.example"] };
      await expect(
        guardedFetch("https://a.example/", {}, { fetch: browser(end).fetch, policy }),
      ).rejects.toMatchObject({ code: "EGRESS_REFUSED" });
    }
  });

  it.each([
    ["with a credential", { headers: { accept: "text/*", "x-api-key": "s" } }, {}],
    ["with a body", { method: "POST", body: "secret" }, {}],
    ["where none is followed", {}, { maxRedirects: 0 }],
  ])("a request %s is not sent", async (_, request, limits) => {
    const { fetch, modes } = browser("https://b.example/");
    await expect(
      guardedFetch("https://a.example/", request, { fetch, ...limits }),
    ).rejects.toMatchObject({ code: "EGRESS_REDIRECTS" });
    expect(modes).toEqual(["manual"]);
  });
});
