import { withHost } from "#host";
import { Session, type SessionOptions } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { echo, echoCall } from "../../support/support.ts";

const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };
const YES = { text: '{"ok": true}', usage };
const prompt = { type: "prompt", judge: true, prompt: "Is it good?" } as const;
const agent = { type: "agent", agent: "judge", config: { systemPrompt: "You judge." } } as const;

/** A session whose every call of `echo` is judged. Its own answers use no tokens; each judgement 1,100, for 0.2 cents. */
const judged = (
  provider: ScriptedProvider,
  hook: typeof prompt | typeof agent,
  budgets: Pick<SessionOptions, "budget" | "turnBudget">,
): Omit<SessionOptions, "platform"> => ({
  provider,
  tools: [echo],
  permissions: { allow: ["echo"] },
  hooks: { PreToolUse: [{ matcher: "echo", hooks: [hook] }] },
  models: [
    {
      id: provider.model,
      name: "Judge",
      contextWindow: 100_000,
      maxOutput: 1_000,
      prices: { input: 1, output: 10 },
    },
  ],
  ...budgets,
});

const spent = { code: "BUDGET_EXCEEDED", message: expect.stringContaining("is spent") };

it.each([
  ["turnBudget of tokens", prompt, { turnBudget: { tokens: 1_500 } }],
  ["turnBudget of dollars", prompt, { turnBudget: { dollars: 0.003 } }],
  ["budget of tokens", agent, { budget: { tokens: 1_500 } }],
  ["budget of dollars", agent, { budget: { dollars: 0.003 } }],
])("a %s ends a turn whose hooks spent it", async (_name, hook, budgets) => {
  await withHost(async ({ platform, cwd }) => {
    const calling = (text: string) => ({ toolCalls: [echoCall(text)] });
    const provider = new ScriptedProvider([calling("a"), YES, calling("b"), YES, { text: "done" }]);
    const options = { platform, cwd, ...judged(provider, hook, budgets) };
    const session = new Session(options);
    await expect(session.run("go")).rejects.toMatchObject(spent);
    // Both calls were judged and run; nothing was asked after the second judgement.
    expect(provider.remaining).toBe(1);
    expect(session.getHistory().filter(({ role }) => role === "tool")).toHaveLength(2);
    await session.shutdown();
  });
});

it("hooks' usage counts after a reload", async () => {
  await withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([{ toolCalls: [echoCall("a")] }, YES, { text: "done" }]);
    const first = new Session({ platform, cwd, ...judged(provider, agent, {}) });
    await first.run("go");
    expect(first.getUsage()).toEqual(usage);
    expect(first.getCost()).toBeCloseTo(0.002, 10);
    await first.shutdown();
    const next = new ScriptedProvider([{ text: "never" }]);
    const again = new Session({
      platform,
      cwd,
      ...judged(next, agent, { budget: { dollars: 0.002 } }),
      sessionId: first.sessionId,
    });
    await again.open();
    expect(again.getUsage()).toEqual(usage);
    await expect(again.run("more")).rejects.toMatchObject(spent);
    expect(next.requests).toEqual([]);
    await again.shutdown();
  });
});
