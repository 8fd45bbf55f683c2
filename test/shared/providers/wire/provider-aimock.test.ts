import { type AssistantMessage, contentText, type Provider, Robota } from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { compatibleProvider, OpenAIProvider } from "@robota/runtime/providers/openai";
import { describe, expect, inject, it } from "vitest";
import { KEY, user } from "../../../support/wire/wire-providers.ts";

interface Settings {
  maxRetries?: number;
}

const common = { apiKey: KEY, dangerouslyAllowBrowser: true };
const origin = (): string => inject("aimockOrigin");

const dialects: Record<string, (settings?: Settings) => Provider> = {
  messages: (settings) =>
    new AnthropicProvider({ ...common, model: "claude-sonnet-5", baseURL: origin(), ...settings }),
  chat: (settings) =>
    new OpenAIProvider({ ...common, model: "gpt-5.4", baseURL: `${origin()}/v1`, ...settings }),
  responses: (settings) =>
    new OpenAIProvider({
      ...common,
      model: "gpt-5.4",
      api: "responses",
      baseURL: `${origin()}/v1`,
      ...settings,
    }),
  ark: (settings) =>
    compatibleProvider("ark", {
      ...common,
      model: "doubao",
      baseURL: `${origin()}/api/v3`,
      ...settings,
    }),
  openRouter: (settings) =>
    compatibleProvider("openRouter", {
      ...common,
      model: "some/model",
      baseURL: `${origin()}/api/v1`,
      ...settings,
    }),
};

async function ask(
  make: (settings?: Settings) => Provider,
  words: string,
  settings?: Settings,
): Promise<{ shown: string; thought: string; message?: AssistantMessage; error?: unknown }> {
  let shown = "";
  let thought = "";
  try {
    const message = await make(settings).chat([user(words)], {
      onTextDelta: (delta) => (shown += delta),
      onThinkingDelta: (delta) => (thought += delta),
    });
    return { shown, thought, message };
  } catch (error) {
    return { shown, thought, error };
  }
}

describe.each(Object.entries(dialects))(
  "the dialect of an independent server: %s",
  (dialect, make) => {
    it("runs an agent through parallel calls and their results", async () => {
      const read: string[] = [];
      const agent = new Robota({
        provider: make(),
        systemMessage: "Read files.",
        tools: [
          {
            name: "Read",
            description: "Reads a file",
            parameters: { type: "object", properties: { filePath: { type: "string" } } },
            execute: ({ filePath }) => {
              read.push(String(filePath));
              return "text";
            },
          },
        ],
      });
      const { text, error } = await agent.run("read both");
      expect(error).toBeUndefined();
      expect(read.toSorted()).toEqual(["a.md", "b.md"]);
      expect(text).toContain("Both are read.");
    });

    it("streams thinking and text", async () => {
      expect(await ask(make, "think")).toMatchObject({
        thought: "Step by step.",
        shown: "Done thinking.",
        message: { state: "complete", stopReason: "end_turn" },
      });
      const { message, shown } = await ask(make, "say it slowly");
      expect(shown).toBe("One two three 👋🏽.");
      expect(contentText(message?.content ?? "")).toBe(shown);
    });

    it("keeps the shown text of a truncated answer", async () => {
      const { shown, message } = await ask(make, "break off");
      expect(shown).not.toBe("");
      expect("This answer is cut off before its end.".startsWith(shown)).toBe(true);
      expect(message).toMatchObject({ state: "interrupted", error: { code: "NETWORK_ERROR" } });
    });

    it("waits and retries after a rate limit", async () => {
      const started = performance.now();
      const { shown } = await ask(make, `be busy once: ${dialect}`);
      expect(shown).toBe("Free again.");
      // A second, or in a page, which does not get to see `retry-after` of this server, the usual first wait.
      expect(performance.now() - started).toBeGreaterThan(350);
    });

    it.each([
      ["use a wrong key", { name: "AuthenticationError", status: 401 }],
      ["say too much", { code: "CONTEXT_LENGTH" }],
      ["hang up", { code: "NETWORK_ERROR" }],
      ["write nonsense", { code: "PROTOCOL_ERROR" }],
    ])("names the failure: %s", async (words, facts) => {
      const { error } = await ask(make, words, { maxRetries: 0 });
      expect(error).toMatchObject(facts);
      expect(JSON.stringify(error)).not.toContain(KEY);
    });
  },
);

it.each(["messages", "chat"])("checks a key for free with %s", async (dialect) => {
  const provider = dialects[dialect]?.();
  if (!(provider instanceof AnthropicProvider || provider instanceof OpenAIProvider))
    throw new Error(dialect);
  const { models } = await provider.checkKey();
  expect(models.length).toBeGreaterThan(1);
});
