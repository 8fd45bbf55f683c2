import { type AssistantMessage, type Message, type Provider, Robota } from "@robota/runtime";
import {
  costOf,
  type Fallback,
  fallbackProvider,
  type FallbackRules,
  routingProvider,
  type ToolMessage,
} from "@robota/runtime/providers";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { fetchUntilCut } from "../../support/wire/wire-cut.ts";
import {
  freshAddress,
  hello,
  providers,
  twoCalls,
  user,
} from "../../support/wire/wire-providers.ts";
import type { WireReply } from "../../support/wire/wire-script.ts";

const overloaded: WireReply = {
  status: 529,
  body: { error: { type: "overloaded_error", message: "Overloaded" } },
};
const tooLong: WireReply = {
  status: 400,
  body: { error: { message: "prompt is too long: 250000 tokens > 200000 maximum" } },
};
const fromSecond: WireReply = { answer: { text: ["From ", "the second."] } };

function at(wire: string, ...replies: WireReply[]): Provider {
  const settings = { maxRetries: 0, fetch: fetchUntilCut };
  const provider = providers[wire]?.(freshAddress(replies), settings);
  if (!provider) throw new Error(wire);
  return provider;
}

async function ask(
  provider: Provider,
  messages: Message[] = [user("Hi")],
): Promise<{ shown: string; message?: AssistantMessage; error?: unknown }> {
  let shown = "";
  try {
    const message = await provider.chat(messages, {
      onTextDelta: (delta) => (shown += delta),
    });
    return { shown, message };
  } catch (error) {
    return { shown, error };
  }
}

