import { StorageError } from "../../errors.ts";
import type { Storage } from "../../ports/storage.ts";
import {
  assert,
  assertEqual,
  assertRejects,
  type CaseTable,
  collect,
  delay,
  outcomes,
  patternBytes,
  toBytes,
} from "../contract.ts";
import type { StorageFixture } from "./fixture.ts";

const ROUNDS = 10;
const CONCURRENT = 3;
/** Large enough that some hosts write it in several steps. */
const ENTRY = patternBytes(100_000);

/**
 * `writer` appends to the log until its lease is lost, and `thief` takes it over meanwhile: everything stored for the
 * writer is there when the thief reads, and nothing follows it.
 */
async function takeOver(writer: Storage, thief: Storage, log: string): Promise<void> {
  const lease = await writer.acquire(log);
  let [stored, begun] = [0, 0];
  const write = async (): Promise<void> => {
    while (!lease.lost.aborted) {
      begun += 1;
      const appends = Array.from({ length: CONCURRENT }, () => writer.append(log, [ENTRY]));
      const { values, codes } = await outcomes(appends);
      stored = Math.max(stored, ...values);
      assert(
        codes.every((code) => code === "FENCED"),
        `refused as ${codes.join()}`,
      );
      await delay(0);
    }
  };
  const writing = write();
  while (begun < 2) await delay(0);
  await delay(Math.random() * 8);
  const stolen = await thief.acquire(log, { steal: true });
  const isNotified = lease.lost.aborted;
  const found = (await collect(thief.read(log))).length;
  await writing;
  if (writer === thief) assert(isNotified, "the former holder of the same storage was told late");
  assert(stored <= found, `${stored} entries were stored and ${found} found`);
  assertEqual(await thief.append(log, [ENTRY]), found + 1, "number of the thief's first entry");
  await stolen.release();
  await lease.release();
}

export const takeOverCases: CaseTable<StorageFixture> = {
  "has all that the former holder was told is stored when it is stolen, and nothing more comes":
    async (store) => {
      const [first, second] = [await store.open(), await store.open()];
      for (let round = 0; round < ROUNDS; round++) await takeOver(first, second, `log${round}`);
    },

  "has the same when it is stolen by the storage that holds it": async (store) => {
    const storage = await store.open();
    for (let round = 0; round < ROUNDS; round++) await takeOver(storage, storage, `log${round}`);
  },

  "protects the logs that it names, and no others": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const logs = ["one", "deeper/two"];
    const lost = await first.acquire("name", { logs });
    for (const log of [...logs, "name", "other"]) await first.append(log, [toBytes("a")]);
    const lease = await second.acquire("name", { logs, steal: true });
    for (const log of [...logs, "name"]) {
      await assertRejects(first.append(log, [toBytes("b")]), "FENCED", "StorageError");
      await assertRejects(first.deleteLog(log), "FENCED", "StorageError");
      assertEqual(await second.append(log, [toBytes("c")]), 2);
    }
    assertEqual(await first.append("other", [toBytes("b")]), 2);
    await lost.release();
    assertEqual(await first.append("one", [toBytes("d")]), 3);
    await lease.release();
  },

  "refuses invalid names of logs": async (store) => {
    const storage = await store.open();
    const acquired = storage.acquire("name", { logs: ["../out"] });
    await assertRejects(acquired, "INVALID_KEY", "StorageError");
    await (await storage.acquire("name")).release();
  },

  "is released once its appends are stored": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const lease = await first.acquire("log");
    const next = second.acquire("log");
    const appended = [first.append("log", [ENTRY]), first.append("log", [ENTRY])];
    const released = lease.release();
    const stored = async (): Promise<number> => (await collect(second.read("log"))).length;
    const found = next.then(stored);
    assertEqual(await Promise.all(appended), [1, 2]);
    await released;
    assertEqual(await found, 2);
    await (await next).release();
  },

  "gives every refusal of a lost lease a hint": async (store) => {
    const [first, second] = [await store.open(), await store.open()];
    const lost = await first.acquire("log");
    await using _stolen = await second.acquire("log", { steal: true });
    const refusal = await first.append("log", [ENTRY]).catch((error: unknown) => error);
    await delay(0);
    while (!lost.lost.aborted) await delay(5);
    for (const error of [refusal, lost.lost.reason as unknown]) {
      assert(error instanceof StorageError && error.hint !== "", `no hint: ${String(error)}`);
    }
  },
};
