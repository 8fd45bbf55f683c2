import { InteractiveSession, type InteractiveSessionOptions } from "@robota/runtime";
import { describe, expect, it } from "vitest";
import {
  agentCall,
  backgroundCall,
  eventOf,
  hold,
  HOLD_CALL,
  MAIN,
  played,
  results,
  WORKER,
} from "../../support/agent-support.ts";
import type { Script } from "../../support/settings-support.ts";

/** 600 tokens; at the prices below 0.0006 US dollars of `cheap`, and 0.006 of `dear`. */
const usage = { inputTokens: 600, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const priced = (id: string, input: number) => ({
  id,
  name: id,
  contextWindow: 200_000,
  maxOutput: 1000,
  prices: { input, output: input },
});
const models = [priced("cheap", 1), priced("dear", 10)];

function spending(
  scripts: { main: Script; worker: Script },
  options: Partial<InteractiveSessionOptions> = {},
) {
  const held = hold();
  const cast = played(
    { [MAIN]: scripts.main, [WORKER]: scripts.worker },
    {
      model: "cheap",
      models,
      tools: [held.tool],
      permissions: { allow: ["hold"] },
      ...options,
    },
  );
  return { ...cast, held };
}

const call = (more: object = {}) => ({ toolCalls: [agentCall(undefined, "work", more)], usage });

describe("an agent's usage", () => {
  it("counts with the turn, at the price of the agent's own model, also after a reload", async () => {
    const { session, platform, provider } = spending({
      main: [call({ model: "dear" }), { text: "done", usage }],
      worker: [{ text: "worked", usage }],
    });
    const result = await session.submit("go");
    expect(result.usage?.inputTokens).toBe(1800);
    expect(session.getUsage().inputTokens).toBe(1800);
    expect(session.getCost()).toBeCloseTo(0.0072, 6);
    expect(result.cost).toBeCloseTo(0.0072, 6);
    await session.shutdown();
    const { sessionId } = session;
    const again = new InteractiveSession({
      platform,
      provider,
      models,
      resumeSessionId: sessionId,
    });
    await again.ready;
    expect(again.getUsage().inputTokens).toBe(1800);
    expect(again.getCost()).toBeCloseTo(0.0072, 6);
    await again.shutdown();
  });

  it("ends with the session's budget, which is reported to the session", async () => {
    const { session, asked, held } = spending(
      {
        main: [call(), { text: "never" }],
        worker: [{ toolCalls: [HOLD_CALL], usage }, { text: "never" }],
      },
      { budget: { tokens: 1000 } },
    );
    held.release();
    expect(await session.submit("go")).toMatchObject({ state: "failed" });
    expect(results(session)[0]).toContain("The budget of this session is spent: 1000 tokens");
    expect(asked.map(({ who }) => who)).toEqual([MAIN, WORKER]);
    await session.shutdown();
  });

  it("ends with the turn's budget", async () => {
    const { session, asked, held } = spending(
      {
        main: [call(), { text: "never" }],
        worker: [{ toolCalls: [HOLD_CALL], usage }, { text: "never" }],
      },
      { turnBudget: { tokens: 1000 } },
    );
    held.release();
    const ended = eventOf(session, "agent_end");
    expect(await session.submit("go")).toMatchObject({ state: "failed" });
    expect(await ended).toMatchObject({ state: "failed", error: { code: "BUDGET_EXCEEDED" } });
    expect(results(session)[0]).toContain("The budget of this turn is spent: 1000 tokens");
    expect(asked.map(({ who }) => who)).toEqual([MAIN, WORKER]);
    await session.shutdown();
  });

  it("can't be limited in dollars for a model without prices", async () => {
    const { session, asked } = spending(
      { main: [call({ model: "unknown-model" }), { text: "so be it" }], worker: [] },
      { budget: { dollars: 1 } },
    );
    expect(await session.submit("go")).toMatchObject({ response: "so be it" });
    expect(results(session)[0]).toContain("those of unknown-model");
    expect(asked.map(({ who }) => who)).toEqual([MAIN, MAIN]);
    await session.shutdown();
  });
});

describe("a background agent's usage", () => {
  const background = (more: object = {}) => ({
    toolCalls: [backgroundCall("work", more)],
    usage,
  });

  it("counts for the session and not for a turn, also after a reload", async () => {
    const { session, platform, provider, held } = spending({
      main: [background({ model: "dear" }), { text: "started", usage }],
      worker: [
        { toolCalls: [HOLD_CALL], usage },
        { text: "worked", usage },
      ],
    });
    const { usage: used } = await session.submit("go");
    expect(used?.inputTokens).toBe(1200);
    await held.waiting(1);
    const ended = eventOf(session, "agent_end");
    held.release();
    expect(await ended).toMatchObject({
      used: [{ model: "dear", usage: { inputTokens: 1200 } }],
    });
    expect(session.getUsage().inputTokens).toBe(2400);
    expect(session.getCost()).toBeCloseTo(0.0132, 6);
    await session.shutdown();
    const { sessionId } = session;
    const again = new InteractiveSession({
      platform,
      provider,
      models,
      resumeSessionId: sessionId,
    });
    await again.ready;
    expect(again.getUsage().inputTokens).toBe(2400);
    expect(again.getCost()).toBeCloseTo(0.0132, 6);
    await again.shutdown();
  });

  it("ends with the budget of its turn, also after that turn", async () => {
    const { session, held } = spending(
      {
        main: [background(), { text: "started", usage }],
        worker: [
          { toolCalls: [HOLD_CALL], usage },
          { text: "never", usage },
        ],
      },
      { turnBudget: { tokens: 1800 } },
    );
    expect(await session.submit("go")).toMatchObject({ state: "complete" });
    await held.waiting(1);
    const ended = eventOf(session, "agent_end");
    held.release();
    expect(await ended).toMatchObject({ state: "failed", error: { code: "BUDGET_EXCEEDED" } });
    await session.shutdown();
  });
});
