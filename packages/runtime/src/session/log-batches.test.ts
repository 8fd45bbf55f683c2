import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MemoryStorage } from "../virtual/memory-storage.ts";
import { decodeRecord } from "./codec.ts";
import { SessionLog } from "./log.ts";

class CountedStorage extends MemoryStorage {
  /** Of each append: how many words it made durable. */
  readonly appends: number[] = [];

  override async append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    this.appends.push(entries.flatMap((entry) => decodeRecord(entry, "s")).length);
    return super.append(log, entries);
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

it("makes streamed words durable in batches, the oldest of each after 100 ms", async () => {
  const storage = new CountedStorage();
  const log = new SessionLog({ sessionId: "s", storage, now: () => 0 });
  const say = (): void => log.stream({ type: "text_delta", messageId: "m", delta: "word " });
  say();
  await vi.advanceTimersByTimeAsync(99);
  say();
  expect(storage.appends).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(storage.appends).toEqual([2]);
  // A thousand words within a second are ten writes, and no word is written twice.
  for (let word = 0; word < 1_000; word++) {
    say();
    await vi.advanceTimersByTimeAsync(1);
  }
  await vi.advanceTimersByTimeAsync(100);
  expect(storage.appends.length).toBeLessThanOrEqual(12);
  expect(storage.appends.reduce((sum, words) => sum + words, 0)).toBe(1_002);
  // Nothing is written when nothing is said.
  const { length } = storage.appends;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(storage.appends).toHaveLength(length);
  log.close();
});
