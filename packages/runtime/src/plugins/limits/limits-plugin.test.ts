import { describe, expect, it } from "vitest";
import { Robota } from "../../agent/robota.ts";
import { ConfigurationError, RateLimitError, ValidationError } from "../../errors.ts";
import {
  ScriptedProvider,
  type ScriptedReply,
  type ScriptedStep,
} from "../../testing/scripted-provider.ts";
import { createFunctionTool } from "../../tools/function-tool.ts";
import type { Plugin } from "../plugin.ts";
import { LimitsPlugin, type LimitsPluginOptions } from "./limits-plugin.ts";

/** A clock that stands until it is moved. */
function handClock(): { now: () => number; pass(ms: number): void } {
  let time = 1000;
  return { now: () => time, pass: (ms) => void (time += ms) };
}

const answers = (count: number, usage = {}): ScriptedStep[] =>
  Array.from({ length: count }, () => ({ text: "ok", usage }));

function agentWith(
  options: LimitsPluginOptions,
  script: readonly ScriptedReply[] = answers(9),
  model = "claude-haiku-4-5",
): { agent: Robota; provider: ScriptedProvider } {
  const provider = new ScriptedProvider(script, { model });
  const plugins = [new LimitsPlugin(options)];
  return { agent: new Robota({ provider, plugins, contextWindow: 1e9 }), provider };
}

describe.each(["token-bucket", "sliding-window", "fixed-window"] as const)(
  "limits by %s",
  (strategy) => {
    it("refuse requests before sending, and report the time until they are possible", async () => {
      const clock = handClock();
      const options = { strategy, requests: 2, windowMs: 1000, now: clock.now };
      const { agent, provider } = agentWith(options);
      for (const input of ["1", "2"]) expect((await agent.run(input)).error).toBeUndefined();
      const { error } = await agent.run("3");
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error).toMatchObject({ provider: "limits", hint: "Try again in 1 s." });
      expect(provider.requests).toHaveLength(2);
      const { retryAfterMs = 0 } = error as RateLimitError;
      clock.pass(retryAfterMs - 1);
      expect((await agent.run("early")).error).toBeInstanceOf(RateLimitError);
      clock.pass(1);
      expect((await agent.run("in time")).text).toBe("ok");
    });

    it("count the tokens actually used", async () => {
      const clock = handClock();
      const options = { strategy, tokens: 100, windowMs: 1000, now: clock.now };
      const usage = { inputTokens: 20, outputTokens: 20, cacheReadTokens: 15, cacheWriteTokens: 5 };
      const { agent } = agentWith(options, answers(9, usage));
      const ran = [];
      for (const input of ["1", "2", "3"]) ran.push((await agent.run(input)).error === undefined);
      expect(ran).toEqual([true, true, false]);
      clock.pass(1000);
      expect((await agent.run("later")).text).toBe("ok");
    });
  },
);

