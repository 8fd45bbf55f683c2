import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright";
import { chromiumProgram } from "../hosts/chromium-program.ts";

/** A real browser with a profile on disk, which can be killed and started again. */
export interface Chromium extends AsyncDisposable {
  /** Where the browser keeps what its pages store. */
  readonly profile: string;
  /** The profile's own context: what its pages store is kept. */
  readonly context: BrowserContext;
  /** SIGKILL to every process of the browser: nothing of it runs any more. */
  kill(): Promise<void>;
  /** Starts it again on the same profile. */
  start(): Promise<void>;
}

const FLAGS = [
  "--headless=new",
  "--remote-debugging-port=0",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export async function startChromium(): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), "robota-chromium-"));
  let child: ChildProcess | undefined;
  let browser: Browser | undefined;

  const kill = async (): Promise<void> => {
    if (child?.pid === undefined) return;
    const exited = once(child, "exit");
    // The browser leads a process group of its own, in which all its processes are.
    process.kill(-child.pid, "SIGKILL");
    await exited;
    child = undefined;
  };
  const start = async (attempts = 3): Promise<void> => {
    child = spawn(chromiumProgram, [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], {
      detached: true,
      stdio: ["ignore", "ignore", "pipe"],
    });
    try {
      browser = await chromium.connectOverCDP(await debuggerUrl(child), { timeout: 60_000 });
      for (const context of browser.contexts()) context.setDefaultTimeout(60_000);
    } catch (error) {
      // Now and then a browser that was killed before answers nobody after its start.
      await kill();
      if (attempts === 1) throw error;
      await start(attempts - 1);
    }
  };

  await start();
  return {
    profile,
    get context() {
      const context = browser?.contexts()[0];
      if (!context) throw new Error("The browser does not run");
      return context;
    },
    kill,
    start: () => start(),
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Ends the page's process as a fault in it would. Resolves when the tab is dead. */
export async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  // Never answered: the one who would answer is dead.
  session.send("Page.crash").catch(() => undefined);
  await crashed;
}

async function debuggerUrl({ stderr }: ChildProcess): Promise<string> {
  const lines = createInterface({ input: stderr as Readable });
  for await (const line of lines) {
    const url = /DevTools listening on (\S+)/.exec(line)?.[1];
    if (url) {
      (stderr as Readable).resume();
      return url;
    }
  }
  throw new Error("The browser ended before it listened");
}
