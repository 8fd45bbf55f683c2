import {
  type LeaseClaim,
  sharedStorage,
  type StorageBackend,
} from "@robota/runtime/shared-storage";
import { storageContract } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";

/** A database in memory, whose clock the tests set. */
function createDatabase() {
  const values = new Map<string, { version: string; data: Uint8Array }>();
  const logs = new Map<string, Uint8Array[]>();
  const leases = new Map<string, { token: string; expires: number }>();
  const listeners = new Set<(name: string) => void>();
  const clock = { ms: 0, isReachable: true, appends: 0, takes: 0, lookingTakesMs: 0 };
  const holds = ({ name, token }: LeaseClaim): boolean => leases.get(name)?.token === token;
  const notify = (name: string): void => listeners.forEach((listener) => listener(name));
  const reach = async (): Promise<void> => {
    if (!clock.isReachable) throw new TypeError("unreachable");
  };
  const backend: StorageBackend = {
    get: async (key) => values.get(key)?.data.slice(),
    version: async (key) => values.get(key)?.version,
    async set(key, data, { version, ifMatch }) {
      if (ifMatch !== undefined && ifMatch !== (values.get(key)?.version ?? null)) return false;
      values.set(key, { version, data });
      return true;
    },
    async delete(key) {
      values.delete(key);
    },
    keys: async (prefix) => [...values.keys()].filter((key) => key.startsWith(prefix)).toSorted(),
    async append(log, entries, claim) {
      await reach();
      clock.appends += 1;
      if (claim && !holds(claim)) return undefined;
      const list = [...(logs.get(log) ?? []), ...entries];
      if (list.length > 0) logs.set(log, list);
      return list.length;
    },
    async deleteLog(log, claim) {
      if (claim && !holds(claim)) return false;
      logs.delete(log);
      return true;
    },
    async lastSeq(log) {
      if (clock.lookingTakesMs > 0)
        await new Promise((resolve) => setTimeout(resolve, clock.lookingTakesMs));
      return logs.get(log)?.length ?? 0;
    },
    page: async (log, from, to) =>
      (logs.get(log) ?? [])
        .slice(from - 1, Math.min(to, from + 6))
        .map((value, index) => ({ seq: from + index, value: value.slice() })),
    async take({ name, token }, { ttlMs, steal }) {
      clock.takes += 1;
      const held = leases.get(name);
      if (held && !steal && held.expires >= clock.ms) return false;
      leases.set(name, { token, expires: clock.ms + ttlMs });
      if (steal) notify(name);
      return true;
    },
    async renew(claims, ttlMs) {
      await reach();
      const kept = claims.filter(holds);
      for (const { name, token } of kept) leases.set(name, { token, expires: clock.ms + ttlMs });
      return kept;
    },
    async free(claim) {
      if (!holds(claim)) return;
      leases.delete(claim.name);
      notify(claim.name);
    },
    async watch(listener) {
      listeners.add(listener);
      return async () => void listeners.delete(listener);
    },
    isFull: (error) => error instanceof RangeError,
    close: async () => undefined,
  };
  const open = (): ReturnType<typeof sharedStorage> => sharedStorage(backend, { leaseSeconds: 9 });
  return { backend, clock, open };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("a storage over a shared database", () => {
  for (const promise of storageContract(() => createDatabase())) {
    it(promise.name, () => promise.run());
  }

  it("gives the lease of a holder that died to those who wait, and not before its term ends", async () => {
    const { backend, clock, open } = createDatabase();
    // Taken by a process that never renews it.
    await backend.take({ name: "log", token: "dead" }, { ttlMs: 9000, steal: false });
    await using storage = open();
    const waiting = storage.acquire("log");
    let isGranted = false;
    void waiting.then(() => (isGranted = true));
    clock.ms = 9000;
    // Asks again only once it has seen the answer to the attempt before.
    const { takes } = clock;
    await expect.poll(() => isGranted || clock.takes > takes + 1).toBe(true);
    expect(isGranted).toBe(false);
    clock.ms = 9001;
    await waiting;
  });

  it("fences off a holder that slept while others had the lease and gave it back", async () => {
    const { clock, open } = createDatabase();
    await using sleeper = open();
    await using other = open();
    const lease = await sleeper.acquire("log");
    await sleeper.append("log", [bytes("a")]);
    clock.ms = 9001;
    const between = await other.acquire("log");
    await other.append("log", [bytes("b")]);
    await between.release();
    await expect(sleeper.append("log", [bytes("c")])).rejects.toMatchObject({ code: "FENCED" });
    expect(lease.lost.aborted).toBe(true);
  });

  it("keeps a lease over a time in which the database can't be reached, if nobody took it", async () => {
    const { clock, open } = createDatabase();
    await using storage = open();
    const lease = await storage.acquire("log");
    clock.isReachable = false;
    await expect(storage.append("log", [bytes("a")])).rejects.toMatchObject({ code: "IO" });
    clock.ms = 60_000;
    clock.isReachable = true;
    expect(await storage.append("log", [bytes("a")])).toBe(1);
    expect(lease.lost.aborted).toBe(false);
  });

  it("sends appends of one tick to the database together", async () => {
    const { clock, open } = createDatabase();
    await using storage = open();
    const numbers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => storage.append("log", [bytes(`${index}`)])),
    );
    expect(numbers.at(-1)).toBe(200);
    expect(clock.appends).toBe(1);
  });

  it("reads up to the entry that was last at the call, also where the database is slow to look it up", async () => {
    const { clock, open } = createDatabase();
    await using storage = open();
    await storage.append("log", [bytes("a")]);
    clock.lookingTakesMs = 20;
    const before = storage.read("log");
    await storage.append("log", [bytes("b")]);
    const seen: number[] = [];
    for await (const { seq } of before) seen.push(seq);
    expect(seen).toEqual([1]);
  });

  it.each([0, -1, Number.NaN, Infinity, 1e9])("refuses leases of %d seconds", (leaseSeconds) => {
    const { backend } = createDatabase();
    expect(() => sharedStorage(backend, { leaseSeconds })).toThrow("leaseSeconds");
  });

  it("rejects what comes after it was closed, and frees its leases", async () => {
    const { open } = createDatabase();
    const storage = open();
    await storage.acquire("log");
    const waiting = storage.acquire("log");
    await storage.dispose();
    await expect(waiting).rejects.toMatchObject({ code: "CLOSED" });
    await expect(storage.get("key")).rejects.toMatchObject({ code: "CLOSED" });
    await using next = open();
    await next.acquire("log");
  });
});
