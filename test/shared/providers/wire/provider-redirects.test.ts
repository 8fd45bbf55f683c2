import { type Provider, SimpleRemoteExecutor } from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { describe, expect, it } from "vitest";
import { wires } from "../../../support/wire/wire-events.ts";
import {
  hello,
  KEY,
  providers,
  type ProviderSettings,
  user,
  wirePaths,
} from "../../../support/wire/wire-providers.ts";

const BASE = "http://127.0.0.1:9";

/** Does with redirects as the fetch of Node and workers does, and notes where requests with a body arrive. */
function service(answer: (url: URL) => Response): { fetch: typeof fetch; urls: string[] } {
  const urls: string[] = [];
  return {
    urls,
    async fetch(input, init) {
      let request = new Request(input, init);
      for (;;) {
        urls.push(request.url);
        const response = answer(new URL(request.url));
        const location = response.headers.get("location");
        if (location === null || init?.redirect === "manual") return response;
        request = new Request(new URL(location, request.url), { method: request.method });
      }
    },
  };
}

function redirect(status: number, location: string): Response {
  return new Response(null, { status, headers: { location } });
}

const all: Record<string, (address: string, settings: ProviderSettings) => Provider> = {
  ...providers,
  "remote executor": (url, { fetch }) =>
    new SimpleRemoteExecutor({
      url,
      model: "m",
      token: KEY,
      maxRetries: 3,
      fetch,
    }),
};

describe.each(Object.entries(all))("%s", (_, make) => {
  it.each([301, 302, 303, 307, 308])(
    "sends no conversation along with a %i to another origin",
    async (status) => {
      const { fetch, urls } = service(() =>
        redirect(status, `https://elsewhere.example/x?k=${KEY}`),
      );
      const failed: unknown = await make(BASE, { fetch })
        .chat([user("A secret")])
        .catch((error: unknown) => error);
      expect(failed).toMatchObject({
        name: "ProviderError",
        code: "REDIRECTED",
        status,
        recoverable: false,
        hint: expect.stringContaining("https://elsewhere.example "),
      });
      expect(JSON.stringify(failed)).not.toContain(KEY);
      expect(urls).toHaveLength(1);
    },
  );

  it("limits redirects within an origin", async () => {
    const { fetch, urls } = service(({ href }) => redirect(307, href));
    await expect(make(BASE, { fetch }).chat([user("Hi")])).rejects.toMatchObject({
      code: "REDIRECTED",
    });
    expect(urls).toHaveLength(6);
  });

  it("reports a redirect whose target a browser hides", async () => {
    const opaque = Object.defineProperties(new Response(null), {
      type: { value: "opaqueredirect" },
      status: { value: 0 },
    });
    await expect(
      make(BASE, { fetch: async () => opaque }).chat([user("Hi")]),
    ).rejects.toMatchObject({ code: "REDIRECTED", hint: expect.stringContaining("base URL") });
  });
});

it.each(Object.keys(providers))(
  "%s follows a redirect within its origin, with the body",
  async (wire) => {
    const events = wires[wirePaths[wire] ?? ""]?.events(hello) ?? [];
    const { fetch, urls } = service(({ pathname }) =>
      pathname.startsWith("/moved")
        ? new Response(events.map(({ text }) => text).join(""), {
            headers: { "content-type": "text/event-stream" },
          })
        : redirect(308, `/moved${pathname}`),
    );
    const answer = await providers[wire]?.(BASE, { fetch }).chat([user("Hi")]);
    expect(JSON.stringify(answer)).toContain("wörld");
    expect(urls).toHaveLength(2);
  },
);

it("a key check follows no redirect to another origin either", async () => {
  const { fetch, urls } = service(() => redirect(302, "https://elsewhere.example/"));
  const provider = new AnthropicProvider({
    apiKey: KEY,
    model: "m",
    baseURL: BASE,
    fetch,
    dangerouslyAllowBrowser: true,
  });
  await expect(provider.checkKey()).rejects.toMatchObject({ code: "REDIRECTED" });
  expect(urls).toHaveLength(1);
});
