import {
  environmentProviders,
  providerFromEnvironment,
} from "@robota/runtime/providers/environment";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { hello, KEY, user } from "../../support/wire/wire-providers.ts";
import { freshAddress } from "../../support/wire/wire-providers.ts";

describe("a provider from the environment", () => {
  it.each([
    [{ ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY }, "anthropic", "claude-sonnet-5"],
    [{ ANTHROPIC_API_KEY: " ", OPENAI_API_KEY: KEY }, "openai", "gpt-5.4"],
    [{ OPENAI_API_KEY: KEY, OPENAI_MODEL: "gpt-5-mini" }, "openai", "gpt-5-mini"],
    [{ OPENROUTER_API_KEY: KEY }, "openRouter", "openrouter/auto"],
    [{ GOOGLE_API_KEY: KEY }, "gemini", "gemini-flash-latest"],
    [{ ARK_API_KEY: KEY, ARK_MODEL: "doubao" }, "ark", "doubao"],
    [{ OPENAI_BASE_URL: "http://localhost:1234/v1", OPENAI_MODEL: "local" }, "openai", "local"],
  ])("is selected by the available keys: %j", async (env, name, model) => {
    const { provider, variable, note } = await providerFromEnvironment(memoryPlatform({ env }));
    expect(provider).toMatchObject({ name, model });
    expect(note).toContain(variable);
    expect(note).not.toContain(KEY);
  });

  it("is the offline one without a key, and says so", async () => {
    const { provider, variable, note } = await providerFromEnvironment(memoryPlatform());
    expect(variable).toBeUndefined();
    expect(note).toMatch(/No key was found.*ANTHROPIC_API_KEY/);
    const { content } = await provider.chat([user("help")]);
    expect(content).not.toBe("");
  });

  const hosted = environmentProviders.filter(({ keys }) => keys.length > 0);
  it.each(hosted)("is the named one: $name", async ({ name, keys, model }) => {
    const [key = ""] = keys;
    const env = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, [key]: KEY, [model]: "a-model" };
    const chosen = await providerFromEnvironment(memoryPlatform({ env }), { name });
    expect(chosen).toMatchObject({ provider: { name, model: "a-model" }, variable: key });
    const given = { name, apiKey: KEY, model: "mine", baseURL: "https://models.example/v1" };
    const own = await providerFromEnvironment(memoryPlatform(), given);
    expect(own).toMatchObject({
      provider: { name, model: "mine" },
      note: "models.example answers with mine.",
    });
    await expect(providerFromEnvironment(memoryPlatform(), { name })).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      hint: expect.stringContaining(keys.join(" or ")) as string,
    });
  });

  const ofOnesOwn = environmentProviders.filter(({ keys }) => keys.length === 0);
  it.each(ofOnesOwn)(
    "is the named server of one's own: $name",
    async ({ name, address, model }) => {
      const env = { ANTHROPIC_API_KEY: KEY, [model]: "a-model" };
      // It needs no key, and is where such servers are.
      const chosen = await providerFromEnvironment(memoryPlatform({ env }), { name });
      expect(chosen).toMatchObject({ provider: { name, model: "a-model" }, variable: undefined });
      // Without a key, the address of one is enough.
      const found = { [model]: "a-model", [address]: "http://models.example:8000/v1" };
      expect(await providerFromEnvironment(memoryPlatform({ env: found }))).toMatchObject({
        provider: { name, model: "a-model" },
        variable: address,
        note: `models.example:8000 answers with a-model, because ${address} is set.`,
      });
      await expect(providerFromEnvironment(memoryPlatform(), { name })).rejects.toMatchObject({
        code: "CONFIGURATION_ERROR",
        hint: `Set ${model} to a model that this server has.`,
      });
    },
  );

  it("reports the variable for the model when there is no default", async () => {
    const platform = memoryPlatform({ env: { ARK_API_KEY: KEY } });
    await expect(providerFromEnvironment(platform)).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      hint: expect.stringContaining("ARK_MODEL") as string,
    });
    const { provider } = await providerFromEnvironment(platform, { model: "doubao" });
    expect(provider.model).toBe("doubao");
  });

  it("calls the environment's address through the platform's own fetch", async () => {
    const called: string[] = [];
    const address = freshAddress([{ answer: hello }]);
    const platform = memoryPlatform({
      env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: address },
      fetch: (input, init) => {
        called.push(input instanceof Request ? input.url : String(input));
        return fetch(input, init);
      },
    });
    const { provider } = await providerFromEnvironment(platform, {
      dangerouslyAllowBrowser: true,
    });
    expect(called).toEqual([]);
    expect((await provider.chat([user("Hi")])).content).toBe("Hello wörld 👋🏽");
    expect(called).toEqual([`${address}/v1/messages`]);
  });
});
