import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type Chromium, startChromium } from "./chromium.ts";
import { LIVED_THROUGH } from "../support/recovery/full-disk.ts";
import { type PageServer, servePage } from "./page-server.ts";
import type {} from "./pages/full-disk.ts";
import type {} from "./pages/platform.ts";

const MB = 1_000_000;

let chromium: Chromium;
let server: PageServer;
let page: Page;

beforeAll(async () => {
  chromium = await startChromium();
});
afterAll(() => chromium[Symbol.asyncDispose]());

// A site of its own for each test: the browser looks at its quota again only when what it remembers is used up.
beforeEach(async () => {
  server = await servePage("test/e2e/pages/platform.ts", () => {});
  page = await chromium.context.newPage();
  await page.goto(server.url);
  await page.waitForFunction(() => "robota" in globalThis);
});
afterEach(async () => {
  await page.close();
  await server[Symbol.asyncDispose]();
});

/** Lets the site store so many bytes, and no more. */
async function setQuota(quotaSize: number, origin = server.url): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize });
}

it("refuses a file beyond the quota completely, with ENOSPC, and continues when there is room", async () => {
  await setQuota(12 * MB);
  const full = await page.evaluate(writeUntilFull);
  expect(full.refusals).toEqual(["ENOSPC true", "ENOSPC true", "small: stored"]);
  expect(full.stored).toBeGreaterThan(1);
  expect(full.before).toBe("before");
  // A refused file is neither listed nor partly stored.
  expect(full.names).toHaveLength(full.stored + 2);
  expect(full.halves).toEqual([]);

  await setQuota(60 * MB);
  const later = await page.evaluate(writeUntilFull);
  expect(later.stored).toBeGreaterThan(2);
  expect(later.halves).toEqual([]);
});

it("refuses entries beyond the quota completely, with FULL, and keeps earlier ones", async () => {
  await setQuota(12 * MB);
  const full = await page.evaluate(appendUntilFull);
  expect(full.refusals).toEqual(["FULL true", "FULL true"]);
  expect(full.appended).toBeGreaterThan(1);
  expect(full.value).toBe(1);
  expect(full.sizes).toEqual(Array(full.appended * 2).fill(MB));

  await setQuota(60 * MB);
  expect((await page.evaluate(appendUntilFull)).appended).toBeGreaterThan(2);
});

it("ends a session's turn beyond the quota with FULL, loses nothing, and goes on when there is room", async () => {
  await using site = await servePage("test/e2e/pages/full-disk.ts", () => {});
  await page.goto(site.url);
  await page.waitForFunction(() => "liveHere" in globalThis);
  await page.exposeFunction("makeRoom", () => setQuota(80 * MB, site.url));
  await setQuota(12 * MB, site.url);
  const report = await page.evaluate(() => liveHere());
  expect(report).toMatchObject({
    ...LIVED_THROUGH,
    failed: { state: "failed", code: "FULL", hint: expect.stringContaining("room") },
  });
  expect(report.completed).toBeGreaterThan(2);
});

/** Runs in the page. */
async function writeUntilFull() {
  const fs = new robota.BrowserFileSystem("quota");
  const noise = (size: number): Uint8Array => {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at += 65_536)
      crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    return bytes;
  };
  const refusal = (error: { code: string; hint: string }): string =>
    `${error.code} ${error.hint.includes("room")}`;
  const refusals: string[] = [];
  const start = (await fs.readdir("/")).length;
  await fs.writeFile("/before", "before");
  let stored = 0;
  while (refusals.length === 0 && stored < 40) {
    const name = `/${crypto.randomUUID()}`;
    await fs.writeFile(name, noise(2_000_000)).then(
      () => stored++,
      (error) => refusals.push(refusal(error)),
    );
  }
  // A large and a small one in one batch: the small one has room.
  const [large, small] = await Promise.allSettled([
    fs.writeFile("/before", noise(8_000_000)),
    fs.writeFile(`/small-${start}`, "x"),
  ]);
  refusals.push(large.status === "rejected" ? refusal(large.reason) : "large: stored");
  refusals.push(small.status === "rejected" ? refusal(small.reason) : "small: stored");

  const names = (await fs.readdir("/")).map(({ name }) => name);
  await fs.dispose();
  const later = new robota.BrowserFileSystem("quota");
  const halves: string[] = [];
  for (const { name } of await later.readdir("/")) {
    const { size } = await later.stat(`/${name}`);
    const bytes = await later.readFile(`/${name}`).catch(() => new Uint8Array());
    if (bytes.length !== size || !names.includes(name)) halves.push(name);
  }
  const before = new TextDecoder().decode(await later.readFile("/before"));
  await later.dispose();
  return { stored, refusals, names, halves, before };
}

/** Runs in the page. */
async function appendUntilFull() {
  const storage = new robota.BrowserStorage("quota");
  const noise = (size: number): Uint8Array => {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at += 65_536)
      crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    return bytes;
  };
  const refusals: string[] = [];
  const note = (error: { code: string; hint: string }): void => {
    refusals.push(`${error.code} ${error.hint.includes("room")}`);
  };
  await storage.set("value", Uint8Array.of(1));
  let appended = 0;
  while (refusals.length === 0 && appended < 40) {
    await storage.append("log", [noise(1_000_000), noise(1_000_000)]).then(() => appended++, note);
  }
  await storage.set("value", noise(8_000_000)).catch(note);
  const value = (await storage.get("value"))?.at(0);
  const sizes: number[] = [];
  for await (const entry of storage.read("log")) sizes.push(entry.value.length);
  await storage.deleteLog("log");
  await storage.dispose();
  return { appended, refusals, value, sizes };
}
