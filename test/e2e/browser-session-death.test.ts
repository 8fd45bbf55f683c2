import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chromium, crash, startChromium } from "./chromium.ts";
import { type PageServer, servePage } from "./page-server.ts";
import type {} from "./pages/session-death.ts";

const KILLS = Number(process.env["ROBOTA_KILLS"] ?? 4);
/** Each of these kills takes the whole browser, the others the tab. */
const BROWSER_KILL_EVERY = 4;

let chromium: Chromium;
let server: PageServer;
let onTold = (_line: string): void => {};

beforeAll(async () => {
  chromium = await startChromium();
  server = await servePage("test/e2e/pages/session-death.ts", (_path, line) => onTold(line));
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function openPage(): Promise<Page> {
  const page = await chromium.context.newPage();
  await page.goto(server.url);
  await page.waitForFunction(() => "life" in globalThis);
  return page;
}

/** Lets a session work until it has told some lines, and kills its tab or browser then; resolves to all that arrived. */
async function live(page: Page, first: number, killsBrowser: boolean): Promise<string[]> {
  const count = 6 + Math.floor(Math.random() * 36);
  const lines: string[] = [];
  const dead = Promise.withResolvers<void>();
  const kill = async (): Promise<void> => {
    if (killsBrowser) return chromium.kill();
    await crash(page);
    await page.close();
  };
  onTold = (line) => {
    lines.push(line);
    // The kill is sent in the same turn in which the line was read.
    if (lines.length === count) kill().then(dead.resolve, dead.reject);
  };
  await page.evaluate((turn) => globalThis.life.live(turn), first).catch(() => undefined);
  await dead.promise;
  onTold = () => {};
  if (killsBrowser) await chromium.start();
  return lines;
}

it(
  `loses no completed turns over ${KILLS} kills, and restores files after each`,
  { timeout: 60_000 + KILLS * 20_000 },
  async () => {
    let reported = 0;
    let rewound = 0;
    let page = await openPage();
    for (let kill = 1; kill <= KILLS; kill++) {
      const lines = await live(page, (kill - 1) * 1_000, kill % BROWSER_KILL_EVERY === 0);
      expect(lines.filter((line) => line.startsWith("failed"))).toEqual([]);
      page = await openPage();
      const life = await page.evaluate((each) => globalThis.life.check(each), lines);
      expect(life.problems).toEqual([]);
      reported += life.reported;
      if (life.isRewound) rewound += 1;
    }
    console.info(
      `${KILLS} kills, ${reported} events shown, none lost; files back ${rewound} times`,
    );
    expect(reported).toBeGreaterThan(KILLS * 5);
    expect(rewound).toBeGreaterThan(KILLS / 4);
  },
);
