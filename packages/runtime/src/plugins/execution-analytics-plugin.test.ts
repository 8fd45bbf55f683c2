import { expect, it } from "vitest";
import { Robota } from "../agent/robota.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { ErrorHandlingPlugin } from "./error-handling/error-handling-plugin.ts";
import { ExecutionAnalyticsPlugin } from "./execution-analytics-plugin.ts";
import { LimitsPlugin } from "./limits/limits-plugin.ts";
import { SilentLogger } from "./logger.ts";

it("counts each run once by the end of its last attempt", async () => {
  const analytics = new ExecutionAnalyticsPlugin();
  const provider = new ScriptedProvider([
    { error: "down" },
    { text: "up again" },
    { text: "fine" },
    { error: "down" },
    { error: "down" },
    { delayMs: Infinity, text: "late" },
  ]);
  const agent = new Robota({
    provider,
    plugins: [
      analytics,
      new LimitsPlugin({ requests: 6 }),
      new ErrorHandlingPlugin({
        strategy: "exponential-backoff",
        maxAttempts: 2,
        firstDelayMs: 1,
        logger: new SilentLogger(),
      }),
    ],
  });
  await agent.run("retried");
  await agent.run("fine");
  await agent.run("fails twice");
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 5);
  await agent.run("stopped", { signal: stop.signal });
  await agent.run("refused");

  const { runs, retries, byModel } = await analytics.summary();
  expect(runs).toEqual({
    count: 5,
    outcomes: { success: 2, error: 1, interrupted: 1, refused: 1 },
    errorCodes: { PROVIDER_ERROR: 1, RATE_LIMIT_ERROR: 1 },
    successRate: 2 / 3,
  });
  expect(retries).toBe(2);
  expect(byModel["scripted"]).toEqual(runs);
});

it("counts a call refused by a plugin as refused, not as a failure of the tool", async () => {
  const analytics = new ExecutionAnalyticsPlugin();
  const look = createFunctionTool("look", "Looks", { type: "object" }, async () => "seen");
  const provider = new ScriptedProvider([
    { toolCalls: [{ name: "look", args: {} }] },
    { text: "done" },
  ]);
  const guard = {
    name: "guard",
    category: "custom",
    beforeToolExecution: () => ({ refuse: "not today" }),
  } as const;
  await new Robota({ provider, tools: [look], plugins: [analytics, guard] }).run("go");
  expect((await analytics.summary()).byTool["look"]).toEqual({
    count: 1,
    outcomes: { success: 0, error: 0, interrupted: 0, refused: 1 },
    errorCodes: { plugin_refused: 1 },
  });
});

it("counts tools by name", async () => {
  const analytics = new ExecutionAnalyticsPlugin();
  const flaky = createFunctionTool(
    "flaky",
    "Fails at times",
    { type: "object" },
    async ({ ok }) => {
      if (ok !== true) throw new Error("no");
      return "yes";
    },
  );
  const secret = createFunctionTool("secret", "Is denied", { type: "object" }, async () => "x");
  const calls = [true, false, true, true].map((ok) => ({ name: "flaky", args: { ok } }));
  const provider = new ScriptedProvider([
    { toolCalls: [...calls, { name: "secret", args: {} }] },
    { text: "done" },
  ]);
  const agent = new Robota({
    provider,
    tools: [flaky, secret],
    plugins: [analytics],
    authorize: ({ name }, _tool, args) =>
      name === "secret"
        ? { allow: false, content: "Denied.", errorCode: "permission_denied" }
        : { allow: true, args },
  });
  await agent.run("go");
  const { byTool } = await analytics.summary();
  expect(byTool).toMatchObject({
    flaky: { count: 4, successRate: 0.75, errorCodes: { tool_failed: 1 } },
    secret: { count: 1, outcomes: { refused: 1, error: 0 } },
  });
  expect(byTool["secret"]).not.toHaveProperty("successRate");
});
