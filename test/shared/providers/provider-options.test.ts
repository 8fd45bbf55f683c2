import { ConfigurationError } from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { compatibleProvider, OpenAIProvider } from "@robota/runtime/providers/openai";
import { describe, expect, it } from "vitest";
import { wireFetch } from "../../support/wire/wire-fetch.ts";
import { user } from "../../support/wire/wire-providers.ts";

const providers = { AnthropicProvider, OpenAIProvider };

/** As plain JavaScript does, or a `!` behind a variable that is not set. */
const make = (name: keyof typeof providers, ...args: unknown[]) =>
  Reflect.construct(providers[name], args) as AnthropicProvider | OpenAIProvider;

describe.each(["AnthropicProvider", "OpenAIProvider"] as const)("a new %s", (name) => {
  it.each([undefined, "", "  "])(
    "with the key %j fails its first call, and sends nothing",
    async (apiKey) => {
      const service = wireFetch(() => Response.json({}));
      const provider = make(name, { apiKey, model: "m", fetch: service.fetch });
      const failure = {
        name: "AuthenticationError",
        code: "AUTHENTICATION_ERROR",
        message: expect.stringContaining("There is no API key"),
        hint: expect.stringContaining("`apiKey`"),
      };
      await expect(provider.chat([user("Hi")])).rejects.toMatchObject(failure);
      await expect(provider.checkKey()).rejects.toMatchObject(failure);
      expect(service.urls).toEqual([]);
    },
  );

  it("with retries that are no number fails at the first failure", async () => {
    let calls = 0;
    const service = wireFetch(() => {
      calls += 1;
      return new Response("", {
        status: calls < 5 ? 500 : 400,
        headers: { "retry-after-ms": "1" },
      });
    });
    const maxRetries = Number(undefined);
    const provider = make(name, {
      apiKey: "k",
      model: "m",
      fetch: service.fetch,
      maxRetries,
      dangerouslyAllowBrowser: true,
    });
    await expect(provider.chat([user("Hi")])).rejects.toMatchObject({ code: "SERVER_ERROR" });
    expect(service.urls).toHaveLength(1);
  });

  it.each([
    ["no options", []],
    ["no model", [{ apiKey: "k" }]],
    ["an empty model", [{ apiKey: "k", model: " " }]],
    ["a model that is not set", [{ apiKey: "k", model: undefined }]],
  ])("with %s is refused, with the option to pass", (_, args) => {
    expect(() => make(name, ...args)).toThrow(ConfigurationError);
    expect(() => make(name, ...args)).toThrow(`${name} needs a model`);
    expect(() => make(name, ...args)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/`model`.*model: "/) }),
    );
  });
});

it("a preset without options is refused like any other provider", () => {
  for (const name of ["ollama", "gemini"]) {
    const call = () => Reflect.apply(compatibleProvider, undefined, [name]);
    expect(call).toThrow("needs a model");
    expect(call).toThrow(ConfigurationError);
  }
});
