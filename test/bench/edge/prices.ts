// Cloudflare's price list for the worker, and what measured use costs by it.

/** The billed resources of one piece of work. */
export interface Use {
  worker: number;
  objects: number;
  rowsRead: number;
  rowsWritten: number;
  /** Milliseconds in which an object was at work. */
  objectMs: number;
  cpuMs: number;
}

/** Measured use. `bytes`: stored by it. */
export interface Costs {
  made: Use & { bytes: number };
  answered: Use & { bytes: number };
  withTools: Use & { bytes: number };
  looked: Use;
}

/** US dollars a month, and the amounts that are included. */
export const PRICES = {
  base: 5,
  workerRequests: { included: 10e6, perMillion: 0.3 },
  cpuMs: { included: 30e6, perMillion: 0.02 },
  objectRequests: { included: 1e6, perMillion: 0.15 },
  gigabyteSeconds: { included: 400_000, perMillion: 12.5 },
  rowsRead: { included: 25e9, perMillion: 0.001 },
  rowsWritten: { included: 50e6, perMillion: 1 },
  storedGigabytes: { included: 5, perMillion: 0.2e6 },
} as const;
const OBJECT_GIGABYTES = 0.128;
const LOOKS_PER_TURN = 5;

type Part = Exclude<keyof typeof PRICES, "base">;

/** Amounts of a month by the parts of the price list. */
export type Amounts = Record<Part, number>;

/** The price of a month in which `sessions` exist that were made in it. */
export function monthlyPrice(
  costs: Costs,
  month: { sessions: number; turns: number; modelSeconds: number },
): { total: number; parts: Record<string, number> } {
  const amounts = emptyAmounts();
  addUse(amounts, costs.made, month.sessions, costs.made.bytes);
  const turns = month.sessions * month.turns;
  addUse(amounts, costs.withTools, turns, costs.withTools.bytes);
  addUse(amounts, costs.looked, turns * LOOKS_PER_TURN);
  addWaiting(amounts, turns * month.modelSeconds);
  return priceOf(amounts);
}

/** Prints what a month of many sessions costs that are used unevenly. */
export function simulate(costs: Costs, sessions: number): string[] {
  const random = generator(1);
  const amounts = emptyAmounts();
  const turnsOf: number[] = [];
  for (let index = 0; index < sessions; index++) {
    addUse(amounts, costs.made, 1, costs.made.bytes);
    const turns = Math.min(2000, Math.floor(4 * Math.exp(1.4 * normal(random))));
    turnsOf.push(turns);
    for (let turn = 0; turn < turns; turn++) {
      const use = random() < 0.5 ? costs.answered : costs.withTools;
      addUse(amounts, use, 1, use.bytes);
      addUse(amounts, costs.looked, 1 + Math.floor(12 * random()));
      addWaiting(amounts, 2 + 58 * random() ** 3);
    }
  }
  const { total, parts } = priceOf(amounts);
  const sorted = turnsOf.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const turns = turnsOf.reduce((sum, count) => sum + count, 0);
  const show = (value: number): string => Math.round(value).toLocaleString("en");
  return [
    `sessions ${show(sessions)}, turns ${show(turns)} (median ${at(0.5)}, 90 % ${at(0.9)}, 99 % ${at(0.99)}, most ${at(1)})`,
    `worker requests ${show(amounts.workerRequests)}, object requests ${show(amounts.objectRequests)}`,
    `rows read ${show(amounts.rowsRead)}, rows written ${show(amounts.rowsWritten)}`,
    `object duration ${show(amounts.gigabyteSeconds)} GB-s, processor ${show(amounts.cpuMs / 1000)} s`,
    `stored ${amounts.storedGigabytes.toFixed(1)} GB`,
    ...Object.entries(parts).map(([name, price]) => `${name}: $${price.toFixed(2)}`),
    `a month: $${total.toFixed(2)}; a turn: $${(total / turns).toFixed(6)}; a session: $${(total / sessions).toFixed(5)}`,
  ];
}

function emptyAmounts(): Amounts {
  return {
    workerRequests: 0,
    cpuMs: 0,
    objectRequests: 0,
    gigabyteSeconds: 0,
    rowsRead: 0,
    rowsWritten: 0,
    storedGigabytes: 0,
  };
}

function addUse(amounts: Amounts, use: Use, times: number, bytes = 0): void {
  amounts.workerRequests += times * use.worker;
  amounts.cpuMs += times * use.cpuMs;
  amounts.objectRequests += times * use.objects;
  amounts.gigabyteSeconds += (times * use.objectMs * OBJECT_GIGABYTES) / 1000;
  amounts.rowsRead += times * use.rowsRead;
  amounts.rowsWritten += times * use.rowsWritten;
  amounts.storedGigabytes += (times * bytes) / 1e9;
}

function addWaiting(amounts: Amounts, seconds: number): void {
  amounts.gigabyteSeconds += seconds * OBJECT_GIGABYTES;
}

const NAMES: Readonly<Record<Part, string>> = {
  workerRequests: "requests to the worker",
  cpuMs: "processor time",
  objectRequests: "requests to objects",
  gigabyteSeconds: "duration of objects",
  rowsRead: "rows read",
  rowsWritten: "rows written",
  storedGigabytes: "storage",
};

function priceOf(amounts: Amounts): { total: number; parts: Record<string, number> } {
  const parts: Record<string, number> = { "the plan": PRICES.base };
  for (const [part, name] of Object.entries(NAMES)) {
    const { included, perMillion } = PRICES[part as Part];
    parts[name] = (Math.max(0, amounts[part as Part] - included) * perMillion) / 1e6;
  }
  return { total: Object.values(parts).reduce((sum, price) => sum + price, 0), parts };
}

/** Numbers from 0 to 1 that are the same at each run (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
