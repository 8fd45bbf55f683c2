import { describe, expect, expectTypeOf, it } from "vitest";
import type { ModelDefinition } from "../context/models.ts";
import type { Plugin, PluginRunResult } from "../plugins/plugin.ts";
import { ScriptedProvider, type ScriptedStep } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { Robota, type RobotaOptions } from "./robota.ts";
import type { RunResult } from "./agent-run.ts";

const model: ModelDefinition = {
  id: "scripted",
  name: "Scripted",
  contextWindow: 1000,
  maxOutput: 100,
  prices: { input: 1, output: 10 },
};
const models = [model];
/** 0.002 US dollars at the prices above. */
const usage = { inputTokens: 1000, outputTokens: 100 };
const look = createFunctionTool("look", "Looks", { type: "object" }, () => "seen");
const calling: ScriptedStep = { text: "Looking", toolCalls: [{ name: "look" }], usage };
const BUDGET_EXCEEDED = { code: "BUDGET_EXCEEDED", hint: expect.stringMatching(/\w/) };

function setUp(
  script: readonly ScriptedStep[],
  options: Partial<RobotaOptions> = {},
): { agent: Robota; provider: ScriptedProvider } {
  const provider = new ScriptedProvider(script);
  // Wide, so that only a budget ends a run.
  const agent = new Robota({ provider, tools: [look], contextWindow: 1_000_000, ...options });
  return { agent, provider };
}

describe("the cost of a run", () => {
  it("is computed from custom models, for the run and for the agent's lifetime", async () => {
    const { agent } = setUp([calling, { text: "done", usage }, { text: "more", usage }], {
      models,
    });
    expect([agent.cost, agent.usage.inputTokens]).toEqual([0, 0]);
    const result = await agent.run("go");
    expectTypeOf(result).toEqualTypeOf<RunResult>();
    expectTypeOf(result.cost).toEqualTypeOf<number | undefined>();
    expect(result.cost).toBeCloseTo(0.004);
    expect(result.usage).toMatchObject({ inputTokens: 2000, outputTokens: 200 });
    expect((await agent.run("on")).cost).toBeCloseTo(0.002);
    agent.clearHistory();
    expect(agent.cost).toBeCloseTo(0.006);
    expect(agent.usage).toMatchObject({ inputTokens: 3000, outputTokens: 300 });
  });

  it("is left out when prices are unknown", async () => {
    const { agent } = setUp([{ text: "done", usage }]);
    expect(await agent.run("go")).not.toHaveProperty("cost");
    expect(agent.cost).toBeUndefined();
    expect(agent.usage.inputTokens).toBe(1000);
  });

  it("includes the rounds and tokens of every attempt, while a plugin sees each attempt's own", async () => {
    const reports: PluginRunResult[] = [];
    const again: Plugin = {
      name: "again",
      category: "error_handling",
      onError: (_run, _error, report) => {
        reports.push(report);
        return { retryAfterMs: 0 };
      },
      afterRun: (_run, report) => void reports.push(report),
    };
    const script = [calling, { error: "down" }, { text: "done", usage }];
    const { agent } = setUp(script, { models, plugins: [again] });
    const result = await agent.run("go");
    expect(result).toMatchObject({ text: "done", rounds: 3, usage: { inputTokens: 2000 } });
    expect(result.cost).toBeCloseTo(0.004);
    expect(reports.map(({ rounds, usage: { inputTokens } }) => [rounds, inputTokens])).toEqual([
      [2, 1000],
      [1, 1000],
    ]);
    expect(reports[0]?.cost).toBeCloseTo(0.002);
  });

  it("is reported with the window of a custom model", async () => {
    const { agent, provider } = setUp([]);
    const small = new Robota({ provider, models });
    expect((await small.run("x".repeat(2000))).text).toContain("/compact");
    expect(agent.getHistory()).toEqual([]);
  });
});

describe("a budget", () => {
  it("ends a run between two calls, with its text and a valid history", async () => {
    for (const budget of [{ tokens: 2200 }, { dollars: 0.003 }]) {
      const { agent, provider } = setUp([calling, calling, { text: "done", usage }], { models });
      const result = await agent.run("go", { budget });
      expect(result).toMatchObject({
        text: "Looking",
        interrupted: false,
        rounds: 2,
        error: BUDGET_EXCEEDED,
      });
      expect(provider.remaining).toBe(1);
      expect(agent.getHistory().map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
      ]);
      expect(agent.getHistory().at(-1)).toMatchObject({ error: { code: "BUDGET_EXCEEDED" } });
      // The report belonged to that run: another one starts fresh, and the model reads nothing of it.
      expect((await agent.run("go on", { budget })).text).toBe("done");
      expect(provider.requests[2]?.messages.map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "user",
      ]);
    }
  });

  it("of an agent covers all of its runs", async () => {
    const { agent, provider } = setUp(
      [
        { text: "one", usage },
        { text: "two", usage },
      ],
      {
        models,
        budget: { dollars: 0.003 },
      },
    );
    expect((await agent.run("1")).error).toBeUndefined();
    expect((await agent.run("2")).error).toBeUndefined();
    expect(await agent.run("3")).toMatchObject({ text: "", rounds: 0, error: BUDGET_EXCEEDED });
    expect(provider.requests).toHaveLength(2);
  });

  it("includes earlier attempts", async () => {
    const again: Plugin = {
      name: "again",
      category: "error_handling",
      onError: ({ attempt }) => (attempt === 1 ? { retryAfterMs: 0 } : undefined),
    };
    const { agent, provider } = setUp([calling, { error: "down" }, { text: "done" }], {
      plugins: [again],
    });
    const result = await agent.run("go", { budget: { tokens: 1000 } });
    expect(result.error).toMatchObject(BUDGET_EXCEEDED);
    expect(provider.requests).toHaveLength(1);
  });

  it("in dollars is refused before the first call when prices are unknown", async () => {
    const { agent, provider } = setUp([{ text: "done" }]);
    await expect(agent.run("go", { budget: { dollars: 1 } })).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      hint: expect.stringContaining("models"),
    });
    const limited = new Robota({ provider, budget: { dollars: 1 } });
    await expect(limited.run("go")).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
    expect(provider.requests).toEqual([]);
    expect(agent.getHistory()).toEqual([]);
    expect((await agent.run("go")).text).toBe("done");
  });

  it("must be a positive number", async () => {
    const { agent } = setUp([], { models });
    for (const budget of [{ tokens: 0 }, { dollars: -1 }, { tokens: NaN }]) {
      await expect(agent.run("go", { budget })).rejects.toMatchObject({
        code: "CONFIGURATION_ERROR",
      });
    }
  });
});
