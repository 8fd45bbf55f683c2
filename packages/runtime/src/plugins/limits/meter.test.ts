import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMeter, type LimitStrategy, type Meter } from "./meter.ts";

const WINDOW_MS = 1000;
const STRATEGIES: readonly LimitStrategy[] = ["token-bucket", "sliding-window", "fixed-window"];

/** Takes when there is room, and says how long to wait otherwise. */
function tryTake(meter: Meter, amount: number, now: number): number {
  const wait = meter.wait(amount, now);
  if (wait === 0) meter.take(amount, now);
  return wait;
}

describe.each(STRATEGIES)("a %s", (strategy) => {
  it("admits requests up to the limit at once, and reports the time until there is room", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(
          fc.record({
            pause: fc.integer({ min: 0, max: 700 }),
            amount: fc.integer({ min: 1, max: 8 }),
          }),
        ),
        (limit, calls) => {
          const meter = createMeter(strategy, limit, WINDOW_MS);
          let now = 5;
          for (const { pause, amount } of calls) {
            now += pause;
            const wait = tryTake(meter, amount, now);
            if (wait === 0) continue;
            expect(wait === Infinity).toBe(amount > limit);
            if (wait === Infinity) continue;
            expect(wait).toBeLessThanOrEqual(WINDOW_MS);
            // Neither too early nor a moment too late.
            if (wait > 1) expect(meter.wait(amount, now + wait - 1)).toBeGreaterThan(0);
            expect(meter.wait(amount, now + wait)).toBe(0);
            now += wait;
            meter.take(amount, now);
          }
        },
      ),
    );
  });

  it("charges later requests for actual usage above or below the estimate", () => {
    const meter = createMeter(strategy, 10, WINDOW_MS);
    const settle = meter.take(1, 0);
    expect(meter.wait(9, 0)).toBe(0);
    settle(15, 0);
    expect(meter.wait(1, 0)).toBeGreaterThan(0);
    const other = createMeter(strategy, 10, WINDOW_MS);
    other.take(10, 0)(0, 0);
    expect(other.wait(10, 0)).toBe(0);
  });

  it("is idle when its whole limit is free", () => {
    const meter = createMeter(strategy, 2, WINDOW_MS);
    expect(meter.isIdle(0)).toBe(true);
    meter.take(1, 0);
    expect(meter.isIdle(100)).toBe(false);
    expect(meter.isIdle(WINDOW_MS)).toBe(true);
  });
});

it("a sliding window never exceeds its limit in any span of its length", () => {
  const meter = createMeter("sliding-window", 3, WINDOW_MS);
  const taken: number[] = [];
  for (let now = 0; now < 5000; now += 90) if (tryTake(meter, 1, now) === 0) taken.push(now);
  for (const start of taken) {
    const span = taken.filter((time) => time >= start && time < start + WINDOW_MS);
    expect(span.length).toBeLessThanOrEqual(3);
  }
  expect(taken.length).toBeGreaterThan(12);
});

it("a fixed window allows bursts at its boundary, and the others do not", () => {
  const counts = STRATEGIES.map((strategy) => {
    const meter = createMeter(strategy, 4, WINDOW_MS);
    return [0, 900, 900, 900, 1000, 1000, 1000, 1000].filter((now) => tryTake(meter, 1, now) === 0)
      .length;
  });
  expect(counts).toEqual([5, 5, 8]);
});

it("a bucket fills evenly", () => {
  const meter = createMeter("token-bucket", 10, WINDOW_MS);
  meter.take(10, 0);
  expect([meter.wait(1, 0), meter.wait(5, 0), meter.wait(5, 300)]).toEqual([100, 500, 200]);
});
