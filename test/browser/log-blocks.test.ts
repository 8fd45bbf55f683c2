import { BrowserStorage } from "@robota/adapters-web";
import { expect, it, onTestFinished } from "vitest";
import { records, replaceMethod, settled } from "./records.ts";

const BLOCK = 64;

function openStorage(workspace: string = crypto.randomUUID()) {
  const storage = new BrowserStorage(workspace);
  onTestFinished(() => storage.dispose());
  return { storage, stored: () => records(`robota-storage:${workspace}`, "logs"), workspace };
}

/** Entries that say their number, of different lengths. */
function entriesFrom(first: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => entry(first + index));
}

function entry(seq: number): Uint8Array {
  return new TextEncoder().encode(`${seq}`.padEnd(seq % 7, "."));
}

async function read(storage: BrowserStorage, from?: number) {
  const entries = await Array.fromAsync(storage.read("log", from));
  for (const { seq, value } of entries) expect(value).toEqual(entry(seq));
  return entries.map(({ seq }) => seq);
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Appends entries as a session does, few at a time. */
async function appendInParts(storage: BrowserStorage, count: number): Promise<void> {
  for (let first = 1; first <= count; first += 5)
    await storage.append("log", entriesFrom(first, Math.min(5, count - first + 1)));
}

it("makes one record of each whole block of a log", async () => {
  const { storage, stored } = openStorage();
  await appendInParts(storage, 3 * BLOCK + 10);
  await storage.dispose();
  expect([...(await stored()).keys()]).toEqual(
    [64, 128, 192, ...numbers(193, 202)].map((seq) => JSON.stringify(["log", seq])),
  );
});

it("makes one record of a block that is appended at once, and of its rest later", async () => {
  const { storage, stored } = openStorage();
  await storage.append("log", entriesFrom(1, 10));
  await storage.append("log", entriesFrom(11, 2 * BLOCK));
  await storage.dispose();
  expect([...(await stored()).keys()]).toEqual(
    [64, 128, ...numbers(129, 138)].map((seq) => JSON.stringify(["log", seq])),
  );
});

it("reads from any number in a block, up to the end at the time of the call", async () => {
  const { storage, workspace } = openStorage();
  await appendInParts(storage, 150);
  await storage.dispose();
  const { storage: later } = openStorage(workspace);
  for (const from of [1, 2, 63, 64, 65, 100, 128, 129, 150, 151])
    expect(await read(later, from)).toEqual(numbers(from, 150));
  const reading = read(later, 120);
  await later.append("log", entriesFrom(151, 100));
  expect(await reading).toEqual(numbers(120, 150));
  expect(await later.append("log", [])).toBe(250);
});

it("gives a reader each entry once while blocks become records", async () => {
  const { storage } = openStorage();
  await storage.append("log", entriesFrom(1, 60));
  const appending = appendMore(storage);
  const readers = numbers(1, 20).map(() => read(storage));
  for (const found of await Promise.all(readers)) expect(found).toEqual(numbers(1, found.length));
  await appending;
  expect(await read(storage)).toEqual(numbers(1, 360));
});

async function appendMore(storage: BrowserStorage): Promise<void> {
  for (const seq of numbers(61, 360)) await storage.append("log", [entry(seq)]);
}

it("hands a long log over in far fewer records than it has entries", async () => {
  const { storage, workspace } = openStorage();
  await appendInParts(storage, 40 * BLOCK);
  await storage.dispose();
  let handedOver = 0;
  replaceMethod(
    IDBObjectStore.prototype,
    "getAll",
    (original) =>
      function (this: IDBObjectStore, ...range) {
        const request = original.apply(this, range);
        request.addEventListener("success", () => (handedOver += request.result.length));
        return request;
      },
  );
  const { storage: later } = openStorage(workspace);
  expect(await read(later)).toEqual(numbers(1, 40 * BLOCK));
  expect(handedOver).toBe(40);
});

it("continues a log of single entries, as earlier versions stored them", async () => {
  const { storage, workspace, stored } = openStorage();
  await storage.append("log", [entry(1)]);
  const database = await settled(indexedDB.open(`robota-storage:${workspace}`));
  const logs = database.transaction("logs", "readwrite").objectStore("logs");
  for (const seq of numbers(2, 150))
    await settled(logs.put({ log: "log", seq, value: entry(seq) }));
  database.close();
  expect(await read(storage, 60)).toEqual(numbers(60, 150));
  await storage.append("log", entriesFrom(151, 50));
  expect(await read(storage)).toEqual(numbers(1, 200));
  await storage.dispose();
  // Only the block that was completed.
  expect((await stored()).size).toBe(200 - BLOCK + 1);
});

it("leaves large entries as they are", async () => {
  const { storage, stored } = openStorage();
  await storage.append("log", Array<Uint8Array>(BLOCK).fill(new Uint8Array(10_000)));
  await storage.dispose();
  expect((await stored()).size).toBe(BLOCK);
});

it("keeps the entries of a block that can't become a record", async () => {
  const { storage, stored } = openStorage();
  replaceMethod(
    IDBObjectStore.prototype,
    "put",
    (original) =>
      function (this: IDBObjectStore, ...given) {
        if (this.name === "logs") throw new DOMException("No room", "QuotaExceededError");
        return original.apply(this, given);
      },
  );
  await appendInParts(storage, 100);
  expect(await read(storage)).toEqual(numbers(1, 100));
  await storage.dispose();
  expect((await stored()).size).toBe(100);
});

it("deletes a log with its blocks", async () => {
  const { storage, stored } = openStorage();
  await appendInParts(storage, 100);
  await storage.deleteLog("log");
  expect(await read(storage)).toEqual([]);
  await storage.dispose();
  expect((await stored()).size).toBe(0);
});