describe("a fallback", () => {
  it("asks the next provider when the first is overloaded, and names the one that answered", async () => {
    const fallbacks: Fallback[] = [];
    const rules: FallbackRules = { onFallback: (fallback) => fallbacks.push(fallback) };
    const provider = fallbackProvider(
      [at("anthropic messages", overloaded), at("openai chat", fromSecond)],
      rules,
    );
    const { shown, message } = await ask(provider);
    expect(shown).toBe("From the second.");
    expect(message).toMatchObject({
      provider: "openai",
      metadata: { fallbackFrom: ["anthropic: OVERLOADED"] },
    });
    expect(fallbacks).toMatchObject([{ from: "anthropic", to: "openai", reason: "overload" }]);
  });

  it.each([
    ["the conversation does not fit", tooLong, "CONTEXT_LENGTH"],
    ["it can't be reached", { drop: true }, "NETWORK_ERROR"],
    ["its answer is empty, twice", { answer: {} }, "EMPTY_RESPONSE"],
    [
      "its stream breaks before anything was shown",
      { answer: hello, fault: { after: -1, kind: "cut" } },
      "NETWORK_ERROR",
    ],
  ] as const)("asks the next provider when %s", async (_, reply, code) => {
    const provider = fallbackProvider([
      at("openai responses", reply),
      at("anthropic messages", fromSecond),
    ]);
    const { shown, message } = await ask(provider);
    expect(shown).toBe("From the second.");
    expect(message?.metadata).toEqual({ fallbackFrom: [`openai: ${code}`] });
  });

  it("never requests shown text again", async () => {
    const second = at("openai chat", fromSecond);
    const cut: WireReply = { answer: hello, fault: { after: 2, kind: "overloaded" } };
    const text = await ask(fallbackProvider([at("anthropic messages", cut), second]));
    expect(text.shown).toBe("Hello ");
    expect(text.message).toMatchObject({ state: "interrupted", provider: "anthropic" });
    const within: WireReply = {
      answer: { calls: twoCalls.calls ?? [] },
      fault: { after: 1, of: "arguments", kind: "cut" },
    };
    const call = await ask(fallbackProvider([at("anthropic messages", within), second]));
    expect(call.error).toMatchObject({ code: "NETWORK_ERROR", provider: "anthropic" });
  });

  it("does not retry failures that another provider can't help, or that no rule names", async () => {
    const second = at("openai chat", fromSecond);
    const rejected: WireReply = { status: 400, body: { error: { message: "bad schema" } } };
    const wrongKey: WireReply = { status: 401, body: { error: { message: "no" } } };
    const codes = [];
    for (const reply of [rejected, wrongKey]) {
      const { error } = await ask(fallbackProvider([at("anthropic messages", reply), second]));
      codes.push((error as { code: string }).code);
    }
    expect(codes).toEqual(["INVALID_REQUEST", "AUTHENTICATION_ERROR"]);
    const described = fallbackProvider([at("anthropic messages", wrongKey), second], {
      on: ["unavailable"],
    });
    expect((await ask(described)).shown).toBe("From the second.");
  });

  it("does not ask the next provider after an abort", async () => {
    const abort = new AbortController();
    const stalled: WireReply = { answer: hello, fault: { after: 0, kind: "stall" } };
    const second = new ScriptedProvider([{ text: "second" }]);
    const provider = fallbackProvider([at("anthropic messages", stalled), second]);
    setTimeout(() => abort.abort(), 50);
    await expect(provider.chat([user("Hi")], { signal: abort.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(second.requests).toHaveLength(0);
  });

  it("continues with the next provider when one's budget is spent", async () => {
    const usage = { inputTokens: 600, outputTokens: 400, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const turns = Array.from({ length: 3 }, () => ({ text: "first", usage }));
    const second = new ScriptedProvider([{ text: "second" }]);
    const provider = fallbackProvider([
      { provider: new ScriptedProvider(turns), budget: { tokens: 1_500 } },
      second,
    ]);
    const answers = [];
    for (let call = 0; call < 3; call += 1) answers.push((await ask(provider)).message?.content);
    expect(answers).toEqual(["first", "first", "second"]);
    const dear = new ScriptedProvider([{ text: "dear", usage }, { text: "dear" }], {
      model: "claude-opus-5",
    });
    const limited = fallbackProvider([{ provider: dear, budget: { dollars: 0.01 } }], { costOf });
    expect((await ask(limited)).shown).toBe("dear");
    expect((await ask(limited)).error).toMatchObject({ code: "BUDGET_EXCEEDED" });
    expect(() => fallbackProvider([{ provider: dear, budget: { dollars: 1 } }])).toThrow("prices");
  });

  it("changes provider during an agent's run", async () => {
    const first = at("anthropic messages", { answer: twoCalls }, overloaded);
    const second = at("openai responses", fromSecond);
    const read = {
      name: "Read",
      description: "Reads",
      parameters: { type: "object" },
      execute: () => Promise.resolve("text"),
    };
    const agent = new Robota({ provider: fallbackProvider([first, second]), tools: [read] });
    const { text } = await agent.run("Go");
    expect(text).toContain("From the second.");
    const history = agent.getHistory();
    const results = history.filter((message): message is ToolMessage => message.role === "tool");
    expect(results.map(({ isError }) => isError ?? false)).toEqual([false, false]);
    const answered = history.filter((message) => message.role === "assistant");
    expect(answered.map(({ provider }) => provider)).toEqual(["anthropic", "openai"]);
  });

  it("offers the web search of every provider that has one", () => {
    const both = fallbackProvider([at("anthropic messages"), at("openai chat")]);
    expect(both.configureNativeWebTools?.({ webSearch: true })).toEqual({
      webSearch: true,
      chatOptions: { nativeWebSearch: true },
    });
    const none = fallbackProvider([at("openai chat")]);
    expect(none.configureNativeWebTools?.({ webSearch: true }).webSearch).toBe(false);
  });
});

describe("a routing", () => {
  const small = (): ScriptedProvider =>
    new ScriptedProvider([{ text: "small" }, { text: "small" }]);
  const large = (): ScriptedProvider =>
    new ScriptedProvider([{ text: "large" }, { text: "large" }]);

  it("chooses by the length of the conversation, pictures and options", async () => {
    const routed: string[] = [];
    const provider = routingProvider(
      [
        { provider: large(), when: ({ hasImages, hasFiles }) => hasImages || hasFiles },
        { provider: small(), when: ({ estimatedTokens }) => estimatedTokens < 100 },
        { provider: large() },
      ],
      { onRoute: ({ to, model }) => routed.push(`${to}/${model}`) },
    );
    const image = { type: "image", mediaType: "image/png", data: "AA==" } as const;
    const words = [
      await ask(provider, [user("Hi")]),
      await ask(provider, [user("Hi ".repeat(500))]),
      await ask(provider, [{ ...user(""), role: "user", content: [image] }]),
    ];
    expect(words.map(({ shown }) => shown)).toEqual(["small", "large", "large"]);
    expect(routed).toHaveLength(3);
  });

  it("fails when no route takes a call", async () => {
    const provider = routingProvider([{ provider: small(), when: () => false }]);
    expect((await ask(provider)).error).toMatchObject({ code: "CONFIGURATION_ERROR" });
    expect(() => routingProvider([])).toThrow("no route");
  });
});
