import { assert } from "../contract.ts";

/** The promise of every shell: a command ends within this time, on a machine that has nothing else to do. */
const PROMISED_MS = 250;
/** Most of the attempts must keep it: a shell that is late often fails, and other programs may disturb a few. */
const ATTEMPTS = 5;
const IN_TIME = 3;
/** The time for `ownWork` on a machine that has nothing else to do. */
const OWN_WORK_MS = 60;

/**
 * Asserts that most attempts take at most the promised 250 ms, or as long as those are on a busy or slow machine: a late
 * attempt is compared with a fixed piece of work, measured right before and after it.
 */
export async function assertPrompt(attempt: () => Promise<number>, what: string): Promise<void> {
  const late: string[] = [];
  let inTime = 0;
  let before = OWN_WORK_MS;
  while (inTime < IN_TIME) {
    const latency = await attempt();
    if (latency <= PROMISED_MS) {
      inTime += 1;
      continue;
    }
    const after = await ownWork();
    const slowness = Math.max(1, before / OWN_WORK_MS, after / OWN_WORK_MS);
    before = after;
    if (latency <= PROMISED_MS * slowness) inTime += 1;
    else late.push(`${Math.round(latency)} ms (machine ${slowness.toFixed(1)} x slower)`);
    const limit = `${what} ended late more often than ${ATTEMPTS - IN_TIME} times`;
    assert(late.length <= ATTEMPTS - IN_TIME, `${limit}: after ${late.join(", ")}`);
  }
}

/** Milliseconds for a fixed piece of work with pauses: whatever else the machine does makes it longer, as it does an attempt. */
async function ownWork(): Promise<number> {
  const started = performance.now();
  let sum = 0;
  for (let piece = 0; piece < 12; piece++) {
    for (let round = 0; round < 1_500_000; round++) sum = (sum * 31 + round) | 0;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  assert(Number.isInteger(sum), "the work has a result");
  return performance.now() - started;
}
