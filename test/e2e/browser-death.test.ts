import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chromium, crash, startChromium } from "./chromium.ts";
import { type PageServer, servePage } from "./page-server.ts";
import type { Lane } from "./pages/workload.ts";

const KILLS = Number(process.env["ROBOTA_KILLS"] ?? 50);
/** Each of these kills takes the whole browser, the others the tab. */
const BROWSER_KILL_EVERY = 10;

let chromium: Chromium;
let server: PageServer;
const acknowledged: Record<Lane, number> = { files: 0, log: 0, values: 0 };
let onChecked = (_problems: string[]): void => {};
let onDone = (): void => {};
let onFailed = (_error: string): void => {};

beforeAll(async () => {
  chromium = await startChromium();
  server = await servePage("test/e2e/pages/durability.ts", (path, body) => {
    if (path === "/done") {
      const { lane, n }: { lane: Lane; n: number } = JSON.parse(body);
      acknowledged[lane] = n;
      onDone();
    } else if (path === "/checked") {
      const { done, problems } = JSON.parse(body);
      if (problems.length === 0) Object.assign(acknowledged, done);
      onChecked(problems);
    } else {
      onFailed(body);
    }
  });
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Opens the page on what earlier lives have left; resolves to what it finds wrong. */
async function openPage(): Promise<{ problems: string[]; die: () => Promise<void> }> {
  const checked = Promise.withResolvers<string[]>();
  onChecked = checked.resolve;
  onFailed = (error) => checked.reject(new Error(error));
  const page = await chromium.context.newPage();
  const query = new URLSearchParams(
    Object.entries(acknowledged).map(([lane, n]) => [lane, `${n}`]),
  );
  await page.goto(`${server.url}/?${query}`, { waitUntil: "commit" });
  const problems = await checked.promise;
  return {
    problems,
    async die() {
      await crash(page);
      await page.close();
    },
  };
}

it(
  `keeps all acknowledged writes over ${KILLS} kills, and no partial ones`,
  { timeout: 60_000 + KILLS * 3_000 },
  async () => {
    for (let kill = 1; kill <= KILLS; kill++) {
      const { problems, die } = await openPage();
      expect(problems).toEqual([]);

      const isBrowserKill = kill % BROWSER_KILL_EVERY === 0;
      const dead = Promise.withResolvers<void>();
      onFailed = (error) => dead.reject(new Error(error));
      let left = 1 + Math.floor(Math.random() * 40);
      onDone = () => {
        left -= 1;
        // The kill is sent in the same turn in which the acknowledgement was read.
        if (left === 0) (isBrowserKill ? chromium.kill() : die()).then(dead.resolve, dead.reject);
      };
      await dead.promise;
      onDone = () => {};
      if (isBrowserKill) await chromium.start();
    }
    const { problems } = await openPage();
    expect(problems).toEqual([]);
    // Every lane went on after its kills.
    for (const steps of Object.values(acknowledged)) expect(steps).toBeGreaterThan(KILLS);
  },
);
