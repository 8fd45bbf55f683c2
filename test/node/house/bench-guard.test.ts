import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, stop } from "../../bench/peers/processes.ts";
import { relative } from "../../bench/peers/report.ts";
import { measure, type Samples } from "../../bench/peers/rounds.ts";
import { quantile } from "../../bench/peers/statistics.ts";

/**
 * The short form of the bench: what must not slip in unseen, such as work for each message of the history, or for each
 * round of tools what once would do. Ratios to the bare SDK in the same rounds, and the better round counts: noise
 * only makes a ratio larger, and the limits are about twice what is usual.
 */
describe("CPU time beside the bare SDK", () => {
  let samples: Samples;
  let server: Awaited<ReturnType<typeof startServer>>["server"] | undefined;

  beforeAll(async () => {
    const started = await startServer();
    ({ server } = started);
    samples = await measure({
      wire: "anthropic",
      adapters: ["sdk", "robota", "session-memory"],
      scenarios: ["tool", "history"],
      rounds: 2,
      root: started.root,
    });
  });

  afterAll(async () => {
    if (server) await stop(server);
  });

  it.each([
    ["tool", "robota", 2.2],
    ["tool", "session-memory", 3.4],
    ["history", "robota", 1.8],
    ["history", "session-memory", 2.2],
  ] as const)("%s: %s costs at most %d times as much", (scenario, adapter, limit) => {
    const ratios = relative([samples], scenario, adapter, "sdk");
    expect(ratios).toHaveLength(2);
    expect(quantile(ratios, 0)).toBeLessThan(limit);
  });
});
