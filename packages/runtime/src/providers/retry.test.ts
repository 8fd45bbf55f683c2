import { describe, expect, it } from "vitest";
import { ProviderError } from "../errors.ts";
import {
  type AttemptOutcome,
  backoff,
  isRetryableStatus,
  type Retry,
  retryAfter,
  withRetries,
} from "./retry.ts";
import { turnClock } from "../../../../test/support/time/own-time.ts";

const error = new ProviderError("busy", { provider: "test" });
const failed: AttemptOutcome<string> = { error, retry: true };

/** Runs the attempts in order and returns the delays between them. */
async function waits(
  attempts: AttemptOutcome<string>[],
  maxRetries?: number,
): Promise<{ waited: number[]; outcome: unknown; left: number }> {
  const waited: number[] = [];
  const rest = [...attempts];
  const outcome = await withRetries(() => Promise.resolve(rest.shift() ?? failed), {
    maxRetries,
    random: () => 0,
    sleep: (ms) => {
      waited.push(ms);
      return Promise.resolve();
    },
  }).catch((reason: unknown) => reason);
  return { waited, outcome, left: rest.length };
}

describe("retries", () => {
  it("double their delay up to 8 s, and give up with the last error", async () => {
    expect(await waits([], 7)).toEqual({
      waited: [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000],
      outcome: error,
      left: 0,
    });
  });

  it("are three by default", async () => {
    expect((await waits([])).waited).toHaveLength(3);
    expect((await waits([], 0)).waited).toHaveLength(0);
  });

  it("end with the first answer", async () => {
    expect(await waits([failed, { value: "answer" }, failed])).toMatchObject({
      outcome: "answer",
      left: 1,
    });
  });

  it("wait as long as the service asks, up to a minute", async () => {
    expect((await waits([{ ...failed, retryAfterMs: 60_000 }, { value: "a" }])).waited).toEqual([
      60_000,
    ]);
    expect(await waits([{ ...failed, retryAfterMs: 60_001 }, { value: "a" }])).toEqual({
      waited: [],
      outcome: error,
      left: 1,
    });
  });

  it("never follow a permanent failure", async () => {
    expect((await waits([{ error, retry: false }, { value: "a" }])).left).toBe(1);
  });

  it("are announced before each wait, and not after the last attempt", async () => {
    const announced: Retry[] = [];
    const sleep = (): Promise<void> => Promise.resolve();
    const options = { maxRetries: 2, random: () => 0, sleep };
    const onRetry = (retry: Retry): number => announced.push(retry);
    const outcome = withRetries(() => Promise.resolve(failed), { ...options, onRetry });
    await expect(outcome).rejects.toBe(error);
    expect(announced).toEqual([
      { retry: 1, of: 2, waitMs: 500, error },
      { retry: 2, of: 2, waitMs: 1_000, error },
    ]);
  });

  it("end on abort", async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    using clock = turnClock();
    const outcome = withRetries(() => Promise.resolve({ ...failed, retryAfterMs: 30_000 }), {
      signal: abort.signal,
    });
    await expect(outcome).rejects.toMatchObject({ name: "AbortError" });
    expect(clock.ms()).toBeLessThan(500);
  });

  it("are jittered by up to a quarter, so that clients do not return together", () => {
    expect(backoff(2, () => 0)).toBe(2_000);
    expect(backoff(2, () => 0.999)).toBeGreaterThan(1_500);
    expect(backoff(60, () => 0)).toBe(8_000);
  });
});

describe("the delay requested by a service", () => {
  const now = Date.parse("2026-11-21T10:00:00Z");
  const asked = (headers: Record<string, string>): number | undefined =>
    retryAfter(new Headers(headers), () => now);

  it.each([
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9_000],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after": " 2 " }, 2_000],
    [{ "retry-after": "Sat, 21 Nov 2026 10:00:30 GMT" }, 30_000],
    [{ "retry-after": "1000000000" }, 1e12],
  ])("is read from %j", (headers, ms) => {
    expect(asked(headers)).toBe(ms);
  });

  it.each(["0", "-5", "NaN", "Infinity", "1e400", "soon", "", "Sat, 21 Nov 2026 09:00:00 GMT"])(
    "is none when it says %j",
    (value) => {
      expect(asked({ "retry-after": value })).toBeUndefined();
      expect(asked({ "retry-after-ms": value })).toBeUndefined();
    },
  );
});

it("obeys the service's own flag for retries over its status", () => {
  const retried = [200, 400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 503, 529].filter(
    (status) => isRetryableStatus(status),
  );
  expect(retried).toEqual([408, 409, 429, 500, 503, 529]);
  expect(isRetryableStatus(500, new Headers({ "x-should-retry": "false" }))).toBe(false);
  expect(isRetryableStatus(400, new Headers({ "x-should-retry": "true" }))).toBe(true);
});
