import {
  allBytes,
  assert,
  assertBytes,
  assertEqual,
  assertRejects,
  type CaseTable,
  outcomes,
  patternBytes,
  toBytes,
} from "../contract.ts";
import type { StorageFixture } from "./fixture.ts";

const one = toBytes("one");
const two = toBytes("two");

export const valueCases: CaseTable<StorageFixture> = {
  "has no values at first": async (store) => {
    const storage = await store.open();
    assertEqual(await storage.get("key"), undefined);
    assertEqual(await storage.version("key"), undefined);
    assertEqual(await storage.keys(""), []);
    await storage.delete("key");
  },

  "gives back every byte of a value": async (store) => {
    const storage = await store.open();
    await storage.set("bytes", allBytes());
    assertBytes(await storage.get("bytes"), allBytes());
    const large = patternBytes(1_000_000);
    await storage.set("bytes", large);
    assertBytes(await storage.get("bytes"), large);
  },

  "distinguishes an empty value from a missing one": async (store) => {
    const storage = await store.open();
    await storage.set("empty", new Uint8Array());
    assertBytes(await storage.get("empty"), "");
    assertEqual(await storage.keys(""), ["empty"]);
  },

  "shares no buffer of a value with its callers": async (store) => {
    const storage = await store.open();
    const whole = toBytes("left middle right");
    await storage.set("key", whole.subarray(5, 11));
    whole.fill(0);
    (await storage.get("key"))!.fill(0);
    assertBytes(await storage.get("key"), "middle");
  },

  "shows a value to later openers of the store": async (store) => {
    const first = await store.open();
    const version = await first.set("a/b", one);
    await first.set("gone", one);
    await first.delete("gone");
    const second = await store.open();
    assertBytes(await second.get("a/b"), "one");
    assertEqual(await second.version("a/b"), version);
    assertEqual(await second.keys(""), ["a/b"]);
  },

  "shows a change to other open views of the store": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    await first.set("key", one);
    assertBytes(await second.get("key"), "one");
    await second.set("key", two);
    assertBytes(await first.get("key"), "two");
    assertEqual(await first.version("key"), await second.version("key"));
    await first.delete("key");
    assertEqual(await second.get("key"), undefined);
  },

  "gives a new version to each set, of the same bytes and after a delete too": async (store) => {
    const storage = await store.open();
    const versions = new Set<string>();
    for (let round = 0; round < 3; round++) {
      for (const value of [one, one, two, one]) {
        const version = await storage.set("key", value);
        assertEqual(await storage.version("key"), version);
        versions.add(version);
      }
      await storage.delete("key");
      assertEqual(await storage.version("key"), undefined);
    }
    assertEqual(versions.size, 12);
  },

  "writes with ifMatch only over the named version": async (store) => {
    const storage = await store.open();
    const first = await storage.set("key", one, { ifMatch: null });
    const second = await storage.set("key", two, { ifMatch: first });
    for (const ifMatch of [first, null, "", "no such version"]) {
      await assertRejects(storage.set("key", one, { ifMatch }), "CONFLICT", "StorageError");
    }
    assertBytes(await storage.get("key"), "two");
    assertEqual(await storage.version("key"), second);
  },

  "refuses an old version of a value that was deleted, and one of another key": async (store) => {
    const storage = await store.open();
    const version = await storage.set("key", one);
    await assertRejects(storage.set("other", one, { ifMatch: version }), "CONFLICT");
    await storage.delete("key");
    await assertRejects(storage.set("key", two, { ifMatch: version }), "CONFLICT");
    assertEqual(await storage.keys(""), []);
    await storage.set("key", two, { ifMatch: null });
  },

  "refuses a version that came back to the same bytes": async (store) => {
    const storage = await store.open();
    const version = await storage.set("key", one);
    await storage.set("key", two);
    await storage.set("key", one);
    await assertRejects(storage.set("key", two, { ifMatch: version }), "CONFLICT");
  },

  "lets exactly one of 50 writers with the same ifMatch win": async (store) => {
    const storages = [await store.open(), await store.open()];
    const writer = (index: number) => storages[index % 2]!;
    let ifMatch: string | null = null;
    for (let round = 0; round < 3; round++) {
      const expected: string | null = ifMatch;
      const { values, codes } = await outcomes(
        Array.from({ length: 50 }, async (_, index) => {
          const version = await writer(index).set("key", toBytes(`${index}`), {
            ifMatch: expected,
          });
          return { index, version };
        }),
      );
      assertEqual(codes, Array(49).fill("CONFLICT"));
      assertBytes(await storages[0]!.get("key"), `${values[0]!.index}`);
      assertEqual(await storages[1]!.version("key"), values[0]!.version);
      ifMatch = values[0]!.version;
    }
  },

  "loses no increment of counters that retry": async (store) => {
    const storages = [await store.open(), await store.open(), await store.open()];
    const increment = async (index: number): Promise<void> => {
      const storage = storages[index % storages.length]!;
      for (;;) {
        const version = await storage.version("counter");
        const value = await storage.get("counter");
        const next = toBytes(`${Number(new TextDecoder().decode(value)) + 1}`);
        const { codes } = await outcomes([
          storage.set("counter", next, { ifMatch: version ?? null }),
        ]);
        if (codes.length === 0) return;
        assertEqual(codes, ["CONFLICT"]);
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, index) => increment(index)));
    assertBytes(await storages[0]!.get("counter"), "12");
  },

  "deletes a value and nothing else": async (store) => {
    const storage = await store.open();
    for (const key of ["a", "a/b", "a/bc"]) await storage.set(key, one);
    await storage.delete("a/b");
    await storage.delete("a/b");
    assertEqual(await storage.get("a/b"), undefined);
    assertEqual(await storage.keys(""), ["a", "a/bc"]);
  },

  "lists keys by prefix, across segments, sorted by code units": async (store) => {
    const storage = await store.open();
    const sorted = ["B", "a", "a-b", "a.b", "a/b", "a/b/c", "a/bc", "a0", "aB", "a_", "b"];
    for (const key of sorted.toReversed()) await storage.set(key, one);
    assertEqual(await storage.keys(""), sorted);
    assertEqual(await storage.keys("a/b"), ["a/b", "a/b/c", "a/bc"]);
    assertEqual(await storage.keys("a/"), ["a/b", "a/b/c", "a/bc"]);
    assertEqual(await storage.keys("a/b/c"), ["a/b/c"]);
    assertEqual(await storage.keys("A"), []);
  },

  "lists a thousand keys": async (store) => {
    const storage = await store.open();
    const keys = Array.from({ length: 1000 }, (_, index) => `many/${index}`);
    await Promise.all(keys.map((key) => storage.set(key, one)));
    assertEqual(await storage.keys("many/"), keys.toSorted());
    assert((await storage.keys("many/99")).length === 11, "many/99 and many/990 to many/999");
  },
};
