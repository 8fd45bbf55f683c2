import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { compatibleProvider, OpenAIProvider } from "@robota/runtime/providers/openai";
import { describe, expect, inject, it, vi } from "vitest";
import { hello, KEY, user } from "../support/wire/wire-providers.ts";
import { requestsOf, scriptAddress, type WireScript } from "../support/wire/wire-script.ts";

const options = { apiKey: KEY, model: "m", maxRetries: 0, dangerouslyAllowBrowser: true };

async function failure(call: Promise<unknown>): Promise<Error & { hint: string; code: string }> {
  return call.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error as Error & { hint: string; code: string },
  );
}

describe("in a page", () => {
  it("distinguishes a server without CORS from a wrong key, with a hint", async () => {
    const script: WireScript = {
      id: crypto.randomUUID(),
      replies: [{ answer: hello }],
      cors: false,
    };
    const baseURL = scriptAddress(inject("wireOrigin"), script);
    const error = await failure(new AnthropicProvider({ ...options, baseURL }).chat([user("Hi")]));
    expect(error).toMatchObject({ name: "NetworkError", code: "NETWORK_ERROR" });
    expect(error.message).not.toMatch(/failed to fetch/i);
    expect(error.message).toMatch(/likely.*does not allow this page/);
    expect(error.hint).toContain(location.origin);
    expect(error.hint).toContain("OLLAMA_ORIGINS");
    // The browser asked for leave, and sent nothing.
    expect(await requestsOf(inject("wireOrigin"), script)).toEqual([]);
    const checked = new OpenAIProvider({ ...options, baseURL: `${baseURL}/v1` }).checkKey();
    expect((await failure(checked)).code).toBe("NETWORK_ERROR");
  });

  it("names an address without a server", async () => {
    const provider = compatibleProvider("ollama", {
      model: "m",
      maxRetries: 0,
      baseURL: "http://127.0.0.1:9/v1",
    });
    const error = await failure(provider.chat([user("Hi")]));
    expect(error.message).toContain("likely nothing runs at 127.0.0.1:9");
  });

  it("distinguishes a blocked local network from a missing server", async () => {
    const query = vi.spyOn(navigator.permissions, "query").mockImplementation(({ name }) => {
      // As a browser does that knows the older name only.
      if (String(name) === "loopback-network") return Promise.reject(new TypeError("unknown name"));
      const status = { name: "", onchange: null, state: "denied" as const };
      return Promise.resolve(Object.assign(new EventTarget(), status));
    });
    const baseURL = "http://127.0.0.1:9/v1";
    const provider = compatibleProvider("ollama", { model: "m", maxRetries: 0, baseURL });
    const error = await failure(provider.chat([user("Hi")]));
    query.mockRestore();
    expect(error.message).toContain("this page may not reach programs on this machine");
    expect(error.hint).toContain("local network access");
  });

  it("sends a key only when pages are explicitly allowed to", async () => {
    const script: WireScript = { id: crypto.randomUUID(), replies: [{ answer: hello }] };
    const baseURL = scriptAddress(inject("wireOrigin"), script);
    const { apiKey, model } = options;
    for (const provider of [
      new AnthropicProvider({ apiKey, model, baseURL }),
      new OpenAIProvider({ apiKey, model, baseURL: `${baseURL}/v1` }),
    ]) {
      const error = await failure(provider.chat([user("Hi")]));
      expect(error.code).toBe("CONFIGURATION_ERROR");
      expect(error.message).toContain("`dangerouslyAllowBrowser: true`");
      expect(error.hint).toContain("may see the key");
    }
    expect(await requestsOf(inject("wireOrigin"), script)).toEqual([]);
    // Without a key there is nothing to allow.
    const keyless = compatibleProvider("ollama", { model, baseURL: `${baseURL}/v1` });
    expect((await keyless.chat([user("Hi")])).content).toBe("Hello wörld 👋🏽");
  });

  it("sends a key only to its provider, and stores it nowhere", async () => {
    const script: WireScript = { id: crypto.randomUUID(), replies: [{ answer: hello }] };
    const baseURL = scriptAddress(inject("wireOrigin"), script);
    const keys = ["sk-first-0123456789", "sk-second-0123456789"];
    await Promise.all(
      keys.map((apiKey) =>
        new AnthropicProvider({ ...options, apiKey, baseURL }).chat([user("Hi")]),
      ),
    );
    const sent = (await requestsOf(inject("wireOrigin"), script)).map(
      ({ headers }) => headers["authorization"],
    );
    expect(new Set(sent)).toEqual(new Set(keys.map((key) => `Bearer ${key}`)));
    const kept = [localStorage, sessionStorage].flatMap((storage) => Object.values(storage));
    expect(kept.join()).not.toContain("sk-");
  });
});
