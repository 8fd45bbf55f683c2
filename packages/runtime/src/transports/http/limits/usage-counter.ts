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

/** Counts in this process, and keeps the counts in `storage`, so that a restart forgets nothing that was spent. */
export function storedUsage(
  storage: Storage,
  limits: UsageLimits,
  now: () => number = Date.now,
): UsageCounter & { meter(owner: Owner, costOf: UseMeter["costOf"]): UseMeter } {
  const usages = new Map<Owner, Promise<Usage>>();
  const unsaved = new Map<Owner, number>();
  const load = (owner: Owner): Promise<Usage> => {
    const loading = usages.get(owner) ?? read(storage, owner);
    usages.set(owner, loading);
    loading.catch(() => usages.delete(owner));
    return loading;
  };
  const save = async (owner: Owner): Promise<void> => {
    unsaved.delete(owner);
    // Read when it is written: saves that overlap store the same, latest state.
    const text = JSON.stringify(await load(owner));
    await storage.set(KEY + owner, new TextEncoder().encode(text));
  };

  return {
    async request(owner, { spends }) {
      const usage = await load(owner);
      const refusal =
        takeRequest(usage, limits, now()) ?? (spends ? checkDay(usage, limits, now()) : undefined);
      const count = (unsaved.get(owner) ?? 0) + 1;
      unsaved.set(owner, count);
      if (count >= limits.requestsPerMinute / UNSAVED) await save(owner);
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
