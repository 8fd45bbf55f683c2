// Agents in processes of their own in which no Node runs: a page's renderer, and workerd.
import { readdirSync, readFileSync } from "node:fs";
import type { Browser, BrowserContext } from "playwright";
import { startChromium } from "../../e2e/chromium.ts";
import { servePage } from "../../e2e/page-server.ts";
import { startWorkerd } from "../../e2e/workerd.ts";
import type { Work } from "./agent.ts";
import type {} from "./page.ts";

const FOLDER = "test/bench/hosts";
/** So many in a row have to say the same. */
const PROBES = 3;
const PROBE_LOOPS = 3e7;

export interface HostedAgent {
  work(what: Work): Promise<void>;
  /** CPU time of its process until now, of all threads, in microseconds. */
  cpu(): number;
}

export interface AgentHost extends AsyncDisposable {
  /** A process that stays warm until the host is disposed. */
  start(): Promise<HostedAgent>;
}

export const HOSTS = { Chromium: startPages, workerd: startWorkers } satisfies Record<
  string,
  () => Promise<AgentHost>
>;

/** As the kernel counts it, to the nanosecond; threads that have ended are left out. Linux only. */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000;
}

async function startPages(): Promise<AgentHost> {
  await using started = new AsyncDisposableStack();
  const server = started.use(await servePage(`${FOLDER}/page.ts`, () => {}));
  const chromium = started.use(await startChromium());
  const browser = chromium.context.browser();
  if (!browser) throw new Error("The browser does not run");
  const running = started.move();
  const taken = new Set<number>();
  return {
    async start() {
      // Pages of different contexts have renderers of their own.
      const context = await browser.newContext();
      running.defer(() => context.close());
      const page = await context.newPage();
      await page.goto(server.url);
      await page.waitForFunction(() => "benchWork" in globalThis);
      const pid = await rendererOf(browser, context, taken);
      taken.add(pid);
      return {
        work: (what) => page.evaluate((given) => globalThis.benchWork(given), what),
        cpu: () => cpuOf(pid),
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The process of the context's page: of the renderers that are no other page's, the one that works when it does, again and again. */
async function rendererOf(
  browser: Browser,
  context: BrowserContext,
  taken: ReadonlySet<number>,
): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const seen: (number | undefined)[] = [];
  while (seen.length < PROBES) {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const before = processInfo
      .filter(({ id, type }) => type === "renderer" && !taken.has(id))
      .map(({ id }) => ({ id, used: cpuOf(id) }));
    await context.pages()[0]?.evaluate((loops) => {
      for (let left = loops; Math.sqrt(left) > 0;) left -= 1;
    }, PROBE_LOOPS);
    const busy = before
      .map(({ id, used }) => ({ id, used: cpuOf(id) - used }))
      .toSorted((one, other) => other.used - one.used)[0];
    // Another one may have been starting at that moment.
    if (seen.at(-1) !== busy?.id) seen.length = 0;
    seen.push(busy?.id);
  }
  await session.detach();
  return seen[0] ?? 0;
}

async function startWorkers(): Promise<AgentHost> {
  const running = new AsyncDisposableStack();
  return {
    async start() {
      const entry = `${FOLDER}/worker.ts`;
      const workerd = running.use(
        await startWorkerd({ entry, objects: {}, reachesLoopback: true }),
      );
      return {
        async work(what) {
          const response = await fetch(workerd.url, {
            method: "POST",
            body: JSON.stringify(what),
          });
          if (!response.ok) throw new Error(`workerd: ${await response.text()}`);
        },
        cpu: () => cpuOf(workerd.pid),
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
