import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { edgePlatform } from "@robota/adapters-edge";
import { storageContract } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { runContract } from "../support/run-contract.ts";
import { digest, insideObject, newObject } from "./inside-object.ts";

runContract(
  "Durable Object storage",
  insideObject((state) => storageContract(() => ({ open: () => edgePlatform(state()).storage }))),
);

it("keeps every row of large values and entries below the limit of a Durable Object", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { storage } = edgePlatform(state);
    const large = new Uint8Array(4_000_000).fill(7);
    await storage.set("large", large);
    await storage.append("log", [large, new Uint8Array([1]), large]);
    for (const table of ["robota_values", "robota_logs"]) {
      const query = `SELECT MAX(length(data)) AS size FROM ${table}`;
      expect(state.storage.sql.exec<{ size: number }>(query).one().size).toBe(1_900_000);
    }
    expect(await digest(await storage.get("large"))).toBe(await digest(large));
    const entries = await Array.fromAsync(storage.read("log"));
    expect(entries.map(({ seq, value }) => [seq, value.length])).toEqual([
      [1, 4_000_000],
      [2, 1],
      [3, 4_000_000],
    ]);
  });
});

it("reads a log of any size page by page, while others write to it", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { storage } = edgePlatform(state);
    const entry = (index: number): Uint8Array => new Uint8Array(3000).fill(index % 256);
    await storage.append(
      "log",
      Array.from({ length: 2500 }, (_, index) => entry(index)),
    );
    let expected = 0;
    for await (const { seq, value } of storage.read("log")) {
      expect([seq, value[0]]).toEqual([expected + 1, expected % 256]);
      expected += 1;
      if (expected % 500 === 0) await storage.append("log", [entry(0)]);
    }
    expect(expected).toBe(2500);
  });
});

it("keeps values and logs after the object was evicted, and grants its leases anew", async () => {
  const stub = newObject();
  await runInDurableObject(stub, async (_, state) => {
    const { storage } = edgePlatform(state);
    await storage.set("key", new Uint8Array([1, 2]));
    await storage.append("log", [new Uint8Array([3])]);
    await storage.acquire("log");
  });
  await evictDurableObject(stub);
  await runInDurableObject(stub, async (_, state) => {
    const { storage } = edgePlatform(state);
    expect(await storage.get("key")).toEqual(new Uint8Array([1, 2]));
    const lease = await storage.acquire("log");
    expect(await storage.append("log", [new Uint8Array([4])])).toBe(2);
    await lease.release();
  });
});

it("refuses the writes of a holder whose lease another instance has taken", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { storage } = edgePlatform(state);
    const lease = await storage.acquire("sessions/one");
    await storage.append("sessions/one", [new Uint8Array([1])]);
    // The acquisition by another instance of the object elsewhere: this isolate is not notified.
    state.storage.sql.exec("UPDATE robota_leases SET epoch = epoch + 1");

    const entry = [new Uint8Array([2])];
    await expect(storage.append("sessions/one", entry)).rejects.toMatchObject({ code: "FENCED" });
    await expect(storage.set("sessions/one", entry[0]!)).rejects.toMatchObject({ code: "FENCED" });
    expect(lease.lost.aborted).toBe(true);
    expect(await storage.append("sessions/two", entry)).toBe(1);
    expect((await Array.fromAsync(storage.read("sessions/one"))).length).toBe(1);
  });
});

it("refuses everything after its disposal, and releases its leases", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const platform = edgePlatform(state);
    await platform.storage.acquire("name");
    await platform.dispose();
    await platform.dispose();
    await expect(platform.storage.get("key")).rejects.toMatchObject({ code: "CLOSED" });
    const next = edgePlatform(state).storage;
    await (await next.acquire("name")).release();
  });
});

it("appends a thousand durable entries one by one in well under the time of a turn", async () => {
  await runInDurableObject(newObject(), async (_, state) => {
    const { storage } = edgePlatform(state);
    const entry = new Uint8Array(200);
    const oneByOne = await milliseconds(async () => {
      for (let index = 0; index < 1000; index++) await storage.append("a", [entry]);
    });
    const together = await milliseconds(async () => {
      await Promise.all(Array.from({ length: 1000 }, () => storage.append("b", [entry])));
    });
    expect(together).toBeLessThan(oneByOne);
  });
});

async function milliseconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return Math.round(performance.now() - start);
}
