import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { contendUntil } from "../support/take-overs.ts";
import { type Chromium, startChromium } from "./chromium.ts";
import { type PageServer, servePage } from "./page-server.ts";
import type {} from "./pages/take-over.ts";

const TAKE_OVERS = Number(process.env["ROBOTA_TAKE_OVERS"] ?? 20);

let chromium: Chromium;
let server: PageServer;

beforeAll(async () => {
  chromium = await startChromium();
  server = await servePage("test/e2e/pages/take-over.ts", () => {});
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function openTab(): Promise<Page> {
  const page = await chromium.context.newPage();
  await page.goto(server.url);
  await page.waitForFunction(() => "contender" in globalThis);
  return page;
}

it(
  "loses and renumbers no shown events when three tabs take sessions from each other",
  { timeout: 60_000 + TAKE_OVERS * 1_000 },
  async () => {
    const tabs = [await openTab(), await openTab(), await openTab()];
    const { shown, takenOver, problems } = await contendUntil(TAKE_OVERS, async (sessions) => {
      const contentions = await Promise.all(
        tabs.map((tab, index) =>
          tab.evaluate(({ name, each }) => contender.contend(name, each), {
            name: `t${index}`,
            each: sessions,
          }),
        ),
      );
      return tabs[0]!.evaluate(({ each, all }) => contender.judge(each, all), {
        each: sessions,
        all: contentions,
      });
    });
    console.info(`three tabs: ${shown} events shown, ${takenOver} take-overs`);
    expect(problems).toEqual([]);
    for (const tab of tabs) await tab.close();
  },
);
