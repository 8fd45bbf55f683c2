import { expect, it } from "vitest";
import { Robota } from "../agent/robota.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { durationStats, PerformancePlugin } from "./performance-plugin.ts";

it("measures runs, their first text and tools", async () => {
  const slow = createFunctionTool("slow", "Waits", { type: "object" }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return "done";
  });
  const plugin = new PerformancePlugin();
  const provider = new ScriptedProvider(
    [
      { toolCalls: [{ id: "1", name: "slow", args: {} }] },
      { deltas: ["a", "b"], delayMs: 20 },
      { error: "down" },
    ],
    { model: "m" },
  );
  const agent = new Robota({ provider, tools: [slow], plugins: [plugin] });
  await agent.run("go");
  await agent.run("fail");

  const { runs, firstText, byModel, byTool, memory } = await plugin.summary();
  expect(byTool["slow"]?.p50).toBeGreaterThan(25);
  expect(runs).toMatchObject({ count: 2 });
  expect(runs?.max).toBeGreaterThan(60);
  expect(byModel["m"]).toEqual(runs);
  // Only the first run had text, after its tool and before its end.
  expect(firstText?.count).toBe(1);
  expect(firstText?.p50).toBeGreaterThan(45);
  expect(firstText?.p50).toBeLessThan(runs?.max ?? 0);
  expect(memory).toBeUndefined();
});

it("reports memory on hosts that measure it", async () => {
  const bytes = [100, 300, 200];
  const plugin = new PerformancePlugin({ memory: () => bytes.shift() });
  const provider = new ScriptedProvider([{ text: "1" }, { text: "2" }, { text: "3" }]);
  const agent = new Robota({ provider, plugins: [plugin] });
  for (const input of ["a", "b", "c"]) await agent.run(input);
  expect((await plugin.summary()).memory).toEqual({ lastBytes: 200, maxBytes: 300 });
});

it("reports nothing without runs", async () => {
  expect(await new PerformancePlugin().summary()).toEqual({ byModel: {}, byTool: {} });
});

it("reports percentiles that are observed values", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(durationStats(hundred)).toEqual({
    count: 100,
    min: 1,
    mean: 50.5,
    p50: 50,
    p95: 95,
    max: 100,
  });
  expect(durationStats([7])).toMatchObject({ p50: 7, p95: 7 });
  expect(durationStats([1, 2, 3])).toMatchObject({ p50: 2, p95: 3 });
  expect(durationStats([])).toBeUndefined();
});
