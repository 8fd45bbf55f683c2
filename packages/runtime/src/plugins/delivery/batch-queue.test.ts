import { describe, expect, it } from "vitest";
import { StorageError, ValidationError } from "../../errors.ts";
import { type LogData, type Logger, SilentLogger } from "../logger.ts";
import { BatchQueue, type BatchQueueOptions } from "./batch-queue.ts";
import { turnClock } from "../../../../../test/support/time/own-time.ts";

/** A receiver that records batches and fails on request; a queue takes its `send`. */
class Receiver {
  readonly batches: number[][] = [];
  /** Thrown in turn, one for each delivery; `undefined` takes it. */
  failures: unknown[] = [];
  hold: Promise<void> | undefined;

  send = async (batch: readonly number[]): Promise<void> => {
    await this.hold;
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    this.batches.push([...batch]);
  };
}

function queueOf(receiver: Receiver, options: BatchQueueOptions = {}): BatchQueue<number> {
  return new BatchQueue("The queue", receiver.send, { logger: new SilentLogger(), ...options });
}

const busy = (): StorageError => new StorageError("IO", "busy");

describe("a batch queue", () => {
  it("delivers items in order, in batches, within a short time", async () => {
    const receiver = new Receiver();
    const queue = queueOf(receiver, { maxBatch: 3, intervalMs: 10 });
    for (const item of [1, 2, 3, 4, 5, 6, 7]) queue.add(item);
    await expect.poll(() => receiver.batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    queue.add(8);
    await expect.poll(() => receiver.batches.at(-1)).toEqual([8]);
    expect(queue.dropped).toBe(0);
  });

  it("flushes all items added so far, also during a delivery", async () => {
    const receiver = new Receiver();
    let release = (): void => {};
    receiver.hold = new Promise((resolve) => (release = resolve));
    const queue = queueOf(receiver, { intervalMs: 60_000 });
    queue.add(1);
    const first = queue.flush();
    queue.add(2);
    const second = queue.flush();
    release();
    await Promise.all([first, second]);
    expect(receiver.batches).toEqual([[1], [2]]);
    await queue.flush();
    expect(receiver.batches).toHaveLength(2);
  });

  it("keeps items after a failed delivery, notifies waiting callers, and retries", async () => {
    const receiver = new Receiver();
    const failure = busy();
    receiver.failures = [failure, busy()];
    const queue = queueOf(receiver, { intervalMs: 5 });
    queue.add(1);
    await expect(queue.flush()).rejects.toBe(failure);
    queue.add(2);
    await expect.poll(() => receiver.batches).toEqual([[1, 2]]);
    expect(queue.dropped).toBe(0);
  });

  it("drops permanently refused items, and continues with the rest", async () => {
    const receiver = new Receiver();
    const refusal = new ValidationError("not like this");
    receiver.failures = [refusal];
    const reported: [string, LogData | undefined][] = [];
    const logger: Logger = Object.assign(new SilentLogger(), {
      error: (message: string, data?: LogData) => reported.push([message, data]),
    });
    const queue = queueOf(receiver, { maxBatch: 2, intervalMs: 60_000, logger });
    for (const item of [1, 2, 3]) queue.add(item);
    await expect(queue.flush()).rejects.toBe(refusal);
    expect([receiver.batches, queue.dropped]).toEqual([[[3]], 2]);
    expect(reported).toMatchObject([
      ["The queue drops entries", { count: 2, code: "VALIDATION_ERROR" }],
    ]);
  });

  it("is bounded, and drops the oldest items", async () => {
    const receiver = new Receiver();
    const queue = queueOf(receiver, { capacity: 3, intervalMs: 60_000 });
    for (const item of [1, 2, 3, 4, 5]) queue.add(item);
    await queue.flush();
    expect([receiver.batches, queue.dropped]).toEqual([[[3, 4, 5]], 2]);
  });

  it.each([
    { maxBatch: 0 },
    { capacity: 0 },
    { intervalMs: -1 },
    { maxBatch: Number.NaN },
    { closeTimeoutMs: Number.NaN },
  ])("refuses limits that it could not work with: %o", (options) => {
    const [name = ""] = Object.keys(options);
    expect(() => queueOf(new Receiver(), options)).toThrow(
      expect.objectContaining({
        code: "CONFIGURATION_ERROR",
        message: expect.stringContaining(name),
      }),
    );
  });

  it("closes within its time limit, counts lost items, and stays usable", async () => {
    const receiver = new Receiver();
    receiver.hold = new Promise(() => {});
    const queue = queueOf(receiver, { intervalMs: 60_000, closeTimeoutMs: 20 });
    queue.add(1);
    queue.add(2);
    using clock = turnClock();
    await expect(queue.close()).rejects.toMatchObject({
      code: "IO",
      message: "The queue lost 2 entries that it could not deliver",
    });
    expect(clock.ms()).toBeLessThan(1000);
    expect(queue.dropped).toBe(2);
    receiver.hold = undefined;
    queue.add(3);
    await queue.close();
    expect(receiver.batches).toEqual([[3]]);
  });
});
