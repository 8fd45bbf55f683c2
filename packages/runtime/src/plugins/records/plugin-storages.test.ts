import { expect, it } from "vitest";
import { Robota } from "../../agent/robota.ts";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { MemoryStorage } from "../../virtual/memory-storage.ts";
import { ConversationHistoryPlugin } from "../conversation-history-plugin.ts";
import { ExecutionAnalyticsPlugin } from "../execution-analytics-plugin.ts";
import { LoggingPlugin } from "../logging-plugin.ts";
import { PerformancePlugin } from "../performance-plugin.ts";
import type { Plugin } from "../plugin.ts";
import { UsagePlugin } from "../usage-plugin.ts";
import { recordsBetween } from "./record-store.ts";
import { StorageRecordStore } from "./storage-record-store.ts";

const kept: [string, number, (storage: MemoryStorage) => Plugin][] = [
  ["usage", 1, (storage) => new UsagePlugin({ storage: open(storage) })],
  ["performance", 1, (storage) => new PerformancePlugin({ storage: open(storage) })],
  ["execution-analytics", 1, (storage) => new ExecutionAnalyticsPlugin({ storage: open(storage) })],
  ["logging", 2, (storage) => new LoggingPlugin({ storage: open(storage) })],
  [
    "conversation-history",
    2,
    (storage) => new ConversationHistoryPlugin({ storage: open(storage), waitForStorage: false }),
  ],
];

function open<Item>(storage: MemoryStorage): StorageRecordStore<Item> {
  return new StorageRecordStore<Item>(storage, "records", { intervalMs: 60_000 });
}

it.each(kept)(
  "the %s plugin stores its records when its agent is disposed",
  async (_, count, create) => {
    const storage = new MemoryStorage();
    const provider = new ScriptedProvider([{ text: "ok" }]);
    const agent = new Robota({ provider, plugins: [create(storage)] });
    await agent.run("go");
    expect(await recordsBetween(open<{ time: number }>(storage))).toEqual([]);
    await agent.dispose();
    expect(await recordsBetween(open<{ time: number }>(storage))).toHaveLength(count);
  },
);
