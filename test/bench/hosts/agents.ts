// Agents in processes of their own in which no Node runs: a page's renderer, and workerd.
import { readdirSync, readFileSync } from "node:fs";
import type { Browser, Page } from "playwright";
import { startChromium } from "../../e2e/chromium.ts";
import { servePage } from "../../e2e/page-server.ts";
import { startWorkerd } from "../../e2e/workerd.ts";
import type { Work } from "./agent.ts";
import type {} from "./page.ts";

const FOLDER = "test/bench/hosts";

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

/**
 * Reads the CPU time of a process as the kernel counts it, to the nanosecond, in microseconds. What a thread had used when it
 * was last seen stays counted when it ends. Linux only.
 */
function cpuClock(pid: number): () => number {
  const nanoseconds = new Map<string, number>();
  const read = (): number => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const used = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0];
      nanoseconds.set(thread, Number(used));
    }
    return [...nanoseconds.values()].reduce((sum, each) => sum + each, 0) / 1000;
  };
  read();
  return read;
}

async function startPages(): Promise<AgentHost> {
  await using started = new AsyncDisposableStack();
  const server = started.use(await servePage(`${FOLDER}/page.ts`, () => {}));
  const chromium = started.use(await startChromium());
  const browser = chromium.context.browser();
  if (!browser) throw new Error("The browser does not run");
  const running = started.move();
  return {
    async start() {
      // Pages of different contexts have renderers of their own.
      const context = await browser.newContext();
      running.defer(() => context.close());
      const page = await context.newPage();
      await page.goto(server.url);
      await page.waitForFunction(() => "benchWork" in globalThis);
      const cpu = cpuClock(await rendererOf(browser, page));
      return { work: (what) => page.evaluate((given) => globalThis.benchWork(given), what), cpu };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The process of a page, which the beginning of a trace names. */
async function rendererOf(browser: Browser, page: Page): Promise<number> {
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as Trace;
  const frames = traceEvents.flatMap(({ args }) => args?.data?.frames ?? []);
  const pid = frames.find(({ url }) => url === page.url())?.processId;
  if (pid === undefined) throw new Error("The trace does not name the page's process");
  return pid;
}

/** The part of a Chromium trace that is read here. */
interface Trace {
  traceEvents: { args?: { data?: { frames?: { url: string; processId: number }[] } } }[];
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
        cpu: cpuClock(workerd.pid),
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
