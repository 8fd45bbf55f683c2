import { readdir, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright";
import { expect, it, onTestFinished } from "vitest";
import { type Chromium, startChromium } from "./chromium.ts";
import { servePage } from "./page-server.ts";
import type {} from "./pages/platform.ts";

const TORN = "t".repeat(1000);

/** Cuts the log of the browser's databases within the file that was written last, as a death in the middle of that does. */
async function tearLog({ profile }: Chromium): Promise<void> {
  const databases = join(profile, "Default", "IndexedDB");
  const files = await readdir(databases, { recursive: true });
  const logs = files.filter((file) => file.endsWith(".log"));
  expect(logs).toHaveLength(1);
  const log = join(databases, logs[0]!);
  const written = (await readFile(log)).lastIndexOf(TORN);
  expect(written).toBeGreaterThan(0);
  await truncate(log, written + TORN.length / 2);
}

async function openPage(chromium: Chromium, url: string): Promise<Page> {
  const page = await chromium.context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => "robota" in globalThis);
  return page;
}

it("keeps data stored before and after the browser died while writing its own log", async () => {
  await using server = await servePage("test/e2e/pages/platform.ts", () => {});
  const chromium = await startChromium();
  onTestFinished(() => chromium[Symbol.asyncDispose]());

  const first = await openPage(chromium, server.url);
  await first.evaluate(async (torn) => {
    const [fs, storage] = [new robota.BrowserFileSystem("log"), new robota.BrowserStorage("log")];
    await fs.writeFile("/before", "x".repeat(1000));
    await storage.append("log", [new Uint8Array(1000)]);
    await fs.writeFile("/torn", torn);
  }, TORN);
  await chromium.kill();
  await tearLog(chromium);

  await chromium.start();
  const second = await openPage(chromium, server.url);
  await second.evaluate(async () => {
    const [fs, storage] = [new robota.BrowserFileSystem("log"), new robota.BrowserStorage("log")];
    await fs.writeFile("/after", "x");
    await storage.append("log", [new Uint8Array(1)]);
  });
  await chromium.kill();

  await chromium.start();
  const third = await openPage(chromium, server.url);
  const found = await third.evaluate(async () => {
    const [fs, storage] = [new robota.BrowserFileSystem("log"), new robota.BrowserStorage("log")];
    const names = (await fs.readdir("/")).map(({ name }) => name);
    return { names, entries: await storage.append("log", []) };
  });
  expect(found).toEqual({ names: ["after", "before"], entries: 2 });
});

/** Keeps what the page begins to store from being stored, for as long as the page lives. */
function holdWrites(): void {
  const replace = <Name extends keyof IDBDatabase>(
    name: Name,
    make: (original: IDBDatabase[Name]) => IDBDatabase[Name],
  ): void => {
    IDBDatabase.prototype[name] = make(IDBDatabase.prototype[name]);
  };
  replace(
    "transaction",
    (begin) =>
      function (this: IDBDatabase, ...args) {
        const transaction = begin.apply(this, args);
        const [store = ""] = transaction.objectStoreNames;
        const ask = (): void => {
          transaction.objectStore(store).get("nothing").onsuccess = ask;
        };
        if (transaction.mode === "readwrite") ask();
        return transaction;
      },
  );
}

it("keeps stored data when the browser dies while storing a value and a log entry", async () => {
  await using server = await servePage("test/e2e/pages/platform.ts", () => {});
  const chromium = await startChromium();
  onTestFinished(() => chromium[Symbol.asyncDispose]());

  const first = await openPage(chromium, server.url);
  await first.evaluate(async () => {
    await new robota.BrowserFileSystem("two").writeFile("/before", "x");
    const storage = new robota.BrowserStorage("two");
    await storage.append("log", [new Uint8Array(1)]);
    await storage.set("before", new Uint8Array(1));
  });
  await first.evaluate(holdWrites);
  await first.evaluate(async () => {
    const storage = new robota.BrowserStorage("two");
    void storage.append("log", [new Uint8Array(1)]);
    void storage.set("after", new Uint8Array(1));
    await new Promise((resolve) => setTimeout(resolve, 500));
  });
  await chromium.kill();

  await chromium.start();
  const second = await openPage(chromium, server.url);
  const found = await second.evaluate(async () => {
    const [fs, storage] = [new robota.BrowserFileSystem("two"), new robota.BrowserStorage("two")];
    const names = (await fs.readdir("/")).map(({ name }) => name);
    return { names, keys: await storage.keys(""), entries: await storage.append("log", []) };
  });
  expect(found).toEqual({ names: ["before"], keys: ["before"], entries: 1 });
});
