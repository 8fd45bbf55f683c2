import { replaySession, Session, type SessionOptions } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { echo, echoCall } from "../../../support/support.ts";

type Script = ConstructorParameters<typeof ScriptedProvider>[0];

const usage = (inputTokens: number, outputTokens = 0) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});
/** Nearly fills the window. */
const FULL = usage(900, 10);
const SUMMARY = { text: "What matters", usage: usage(1_000, 100) };
const SPENT = { code: "BUDGET_EXCEEDED", message: expect.stringContaining("is spent") };

function opened(script: Script, options: Partial<SessionOptions> = {}) {
  const platform = options.platform ?? memoryPlatform();
  const provider = new ScriptedProvider(script);
  const session = new Session({
    platform,
    provider,
    tools: [echo],
    permissions: { allow: ["echo"] },
    contextWindow: 1_000,
    models: [
      {
        id: provider.model,
        name: "Short",
        contextWindow: 1_000,
        maxOutput: 100,
        prices: { input: 1, output: 10 },
      },
    ],
    ...options,
  });
  return { session, provider, platform };
}

/** Opens it again, and replays it: all three agree on what was used. */
async function expectAgreement({ session, platform }: ReturnType<typeof opened>): Promise<void> {
  const used = [session.getUsage(), session.getCost()];
  await session.shutdown();
  const { sessionId } = session;
  const { storage } = platform;
  const recorded: string[] = [];
  for await (const { value } of storage.read(`sessions/${sessionId}`))
    recorded.push(new TextDecoder().decode(value));
  const { records } = await replaySession({ storage, sessionId }, memoryPlatform());
  expect(records.map((record) => new TextDecoder().decode(record))).toEqual(recorded);
  const again = opened([], { platform, sessionId });
  await again.session.open();
  expect([again.session.getUsage(), again.session.getCost()]).toEqual(used);
  await again.session.shutdown();
}

describe("the tokens of a compaction", () => {
  it.each([
    ["by a person", undefined],
    ["before a turn", undefined],
    ["within a turn", echoCall("x")],
  ])("count %s, after a resume and in a replay", async (when, call) => {
    const first = call ? { toolCalls: [call], usage: FULL } : { text: "First", usage: FULL };
    const all = opened([first, SUMMARY, { text: "Second", usage: usage(50) }]);
    await all.session.run("A long story ".repeat(20));
    if (when === "by a person") await all.session.compact();
    if (!call) await all.session.run("And then?");
    expect(all.provider.remaining).toBe(0);
    expect(all.session.getUsage()).toEqual(usage(1_950, 110));
    expect(all.session.getCost()).toBeCloseTo((1_950 + 110 * 10) / 1e6, 9);
    await expectAgreement(all);
  });

  it("count also when no summary came of them", async () => {
    const nothing = { text: "", usage: usage(1_000) };
    const all = opened(
      [
        { text: "First", usage: usage(100) },
        nothing,
        { text: "Second", usage: usage(600) },
        nothing,
        { text: "Third", usage: usage(50) },
      ],
      { autoCompactThreshold: 0.5 },
    );
    await all.session.run("A long story ".repeat(20));
    await expect(all.session.compact()).rejects.toMatchObject({ code: "COMPACTION_FAILED" });
    await all.session.run("And then?");
    await all.session.run("And now?");
    expect(all.provider.remaining).toBe(0);
    expect(all.session.getUsage()).toEqual(usage(2_750));
    await expectAgreement(all);
  });
});

describe("a budget that a compaction spends", () => {
  it.each([
    ["of tokens", { tokens: 1_100 }],
    ["of dollars", { dollars: 0.002 }],
  ])("%s ends the turn with its own error, once", async (_what, turnBudget) => {
    const all = opened(
      [{ text: "First", usage: FULL }, SUMMARY, { text: "Third", usage: usage(50) }],
      { turnBudget },
    );
    const { session, provider } = all;
    await session.run("A long story ".repeat(20));
    await expect(session.run("And then?")).rejects.toMatchObject(SPENT);
    expect(provider.remaining).toBe(1);
    // The conversation is short now, and each turn has its own budget.
    expect(await session.run("And now?")).toBe("Third");
    await expectAgreement(all);
  });

  it("ends the turn in which it is made", async () => {
    const all = opened([{ toolCalls: [echoCall("x")], usage: FULL }, SUMMARY, { text: "never" }], {
      turnBudget: { tokens: 1_500 },
    });
    await expect(all.session.run("A long story ".repeat(20))).rejects.toMatchObject(SPENT);
    expect(all.provider.remaining).toBe(1);
    await expectAgreement(all);
  });

  it("refuses any other, and asks the model nothing more", async () => {
    const all = opened([{ text: "First", usage: FULL }, { text: "never" }], {
      budget: { tokens: 900 },
    });
    const { session, provider } = all;
    await session.run("A long story ".repeat(20));
    await expect(session.compact()).rejects.toMatchObject(SPENT);
    for (const again of [1, 2]) await expect(session.run(`${again}`)).rejects.toMatchObject(SPENT);
    expect(provider.remaining).toBe(1);
    await expectAgreement(all);
  });
});
