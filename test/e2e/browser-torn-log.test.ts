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

it("keeps what was stored before and after the browser died in the middle of its own log", async () => {
  await using server = await servePage("test/e2e/pages/platform.ts", () => {});
  const chromium = await startChromium();
  onTestFinished(() => chromium[Symbol.asyncDispose]());
  const openPage = async (): Promise<Page> => {
    const page = await chromium.context.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => "robota" in globalThis);
    return page;
  };

  const first = await openPage();
  await first.evaluate(async (torn) => {
    const [fs, storage] = [new robota.BrowserFileSystem("log"), new robota.BrowserStorage("log")];
    await fs.writeFile("/before", "x".repeat(1000));
    await storage.append("log", [new Uint8Array(1000)]);
    await fs.writeFile("/torn", torn);
  }, TORN);
  await chromium.kill();
  await tearLog(chromium);

  await chromium.start();
  const second = await openPage();
  await second.evaluate(async () => {
    const [fs, storage] = [new robota.BrowserFileSystem("log"), new robota.BrowserStorage("log")];
    await fs.writeFile("/after", "x");
    await storage.append("log", [new Uint8Array(1)]);
  });
  await chromium.kill();

  await chromium.start();
  const third = await openPage();
  const found = await third.evaluate(async () => {
    const [fs, storage] = [new robota.BrowserFileSystem("log"), new robota.BrowserStorage("log")];
    const names = (await fs.readdir("/")).map(({ name }) => name);
    return { names, entries: await storage.append("log", []) };
  });
  expect(found).toEqual({ names: ["after", "before"], entries: 2 });
});
