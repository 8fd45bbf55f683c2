import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { visitProblems } from "../support/session-visit.ts";
import { type Chromium, crash, startChromium } from "./chromium.ts";
import { type PageServer, servePage } from "./page-server.ts";
import type {} from "./pages/platform.ts";
import type {} from "./pages/session-visit.ts";

let chromium: Chromium;
let server: PageServer;

beforeAll(async () => {
  chromium = await startChromium();
  server = await servePage("test/e2e/pages/platform.ts", () => {});
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** A tab of its own process that has opened the workspace. */
async function openTab(workspace: string): Promise<Page> {
  const page = await chromium.context.newPage();
  await page.goto(server.url);
  await page.waitForFunction(() => "robota" in globalThis);
  await page.evaluate(async (name) => {
    globalThis.fs = new robota.BrowserFileSystem(name);
    globalThis.storage = new robota.BrowserStorage(name);
    await fs.stat("/");
  }, workspace);
  return page;
}

declare global {
  var fs: InstanceType<typeof robota.BrowserFileSystem>;
  var storage: InstanceType<typeof robota.BrowserStorage>;
}

const append = (page: Page, text: string): Promise<void> =>
  page.evaluate((each) => fs.appendFile("/log", each), text);
const readLog = (page: Page): Promise<string> =>
  page.evaluate(async () => new TextDecoder().decode(await fs.readFile("/log")));
const roleOf = (page: Page): Promise<string | undefined> => page.evaluate(() => fs.role);

it("reports a session's owner to a second tab, which can follow, fork and take over", async () => {
  await using pages = await servePage("test/e2e/pages/session-visit.ts", () => {});
  const [first, second] = [await chromium.context.newPage(), await chromium.context.newPage()];
  for (const page of [first, second]) {
    await page.goto(pages.url);
    await page.waitForFunction(() => "tab" in globalThis);
  }
  const held = first.evaluate(() => tab.hold());
  await first.waitForFunction(() => tab.reported.length > 20);
  const visit = await second.evaluate(() => tab.visit());
  expect(await held).toBe("FENCED");
  const reported = await first.evaluate(() => [...tab.reported]);
  expect(visitProblems(visit, reported)).toEqual([]);
  for (const page of [first, second]) await page.close();
});

it("lets two tabs write to one workspace, and the second continue when the first crashes", async () => {
  const [first, second] = [await openTab("crash"), await openTab("crash")];
  expect([await roleOf(first), await roleOf(second)]).toEqual(["owner", "follower"]);
  await append(first, "1");
  await append(second, "2");
  expect([await readLog(first), await readLog(second)]).toEqual(["12", "12"]);

  await crash(first);
  await append(second, "3");
  expect(await roleOf(second)).toBe("owner");
  expect(await readLog(second)).toBe("123");

  const third = await openTab("crash");
  await append(third, "4");
  expect(await readLog(second)).toBe("1234");
});

it("hands the workspace over when the owner's tab closes during writes", async () => {
  const [first, second] = [await openTab("close"), await openTab("close")];
  await append(first, "");
  await first.evaluate(() => {
    const write = async (): Promise<void> => {
      for (let n = 0; ; n++) await fs.writeFile(`/file-${n % 10}`, `${n} `.repeat(1000));
    };
    void write();
  });
  const writing = second.evaluate(async () => {
    for (let n = 0; n < 200; n++) await fs.appendFile("/log", `${n},`);
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await first.close();

  await writing;
  await append(second, "end");
  // Whatever the owner did and did not answer: each once.
  const numbers = Array.from({ length: 200 }, (_, n) => `${n}`);
  expect((await readLog(second)).split(",")).toEqual([...numbers, "end"]);
  expect(await roleOf(second)).toBe("owner");
});

it("lets the second tab follow, a few writes behind, while the first writes every 50 ms", async () => {
  const [first, second] = [await openTab("along"), await openTab("along")];
  const reading = second.evaluate(async () => {
    const reads: { seen: number; at: number }[] = [];
    for (let text = ""; text !== "end";) {
      const bytes = await fs.readFile("/now").catch(() => new Uint8Array());
      text = new TextDecoder().decode(bytes);
      if (text !== "" && text !== "end") reads.push({ seen: Number(text), at: Date.now() });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return reads;
  });
  // Both clocks are the machine's.
  const writtenAt = await first.evaluate(async () => {
    const times: number[] = [];
    while (times.length < 30) {
      await fs.writeFile("/now", `${times.length}`);
      times.push(Date.now());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await fs.writeFile("/now", "end");
    return times;
  });
  // A lock that is waited for takes half a second and more each time, hence ten writes.
  const behind = (await reading).map(
    ({ seen, at }) => writtenAt.filter((written) => written <= at).length - 1 - seen,
  );
  behind.sort((a, b) => a - b);
  expect(behind[Math.floor(behind.length / 2)]).toBeLessThan(4);
  expect(behind.at(-1)).toBeLessThan(10);
  expect(new Set((await reading).map(({ seen }) => seen)).size).toBeGreaterThan(15);
});

it("frees the leases of a crashed tab, and allows a take-over", async () => {
  const [first, second] = [await openTab("lease"), await openTab("lease")];
  const isLost = (page: Page): Promise<boolean> => page.evaluate(() => lease.lost.aborted);
  await first.evaluate(async () => {
    globalThis.lease = await storage.acquire("sessions/one");
  });
  await second.evaluate(async () => {
    globalThis.lease = await storage.acquire("sessions/one", { steal: true });
  });
  await expect.poll(() => isLost(first)).toBe(true);
  expect(await isLost(second)).toBe(false);

  await crash(second);
  await first.evaluate(async () => {
    globalThis.lease = await storage.acquire("sessions/one");
  });
  expect(await isLost(first)).toBe(false);
});

declare global {
  var lease: Awaited<ReturnType<typeof storage.acquire>>;
}
