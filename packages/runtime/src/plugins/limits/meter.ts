/** The algorithm that counts usage over time. */
export type LimitStrategy = "token-bucket" | "sliding-window" | "fixed-window";

/** Replaces a reservation by the real amount. Called at most once. */
export type Settle = (amount: number, now: number) => void;

/** Counts one kind of thing against a limit. All times are milliseconds of one clock that only goes forward. */
export interface Meter {
  /** Milliseconds until `amount` fits: 0 when it does, `Infinity` when it never will. */
  wait(amount: number, now: number): number;
  /** Counts `amount`, whether it fits or not. */
  take(amount: number, now: number): Settle;
  /** True when no reservation counts any more. */
  isIdle(now: number): boolean;
}

export function createMeter(strategy: LimitStrategy, limit: number, windowMs: number): Meter {
  switch (strategy) {
    case "token-bucket":
      return tokenBucket(limit, windowMs);
    case "sliding-window":
      return slidingWindow(limit, windowMs);
    case "fixed-window":
      return fixedWindow(limit, windowMs);
  }
}

/** Tolerance relative to a bucket's size, for rounding errors. */
const ROUNDING = 1e-9;

/** Holds up to `limit` and fills again evenly, a whole one in `windowMs`. Taking more than there is makes it wait longer. */
function tokenBucket(limit: number, windowMs: number): Meter {
  const rate = limit / windowMs;
  let level = limit;
  let filledAt = -Infinity;
  const fill = (now: number): void => {
    level = Math.min(limit, level + Math.max(0, now - filledAt) * rate);
    filledAt = Math.max(filledAt, now);
  };
  return {
    wait(amount, now) {
      if (amount > limit) return Infinity;
      fill(now);
      const missing = amount - level;
      return missing <= limit * ROUNDING ? 0 : missing / rate;
    },
    take(amount, now) {
      fill(now);
      level -= amount;
      return (actual, later) => {
        fill(later);
        level = Math.min(limit, level + amount - actual);
      };
    },
    isIdle(now) {
      fill(now);
      return level >= limit;
    },
  };
}

/** Counts the usage of the last `windowMs` at every moment: no span of that length ever exceeds the limit. */
function slidingWindow(limit: number, windowMs: number): Meter {
  let entries: { time: number; amount: number }[] = [];
  const expire = (now: number): void => {
    entries = entries.filter(({ time }) => now - time < windowMs);
  };
  return {
    wait(amount, now) {
      if (amount > limit) return Infinity;
      expire(now);
      let surplus = entries.reduce((sum, entry) => sum + entry.amount, amount) - limit;
      let freeAt = now;
      for (const entry of entries) {
        if (surplus <= 0) break;
        surplus -= entry.amount;
        freeAt = entry.time + windowMs;
      }
      return freeAt - now;
    },
    take(amount, now) {
      const entry = { time: now, amount };
      entries.push(entry);
      return (actual) => {
        entry.amount = actual;
      };
    },
    isIdle(now) {
      expire(now);
      return entries.length === 0;
    },
  };
}

/**
 * Restarts from zero `windowMs` after the first reservation. Corrections count in the window of their reservation. Two
 * windows may meet in a burst of twice the limit.
 */
function fixedWindow(limit: number, windowMs: number): Meter {
  let beginsAt = -Infinity;
  let count = 0;
  const turn = (now: number): void => {
    if (now - beginsAt < windowMs) return;
    beginsAt = now;
    count = 0;
  };
  return {
    wait(amount, now) {
      if (amount > limit) return Infinity;
      turn(now);
      return count + amount <= limit ? 0 : beginsAt + windowMs - now;
    },
    take(amount, now) {
      turn(now);
      count += amount;
      const window = beginsAt;
      return (actual) => {
        if (window === beginsAt) count += actual - amount;
      };
    },
    isIdle: (now) => now - beginsAt >= windowMs,
  };
}
