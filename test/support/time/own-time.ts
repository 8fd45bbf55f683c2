import { expect } from "vitest";

/*
 * Time as a test may bound it: measured in what the same machine does meanwhile, so that other work on it, which slows
 * both down, fails no test.
 */

const TURN_MS = 4;

/** A clock that stands still while this thread has no turn. */
export interface TurnClock extends Disposable {
  /** The milliseconds since its beginning, for as many as the event loop had its turns. */
  ms(): number;
}

/** Starts a clock for what waits: it counts the turns of this event loop, and work of more than a turn as one turn. */
export function turnClock(): TurnClock {
  let turns = 0;
  const interval = setInterval(() => (turns += 1), TURN_MS);
  return { ms: () => turns * TURN_MS, [Symbol.dispose]: () => clearInterval(interval) };
}

/** Pieces of work between which others have their turns. */
const PIECES = 12;
const ROUNDS = 1_500_000;
/** The time for them together where nothing else runs. */
const CALM_MS = 60;
/** One of this many has to be in time: other load on the machine is uneven. */
const ATTEMPTS = 3;

/** How long the same work takes now: the busier or slower the machine, the longer it and anything else take. */
async function yardstick(): Promise<number> {
  const started = performance.now();
  let sum = 0;
  for (let piece = 0; piece < PIECES; piece++) {
    for (let round = 0; round < ROUNDS; round++) sum = (sum * 31 + round) | 0;
    await turn();
  }
  expect(Number.isInteger(sum)).toBe(true);
  return performance.now() - started;
}

/** Also lets the clock move on hosts where it stands still while they compute. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Expects at best of some attempts to measure less than `ms` milliseconds, or no more than that many would be on a calm
 * machine.
 */
export async function expectAtBest(ms: number, attempt: () => Promise<number>): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  let before = 0;
  for (let count = 0; count < ATTEMPTS && best >= ms; count++) {
    const measured = await attempt();
    if (measured < ms) return;
    const now = await yardstick();
    best = Math.min(best, (measured / Math.max(before, now)) * CALM_MS);
    before = now;
  }
  expect(best).toBeLessThan(ms);
}

/** Expects `act`, which computes, to take less than `ms` milliseconds, as long as they would be on a calm machine. */
export function expectWithin(ms: number, act: () => unknown): Promise<void> {
  return expectAtBest(ms, async () => {
    await turn();
    const started = performance.now();
    await act();
    await turn();
    return performance.now() - started;
  });
}

/** Rounds that always count, and as many as there may be where the machine is busy. */
const FEW_ROUNDS = 5;
const MANY_ROUNDS = 60;
/** The least time of a round: some hosts' clocks move in whole milliseconds. */
const ROUND_MS = 25;

/**
 * Expects `act` to take less than `limit` times as long as `base`. Both run in turns, and the least time of each counts:
 * other work only makes a time longer, so that more rounds come closer to what both really cost.
 */
export async function expectRatio(
  limit: number,
  act: () => Promise<unknown>,
  base: () => Promise<unknown>,
): Promise<void> {
  let times = 1;
  let least = await timesOf(act, base, times);
  for (let round = 1; round <= MANY_ROUNDS; round++) {
    const next = await timesOf(act, base, times);
    least = { act: Math.min(least.act, next.act), base: Math.min(least.base, next.base) };
    if (least.base < ROUND_MS) {
      // Only the least time tells how long it is: a first one has other work in it.
      times *= 2;
      least = await timesOf(act, base, times);
    } else if (round >= FEW_ROUNDS && least.act / least.base < limit) return;
  }
  expect(least.act / least.base).toBeLessThan(limit);
}

interface Times {
  act: number;
  base: number;
}

async function timesOf(
  act: () => Promise<unknown>,
  base: () => Promise<unknown>,
  times: number,
): Promise<Times> {
  return { act: await timeOf(act, times), base: await timeOf(base, times) };
}

async function timeOf(act: () => Promise<unknown>, times: number): Promise<number> {
  await turn();
  const started = performance.now();
  for (let time = 0; time < times; time++) await act();
  await turn();
  return performance.now() - started;
}