describe("limits", () => {
  it("apply to concurrent agents that share them", async () => {
    const limits = new LimitsPlugin({ requests: 3 });
    const provider = new ScriptedProvider(answers(9).map((reply) => ({ ...reply, delayMs: 5 })));
    const agents = Array.from({ length: 8 }, () => new Robota({ provider, plugins: [limits] }));
    const results = await Promise.all(agents.map((agent) => agent.run("go")));
    expect(results.filter(({ error }) => error === undefined)).toHaveLength(3);
    expect(provider.requests).toHaveLength(3);
  });

  it("are separate for separate keys", async () => {
    const limits = new LimitsPlugin({ requests: 1, key: ({ model }) => model });
    const results = [];
    for (const model of ["a", "b", "a"]) {
      const provider = new ScriptedProvider(answers(1), { model });
      const { error } = await new Robota({ provider, plugins: [limits] }).run("go");
      results.push(error === undefined);
    }
    expect(results).toEqual([true, true, false]);
  });

  it("count every provider call of a run", async () => {
    const tool = createFunctionTool("t", "Nothing", { type: "object" }, async () => "");
    const calls = { toolCalls: [{ name: "t", args: {} }] };
    const provider = new ScriptedProvider([calls, calls, { text: "done" }]);
    const plugins = [new LimitsPlugin({ requests: 3 })];
    const agent = new Robota({ provider, tools: [tool], plugins });
    expect((await agent.run("go")).text).toBe("done");
    expect((await agent.run("more")).error).toBeInstanceOf(RateLimitError);
  });

  it("limit dollars per period, including those of failed runs", async () => {
    const clock = handClock();
    const spent = { usage: { inputTokens: 600_000 } };
    const tool = createFunctionTool("t", "Nothing", { type: "object" }, async () => "");
    const provider = new ScriptedProvider(
      [{ ...spent, toolCalls: [{ name: "t", args: {} }] }, { error: "down" }, { text: "ok" }],
      { model: "claude-haiku-4-5" },
    );
    const plugins = [new LimitsPlugin({ cost: 0.5, windowMs: 86_400_000, now: clock.now })];
    const agent = new Robota({ provider, tools: [tool], plugins, contextWindow: 1e9 });
    await agent.run("fails");
    expect((await agent.run("refused")).error).toMatchObject({
      message: "The limit of 0.5 US dollars in 86400 s is reached",
      retryAfterMs: 86_400_000,
    });
    clock.pass(86_400_000);
    expect((await agent.run("next day")).text).toBe("ok");
  });

  it("refuse a request that can never fit, permanently", async () => {
    const long = "x".repeat(100);
    const never = { code: "LIMIT_EXCEEDED", recoverable: false };
    expect((await agentWith({ tokens: 49 }).agent.run(long)).error).toMatchObject(never);
    expect((await agentWith({ tokens: 50 }).agent.run(long)).text).toBe("ok");
    expect((await agentWith({ costPerRun: 0.000049 }).agent.run(long)).error).toMatchObject(never);
    expect((await agentWith({ costPerRun: 0.000051 }).agent.run(long)).text).toBe("ok");
  });

  it("end a run that has spent its dollars before a retry", async () => {
    const tool = createFunctionTool("t", "Nothing", { type: "object" }, async () => "");
    const provider = new ScriptedProvider(
      [
        { usage: { inputTokens: 1_000_000 }, toolCalls: [{ name: "t", args: {} }] },
        { error: "down" },
        { text: "late" },
      ],
      { model: "claude-haiku-4-5" },
    );
    const retry: Plugin = {
      name: "retry",
      category: "error_handling",
      onError: () => ({ retryAfterMs: 1 }),
    };
    const plugins = [new LimitsPlugin({ costPerRun: 0.9 }), retry];
    const agent = new Robota({ provider, tools: [tool], plugins, contextWindow: 1e9 });
    expect((await agent.run("go")).error).toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect(provider.remaining).toBe(1);
  });

  it("need the prices of a model", async () => {
    const { error } = await agentWith({ cost: 1 }, answers(1), "homegrown").agent.run("go");
    expect(error).toBeInstanceOf(ConfigurationError);
    const free = {
      id: "homegrown",
      name: "Own",
      contextWindow: 9,
      maxOutput: 9,
      prices: { input: 0, output: 0 },
    };
    const known = agentWith({ cost: 1, models: [free] }, answers(1), "homegrown");
    expect((await known.agent.run("go")).text).toBe("ok");
  });

  it("release the reservation of a run that another plugin refused", async () => {
    let isOpen = false;
    const gate: Plugin = {
      name: "gate",
      category: "custom",
      priority: "low",
      beforeRun: () => (isOpen ? undefined : { refuse: new ValidationError("closed") }),
    };
    const provider = new ScriptedProvider(answers(2));
    const agent = new Robota({ provider, plugins: [new LimitsPlugin({ requests: 1 }), gate] });
    for (const input of ["1", "2", "3"])
      expect((await agent.run(input)).error).toBeInstanceOf(ValidationError);
    isOpen = true;
    expect((await agent.run("4")).text).toBe("ok");
    expect((await agent.run("5")).error).toBeInstanceOf(RateLimitError);
  });

  it("must be positive", () => {
    for (const wrong of [{ requests: 0 }, { tokens: -1 }, { cost: Number.NaN }, { windowMs: 0 }])
      expect(() => new LimitsPlugin(wrong)).toThrow(ConfigurationError);
  });
});
