import type { KeyCheck } from "@robota/runtime/providers";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { compatibleProvider, OpenAIProvider } from "@robota/runtime/providers/openai";
import { describe, expect, it } from "vitest";
import { type WireFetch, wireFetch } from "../../support/wire/wire-fetch.ts";
import { KEY } from "../../support/wire/wire-providers.ts";

interface Checks {
  checkKey(options?: { signal?: AbortSignal }): Promise<KeyCheck>;
}

const base = "http://127.0.0.1:9";
const common = { apiKey: KEY, model: "m", dangerouslyAllowBrowser: true };
const checkers: Record<string, (service: Pick<WireFetch, "fetch">) => Checks> = {
  anthropic: ({ fetch }) => new AnthropicProvider({ ...common, baseURL: base, fetch }),
  openai: ({ fetch }) => new OpenAIProvider({ ...common, baseURL: `${base}/v1`, fetch }),
  gemini: ({ fetch }) =>
    compatibleProvider("gemini", { ...common, baseURL: `${base}/v1beta/openai`, fetch }),
};

describe.each(Object.entries(checkers))("a check of a key for %s", (_, make) => {
  it("requests the list of models, once and with nothing else", async () => {
    const data = [{ id: "model-a" }, { id: "model-b" }, { name: "without an id" }];
    const service = wireFetch(() => Response.json({ data }));
    expect(await make(service).checkKey()).toEqual({ models: ["model-a", "model-b"] });
    expect(service.urls).toHaveLength(1);
    expect(service.urls[0]).toMatch(/\/models(\?limit=1000)?$/);
    expect(service.bodies).toEqual([{}]);
  });

  it.each([
    [401, { error: { message: `no such key ${KEY}` } }, "AUTHENTICATION_ERROR"],
    [403, { error: { message: "not allowed" } }, "AUTHENTICATION_ERROR"],
    [404, { error: { message: "no such page" } }, "NOT_FOUND"],
    [429, { error: { message: "slow down" } }, "RATE_LIMIT_ERROR"],
    [503, { error: { message: "busy" } }, "OVERLOADED"],
  ])("explains status %i at once, without the key", async (status, body, code) => {
    const service = wireFetch(() => Response.json(body, { status }));
    const checked = make(service).checkKey();
    await expect(checked).rejects.toMatchObject({ code });
    const error: unknown = await checked.catch((reason: unknown) => reason);
    expect(JSON.stringify(error)).not.toContain(KEY);
    expect(service.urls).toHaveLength(1);
  });

  it("distinguishes a web page from a list", async () => {
    const page = "<!doctype html><title>Sign in</title>";
    const service = wireFetch(
      () => new Response(page, { headers: { "content-type": "text/html" } }),
    );
    await expect(make(service).checkKey()).rejects.toMatchObject({ code: "INVALID_RESPONSE" });
  });

  it("stops on abort", async () => {
    const abort = new AbortController();
    const never: typeof globalThis.fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
      });
    setTimeout(() => abort.abort(), 20);
    const checked = make({ fetch: never }).checkKey({ signal: abort.signal });
    await expect(checked).rejects.toMatchObject({ name: "AbortError" });
  });
});

it("refuses a malformed key before the request", async () => {
  const service = wireFetch(() => Response.json({ data: [] }));
  for (const apiKey of ["", "sk-…"]) {
    const provider = new AnthropicProvider({ ...common, apiKey, fetch: service.fetch });
    await expect(provider.checkKey()).rejects.toMatchObject({ code: "AUTHENTICATION_ERROR" });
  }
  expect(service.urls).toEqual([]);
});
