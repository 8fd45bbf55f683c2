import type { LogEntry, Storage } from "../../ports/storage.ts";
import {
  allBytes,
  assert,
  assertBytes,
  assertEqual,
  type CaseTable,
  collect,
  patternBytes,
  toBytes,
} from "../contract.ts";
import type { StorageFixture } from "./fixture.ts";

const texts = (...values: string[]): Uint8Array[] => values.map(toBytes);

async function assertLog(
  entries: AsyncIterable<LogEntry>,
  expected: readonly string[],
  from = 1,
): Promise<void> {
  const list = await collect(entries);
  assertEqual(
    list.map(({ seq, value }) => [seq, new TextDecoder().decode(value)]),
    expected.map((text, index) => [from + index, text]),
    "log",
  );
}

/** Batches of three labelled with their writer, from many concurrent callers. */
async function appendBatches(storages: Storage[], log: string, batches: number): Promise<number[]> {
  return Promise.all(
    Array.from({ length: batches }, (_, index) =>
      storages[index % storages.length]!.append(log, texts(`${index}a`, `${index}b`, `${index}c`)),
    ),
  );
}

export const logCases: CaseTable<StorageFixture> = {
  "reads a missing log as empty": async (store) => {
    const storage = await store.open();
    await assertLog(storage.read("log"), []);
    await assertLog(storage.read("log", 5), []);
    await storage.deleteLog("log");
  },

  "numbers entries from 1 without gaps": async (store) => {
    const storage = await store.open();
    assertEqual(await storage.append("log", texts("a")), 1);
    assertEqual(await storage.append("log", texts("b", "c", "d")), 4);
    assertEqual(await storage.append("log", texts("e")), 5);
    await assertLog(storage.read("log"), ["a", "b", "c", "d", "e"]);
  },

  "appends nothing for an empty list and returns the last number": async (store) => {
    const storage = await store.open();
    assertEqual(await storage.append("log", []), 0);
    await assertLog(storage.read("log"), []);
    await storage.append("log", texts("a", "b"));
    assertEqual(await storage.append("log", []), 2);
    assertEqual(await storage.append("log", texts("c")), 3);
  },

  "reads from a number on": async (store) => {
    const storage = await store.open();
    await storage.append("log", texts("a", "b", "c"));
    await assertLog(storage.read("log", 1), ["a", "b", "c"]);
    await assertLog(storage.read("log", 2), ["b", "c"], 2);
    await assertLog(storage.read("log", 3), ["c"], 3);
    await assertLog(storage.read("log", 4), []);
    await assertLog(storage.read("log", 1000), []);
  },

  "keeps logs apart from each other": async (store) => {
    const storage = await store.open();
    await storage.append("log", texts("1"));
    await storage.append("log/deeper", texts("2"));
    await storage.append("log2", texts("3"));
    await assertLog(storage.read("log"), ["1"]);
    await assertLog(storage.read("log/deeper"), ["2"]);
    await storage.deleteLog("log");
    await assertLog(storage.read("log"), []);
    await assertLog(storage.read("log/deeper"), ["2"]);
    await assertLog(storage.read("log2"), ["3"]);
  },

  "keeps entries of any bytes, also newlines and empty ones": async (store) => {
    const storage = await store.open();
    const entries = [
      allBytes(),
      new Uint8Array(),
      toBytes("\n"),
      toBytes("\r\n\r\n"),
      toBytes('{"json":"line"}\n{"two":2}'),
      Uint8Array.of(0xff, 0xfe, 0xc0, 0x80),
      Uint8Array.of(0),
      new Uint8Array(),
    ];
    await storage.append("log", entries);
    for (const entry of entries) await storage.append("log", [entry]);
    const list = await collect((await store.open()).read("log"));
    assertEqual(list.length, 2 * entries.length);
    for (const [index, { seq, value }] of list.entries()) {
      assertEqual(seq, index + 1);
      assertBytes(value, entries[index % entries.length]!, `entry ${seq}`);
    }
  },

  "keeps entries of 1 MB": async (store) => {
    const storage = await store.open();
    const seeds = [1, 2, 3];
    await storage.append(
      "log",
      seeds.map((seed) => patternBytes(1_000_000, seed)),
    );
    await storage.append("log", texts("after"));
    const list = await collect((await store.open()).read("log"));
    assertEqual(list.length, 4);
    for (const seed of seeds) assertBytes(list[seed - 1]!.value, patternBytes(1_000_000, seed));
    assertBytes(list[3]!.value, "after");
  },

  "keeps a batch of a thousand entries": async (store) => {
    const storage = await store.open();
    const values = Array.from({ length: 1000 }, (_, index) => `entry ${index}`);
    assertEqual(await storage.append("log", texts(...values)), 1000);
    await assertLog(storage.read("log"), values);
    await assertLog(storage.read("log", 990), values.slice(989), 990);
  },

  "shares no buffer of an entry with its callers": async (store) => {
    const storage = await store.open();
    const whole = toBytes("left middle right");
    const batch = [whole.subarray(5, 11)];
    await storage.append("log", batch);
    whole.fill(0);
    batch.length = 0;
    for (const { value } of await collect(storage.read("log"))) value.fill(0);
    await assertLog(storage.read("log"), ["middle"]);
  },

  "shows entries to later openers, and continues the numbers": async (store) => {
    await (await store.open()).append("log", texts("a", "b"));
    const second = await store.open();
    await assertLog(second.read("log"), ["a", "b"]);
    assertEqual(await second.append("log", texts("c")), 3);
    await assertLog((await store.open()).read("log"), ["a", "b", "c"]);
  },

  "shows entries to other open views of the store": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    assertEqual(await first.append("log", texts("a")), 1);
    assertEqual(await second.append("log", texts("b")), 2);
    assertEqual(await first.append("log", texts("c")), 3);
    await assertLog(second.read("log"), ["a", "b", "c"]);
  },

  "keeps the order of appends that were not awaited": async (store) => {
    const storage = await store.open();
    const values = Array.from({ length: 100 }, (_, index) => `${index}`);
    const numbers = await Promise.all(values.map((value) => storage.append("log", texts(value))));
    assertEqual(
      numbers,
      values.map((_, index) => index + 1),
    );
    await assertLog(storage.read("log"), values);
  },

  "keeps batches whole when many append at once": async (store) => {
    const storages = [await store.open(), await store.open(), await store.open()];
    const numbers = await appendBatches(storages, "log", 30);
    assertEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({ length: 30 }, (_, index) => 3 * (index + 1)),
    );
    const list = await collect(storages[0]!.read("log"));
    assertEqual(list.length, 90);
    for (const [index, last] of numbers.entries()) {
      const batch = list.slice(last - 3, last).map(({ value }) => new TextDecoder().decode(value));
      assertEqual(batch, [`${index}a`, `${index}b`, `${index}c`]);
    }
    assert(
      list.every(({ seq }, index) => seq === index + 1),
      "the numbers have gaps",
    );
  },

  "reads up to the last entry at the time of the call": async (store) => {
    const [reader, writer] = [await store.open(), await store.open()];
    await reader.append("log", texts("a", "b"));
    const before = reader.read("log");
    const tail = reader.read("log", 2);
    await reader.append("log", texts("c"));
    await assertLog(before, ["a", "b"]);
    await assertLog(tail, ["b"], 2);

    const seen: string[] = [];
    for await (const { value } of reader.read("log")) {
      seen.push(new TextDecoder().decode(value));
      await writer.append("log", texts("late"));
    }
    assertEqual(seen, ["a", "b", "c"]);
    await assertLog(reader.read("log"), ["a", "b", "c", "late", "late", "late"]);
  },

  "shows only whole batches to concurrent readers": async (store) => {
    const [reader, writer] = [await store.open(), await store.open()];
    let isAppending = true;
    const append = async () => {
      await appendBatches([writer], "log", 10);
      for (let index = 0; index < 10; index++) await appendBatches([writer], "log", 1);
      isAppending = false;
    };
    const read = async () => {
      do {
        const list = await collect(reader.read("log"));
        assert(list.length % 3 === 0, `saw ${list.length} entries, a part of a batch`);
        assert(
          list.every(({ seq }, index) => seq === index + 1),
          "saw a gap",
        );
      } while (isAppending);
    };
    await Promise.all([append(), read()]);
    assertEqual((await collect(reader.read("log"))).length, 60);
  },

  "can be left in the middle of reading": async (store) => {
    const storage = await store.open();
    await storage.append("log", texts("a", "b", "c"));
    for await (const { seq } of storage.read("log")) if (seq === 2) break;
    await storage.append("log", texts("d"));
    await assertLog(storage.read("log"), ["a", "b", "c", "d"]);
  },

  "begins at 1 again after the log was deleted": async (store) => {
    const storage = await store.open();
    await storage.append("log", texts("a", "b"));
    await storage.deleteLog("log");
    await storage.deleteLog("log");
    await assertLog(storage.read("log"), []);
    assertEqual(await storage.append("log", []), 0);
    assertEqual(await storage.append("log", texts("new")), 1);
    await assertLog((await store.open()).read("log"), ["new"]);
  },
};
