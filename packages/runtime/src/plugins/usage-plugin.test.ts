import { expect, it } from "vitest";
import { Robota } from "../agent/robota.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { MemoryStorage } from "../virtual/memory-storage.ts";
import { StorageRecordStore } from "./records/storage-record-store.ts";
import { UsagePlugin, type UsageRecord } from "./usage-plugin.ts";

const echo = createFunctionTool("echo", "Says it again", { type: "object" }, async () => "again");
const callsEcho = (id: string, name = "echo"): object => ({ toolCalls: [{ id, name, args: {} }] });
/** Large enough never to fill. */
const contextWindow = 1e9;
const tokens = (inputTokens: number, outputTokens = 0): object => ({
  usage: { inputTokens, outputTokens },
});

it("sums tokens, dollars and calls, per model and per tool", async () => {
  const usage = new UsagePlugin();
  const haiku = new ScriptedProvider(
    [
      { ...callsEcho("1"), ...tokens(600_000) },
      { ...callsEcho("2", "missing"), ...tokens(400_000) },
      { text: "done", ...tokens(0, 100_000) },
    ],
    { model: "claude-haiku-4-5" },
  );
  const unknown = new ScriptedProvider([{ text: "hi", ...tokens(5) }], { model: "homegrown" });
  await new Robota({ provider: haiku, tools: [echo], plugins: [usage], contextWindow }).run("go");
  await new Robota({ provider: unknown, plugins: [usage] }).run("go");

  const summary = await usage.summary();
  expect(summary).toMatchObject({
    runs: 2,
    rounds: 4,
    tokens: { inputTokens: 1_000_005, outputTokens: 100_000 },
    unpriced: 1,
    byModel: { "claude-haiku-4-5": { runs: 1, unpriced: 0 }, homegrown: { cost: 0, unpriced: 1 } },
    byTool: { echo: { calls: 1, failures: 0 }, missing: { calls: 1, failures: 1 } },
  });
  expect(summary.cost).toBeCloseTo(1.5, 9);
});

it("uses the given prices, and counts failed attempts", async () => {
  const prices = { input: 2, output: 0 };
  const usage = new UsagePlugin({
    models: [{ id: "homegrown", name: "Own", contextWindow: 9, maxOutput: 9, prices }],
  });
  const provider = new ScriptedProvider(
    [{ ...callsEcho("1"), ...tokens(500_000) }, { error: "down" }],
    { model: "homegrown" },
  );
  await new Robota({ provider, tools: [echo], plugins: [usage], contextWindow }).run("go");
  expect(await usage.summary()).toMatchObject({ runs: 1, rounds: 2, cost: 1, unpriced: 0 });
});

it("aggregates windows and periods", async () => {
  let time = 0;
  const usage = new UsagePlugin({ now: () => time });
  const provider = new ScriptedProvider(
    [1, 2, 4].map((count) => ({ text: "x", ...tokens(count) })),
  );
  const agent = new Robota({ provider, plugins: [usage] });
  for (const at of [10, 999, 3000]) {
    time = at;
    await agent.run("go");
  }
  const windows = await usage.windows(1000);
  expect(windows.map(({ from, runs, tokens: sum }) => [from, runs, sum.inputTokens])).toEqual([
    [0, 2, 3],
    [3000, 1, 4],
  ]);
  expect((await usage.summary({ from: 999, to: 3000 })).tokens.inputTokens).toBe(2);
});

it("continues after a restart from its storage", async () => {
  const storage = new MemoryStorage();
  for (const count of [1, 2]) {
    const store = new StorageRecordStore<UsageRecord>(storage, "plugins/usage");
    const usage = new UsagePlugin({ storage: store });
    const provider = new ScriptedProvider([{ text: "x", ...tokens(count) }]);
    const agent = new Robota({ provider, plugins: [usage] });
    await agent.run("go");
    await agent.dispose();
  }
  const reopened = new UsagePlugin({
    storage: new StorageRecordStore(new MemoryStorage({ sharedWith: storage }), "plugins/usage"),
  });
  expect(await reopened.summary()).toMatchObject({ runs: 2, tokens: { inputTokens: 3 } });
});
