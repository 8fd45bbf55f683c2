import { BrowserFileSystem } from "@robota/adapters-web";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";

// Counts, not times: each transaction is a way to the browser's process and back, each record is work there.
const transactions = vi.spyOn(IDBDatabase.prototype, "transaction");
const puts = vi.spyOn(IDBObjectStore.prototype, "put");
const started = (mode: IDBTransactionMode): number =>
  transactions.mock.calls.filter((call) => (call[1] ?? "readonly") === mode).length;

afterEach(() => {
  transactions.mockClear();
  puts.mockClear();
});

const newFiles = async (journalAfter = Infinity): Promise<BrowserFileSystem> => {
  const fs = new BrowserFileSystem(crypto.randomUUID(), { journalAfter });
  await fs.mkdir("/d");
  transactions.mockClear();
  puts.mockClear();
  return fs;
};
const paths = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `/d/${index}`);

it("stores a small file in one transaction of one record, and many in one transaction", async () => {
  await using fs = await newFiles();
  for (const path of [...paths(10), ...paths(10)]) await fs.writeFile(path, "x");
  expect([started("readwrite"), puts.mock.calls.length]).toEqual([20, 20]);
  transactions.mockClear();
  await Promise.all(paths(100).map((path) => fs.writeFile(path, "y")));
  expect(started("readwrite")).toBeLessThanOrEqual(3);
});

it("journals small sequential changes, and stores their result in one transaction", async () => {
  await using fs = await newFiles(0);
  const isInJournal = async (): Promise<boolean> => {
    transactions.mockClear();
    await fs.writeFile("/d/file", "x");
    return started("readwrite") === 0;
  };
  await expect.poll(isInJournal).toBe(true);
  transactions.mockClear();
  const before = performance.now();
  for (const path of paths(300)) await fs.writeFile(path, path);
  for (const path of paths(100)) await fs.rename(path, `${path}-moved`);
  // One for each tenth of a second that it took, which is how long changes are collected.
  expect(started("readwrite")).toBeLessThanOrEqual((performance.now() - before) / 100 + 2);
});

it("opens many files by few records", async () => {
  const name = crypto.randomUUID();
  const gets = vi.spyOn(IDBObjectStore.prototype, "getAll");
  onTestFinished(() => gets.mockRestore());
  {
    await using fs = new BrowserFileSystem(name);
    await fs.mkdir("/d");
    await Promise.all(paths(3_000).map((path) => fs.writeFile(path, path)));
    // One at a time, in the order of nothing.
    for (let at = 0; at < 300; at++) await fs.writeFile(`/d/${(at * 7) % 3_000}`, `${at}`);
    gets.mockClear();
  }
  await using fs = new BrowserFileSystem(name);
  expect((await fs.readdir("/d")).length).toBe(3_000);
  let records = 0;
  for (const { value } of gets.mock.results)
    records += (value as IDBRequest<unknown[]>).result.length;
  expect(records).toBeLessThan(100);
  const text = async (path: string): Promise<string> =>
    new TextDecoder().decode(await fs.readFile(path));
  expect(await text("/d/7")).toBe("1");
  expect(await text("/d/8")).toBe("/d/8");
  expect(await text(`/d/${(299 * 7) % 3_000}`)).toBe("299");
});

it("stats files from memory, and reads recent content from there", async () => {
  await using fs = await newFiles();
  await Promise.all(paths(500).map((path) => fs.writeFile(path, path)));
  transactions.mockClear();
  for (const path of paths(500)) await fs.stat(path);
  await fs.readdir("/d");
  expect(started("readonly")).toBe(0);
  for (const path of paths(500)) {
    expect(new TextDecoder().decode(await fs.readFile(path))).toBe(path);
  }
  // Now and then the browser gets a turn.
  expect(started("readonly")).toBeLessThan(250);
});

it("reads the present content after a change, whichever tab caches it", async () => {
  await using fs = await newFiles();
  const text = async (path: string): Promise<string> =>
    new TextDecoder().decode(await fs.readFile(path));
  await fs.writeFile("/d/a", "one");
  expect(await text("/d/a")).toBe("one");
  await fs.appendFile("/d/a", "+two");
  expect(await text("/d/a")).toBe("one+two");
  const writing = fs.writeFile("/d/a", "three");
  await writing;
  expect(await text("/d/a")).toBe("three");
  (await fs.readFile("/d/a")).fill(0);
  expect(await text("/d/a")).toBe("three");
  await fs.writeFile("/d/b", "b");
  await fs.rename("/d/b", "/d/a");
  expect(await text("/d/a")).toBe("b");
  await Promise.all([
    fs.writeFile("/d/a", "x"),
    fs.appendFile("/d/a", "y"),
    fs.appendFile("/d/a", "z"),
  ]);
  expect(await text("/d/a")).toBe("xyz");
  await fs.remove("/d/a");
  await fs.writeFile("/d/a", "again");
  expect(await text("/d/a")).toBe("again");
});
