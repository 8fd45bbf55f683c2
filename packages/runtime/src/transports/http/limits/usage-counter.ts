import type { Storage } from "../../../ports/storage.ts";
import type { Owner } from "../authenticate.ts";
import type { UseMeter } from "./metered-provider.ts";
import {
  checkDay,
  closeStreams,
  openStream,
  type Refusal,
  renewStreams,
  reserveUse,
  settleUse,
  takeRequest,
  type Usage,
  type UsageLimits,
} from "./usage.ts";

/** Counts what each principal uses. A host keeps the counts where all of the principal's sessions find them. */
export interface UsageCounter {
  /** Counts a request; `spends` when it would start a turn. */
  request: (
    owner: Owner,
    options: { spends: boolean; address?: string | undefined },
  ) => Promise<Refusal | undefined>;
  /** Counts event streams of one session. */
  streams: StreamCounter;
}

/** Counts the event streams of a principal. Each has an id of its own. */
export interface StreamCounter {
  open: (owner: Owner, id: string) => Promise<Refusal | undefined>;
  /** Lets streams count on: those of a dead process are forgotten after a while. */
  renew: (owner: Owner, ids: readonly string[]) => Promise<void>;
  close: (owner: Owner, id: string) => Promise<void>;
}

const KEY = "http-usage/";
/** Share of a minute's requests that a crash may forget. */
const UNSAVED = 10;

/**
 * The time after which a principal's requests and streams count no longer, in milliseconds. What else it has used is stored
 * at once, so its counts can go then: of callers without a token, there may be any number.
 */
const IDLE_MS = 60_000;

interface Count {
  usage: Promise<Usage>;
  /** Requests since it was stored. */
  unsaved: number;
  usedAt: number;
}

/** Counts in this process, and keeps the counts in `storage`, so that a restart forgets nothing that was spent. */
export function storedUsage(
  storage: Storage,
  limits: UsageLimits,
  now: () => number = Date.now,
): UsageCounter & { meter(owner: Owner, costOf: UseMeter["costOf"]): UseMeter } {
  const counts = new Map<Owner, Count>();
  let sweptAt = now();
  const countOf = (owner: Owner): Count => {
    const time = now();
    if (time - sweptAt >= IDLE_MS) {
      sweptAt = time;
      for (const [other, { usedAt }] of counts) if (time - usedAt >= IDLE_MS) counts.delete(other);
    }
    const known = counts.get(owner);
    if (known) {
      known.usedAt = time;
      return known;
    }
    const count: Count = { usage: read(storage, owner), unsaved: 0, usedAt: time };
    counts.set(owner, count);
    count.usage.catch(() => counts.delete(owner));
    return count;
  };
  const load = (owner: Owner): Promise<Usage> => countOf(owner).usage;
  const save = async (owner: Owner): Promise<void> => {
    const count = countOf(owner);
    count.unsaved = 0;
    // Read when it is written: saves that overlap store the same, latest state.
    const text = JSON.stringify(await count.usage);
    await storage.set(KEY + owner, new TextEncoder().encode(text));
  };

  return {
    async request(owner, { spends }) {
      const usage = await load(owner);
      const refusal =
        takeRequest(usage, limits, now()) ?? (spends ? checkDay(usage, limits, now()) : undefined);
      const count = countOf(owner);
      count.unsaved += 1;
      if (count.unsaved >= limits.requestsPerMinute / UNSAVED) await save(owner);
      return refusal;
    },
    streams: {
      async open(owner, id) {
        return openStream(await load(owner), limits, { id, now: now() });
      },
      async renew(owner, ids) {
        renewStreams(await load(owner), ids, now());
      },
      async close(owner, id) {
        closeStreams(await load(owner), [id]);
      },
    },
    meter: (owner, costOf) => ({
      costOf,
      async reserve(use) {
        const refusal = reserveUse(await load(owner), limits, { use, now: now() });
        if (!refusal) await save(owner);
        return refusal;
      },
      async settle(settled) {
        settleUse(await load(owner), settled);
        await save(owner);
      },
    }),
  };
}

async function read(storage: Storage, owner: Owner): Promise<Usage> {
  const bytes = await storage.get(KEY + owner);
  if (!bytes) return {};
  // Written only by `save`.
  const usage = JSON.parse(new TextDecoder().decode(bytes)) as Usage;
  // No stream outlives the process that counted it.
  return { ...usage, streams: {} };
}
