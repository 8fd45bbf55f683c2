import type { Lease } from "../../ports/storage.ts";
import {
  assert,
  assertEqual,
  assertRejects,
  type CaseTable,
  delay,
  isPending,
  toBytes,
} from "../contract.ts";
import type { StorageFixture } from "./fixture.ts";

/** A host may poll for a loss to another process. */
const PATIENCE_MS = 5000;

async function assertLost(lease: Lease): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!lease.lost.aborted && performance.now() < deadline) await delay(10);
  assert(lease.lost.aborted, "the former holder was not told");
}

export const leaseCases: CaseTable<StorageFixture> = {
  "grants a free name at once": async (store) => {
    const storage = await store.open();
    const lease = await storage.acquire("sessions/one");
    assert(!lease.lost.aborted, "lost from the start");
    await lease.release();
  },

  "keeps a second holder waiting until the first releases": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const lease = await first.acquire("name");
    const waiting = second.acquire("name");
    assert(await isPending(waiting), "two hold the same name");
    await lease.release();
    await (await waiting).release();
    assert(!lease.lost.aborted, "a release does not count as a loss");
  },

  "makes the holding storage wait for its own lease, too": async (store) => {
    const storage = await store.open();
    const lease = await storage.acquire("name");
    const waiting = storage.acquire("name");
    assert(await isPending(waiting), "two hold the same name");
    await lease.release();
    await (await waiting).release();
  },

  "grants different names independently, and none of them guards the data": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const leases = [
      await first.acquire("a"),
      await second.acquire("a/b"),
      await second.acquire("b"),
    ];
    await second.set("a", toBytes("x"));
    await second.append("a", [toBytes("x")]);
    assertEqual(await first.keys(""), ["a"]);
    for (const lease of leases) await lease.release();
  },

  "serves waiting callers in order": async (store) => {
    const storage = await store.open();
    const lease = await storage.acquire("name");
    const order: number[] = [];
    const waiting = [1, 2, 3, 4].map(async (place) => {
      await using _lease = await storage.acquire("name");
      order.push(place);
    });
    await lease.release();
    await Promise.all(waiting);
    assertEqual(order, [1, 2, 3, 4]);
  },

  "grants a name to one of many at a time": async (store) => {
    const storages = [await store.open(), await store.open(), await store.open()];
    let inside = 0;
    let served = 0;
    await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        await using _lease = await storages[index % 3]!.acquire("name");
        assertEqual(++inside, 1, "holders");
        await delay(2);
        inside--;
        served++;
      }),
    );
    assertEqual(served, 12);
  },

  "can be released twice without harm to the next holder": async (store) => {
    const storage = await store.open();
    const first = await storage.acquire("name");
    await first.release();
    const second = await storage.acquire("name");
    await first.release();
    await first[Symbol.asyncDispose]();
    const third = storage.acquire("name");
    assert(await isPending(third), "the second release freed somebody else's lease");
    await second.release();
    await (await third).release();
  },

  "releases at the end of its block, also after an error": async (store) => {
    const storage = await store.open();
    const work = async () => {
      await using _lease = await storage.acquire("name");
      throw new RangeError("in the block");
    };
    const error = await work().catch((reason: unknown) => reason);
    assert(error instanceof RangeError, `expected the block's own error, got ${String(error)}`);
    await (await storage.acquire("name")).release();
  },

  "stops waiting on abort, and takes no turn": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const lease = await first.acquire("name");
    const controller = new AbortController();
    const waiting = second.acquire("name", { signal: controller.signal });
    const next = second.acquire("name");
    assert(await isPending(waiting), "two hold the same name");
    controller.abort();
    await assertRejects(waiting, "ABORTED", "StorageError");
    assert(await isPending(next), "the abort freed the name");
    await lease.release();
    await (await next).release();
  },

  "does not start to wait with an aborted signal": async (store) => {
    const storage = await store.open();
    const signal = AbortSignal.abort();
    await assertRejects(storage.acquire("name", { signal }), "ABORTED", "StorageError");
    await (await storage.acquire("name")).release();
  },

  "keeps a lease whose signal aborts later": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const controller = new AbortController();
    const lease = await first.acquire("name", { signal: controller.signal });
    controller.abort();
    assert(await isPending(second.acquire("name").then((next) => next.release())), "let go");
    assert(!lease.lost.aborted, "counted as lost");
    await lease.release();
  },

  "fences off appends to its log after its loss, noticed or not": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const lost = await first.acquire("log");
    await first.append("log", [toBytes("a")]);
    const lease = await second.acquire("log", { steal: true });
    await assertRejects(first.append("log", [toBytes("b")]), "FENCED", "StorageError");
    assertEqual(await second.append("log", [toBytes("c")]), 2);
    await lost.release();
    await lease.release();
    assertEqual(await first.append("log", [toBytes("d")]), 3);
  },

  "can be stolen, and notifies the former holder": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const lease = await first.acquire("name");
    const stolen = await second.acquire("name", { steal: true });
    await assertLost(lease);
    assert(!stolen.lost.aborted, "the thief lost it too");
    await stolen.release();
  },

  "can be stolen by the storage that holds it": async (store) => {
    const storage = await store.open();
    const lease = await storage.acquire("name");
    const stolen = await storage.acquire("name", { steal: true });
    await assertLost(lease);
    await stolen.release();
  },

  "grants a free name to a caller that would steal it": async (store) => {
    const storage = await store.open();
    const lease = await storage.acquire("name", { steal: true });
    const waiting = storage.acquire("name");
    assert(await isPending(waiting), "two hold the same name");
    await lease.release();
    await (await waiting).release();
  },

  "stays with the thief when the former holder releases": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const lease = await first.acquire("name");
    const stolen = await second.acquire("name", { steal: true });
    await lease.release();
    const waiting = first.acquire("name");
    assert(await isPending(waiting), "the former holder released the thief's lease");
    await stolen.release();
    await (await waiting).release();
  },

  "grants a stolen name before waiting callers, and to them afterwards": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    await first.acquire("name");
    const waiting = first.acquire("name");
    assert(await isPending(waiting), "two hold the same name");
    const stolen = await second.acquire("name", { steal: true });
    assert(await isPending(waiting), "one who waited got the stolen name");
    await stolen.release();
    await (await waiting).release();
  },

  "can be stolen from a thief": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const leases = [await first.acquire("name")];
    for (const storage of [second, first, second]) {
      leases.push(await storage.acquire("name", { steal: true }));
    }
    const last = leases.pop()!;
    for (const lease of leases) await assertLost(lease);
    assert(!last.lost.aborted, "the last thief lost it too");
    await last.release();
  },
};
