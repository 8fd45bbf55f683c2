import type { Browser } from "playwright";

/** Milliseconds since the navigation, and since the click for the question. */
export interface FirstLoad {
  /** The first contentful paint. */
  painted: number;
  /** The composer is there and takes text. */
  usable: number;
  /** The cards, which are the largest part of the first screen, are painted. */
  drawn: number;
  /** From the click on the first card to the first question. */
  question: number;
}

/** Lighthouse's Slow 4G. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
const CPU_SLOWDOWN = 4;

interface Marks {
  usable?: number;
  drawn?: number;
  clicked?: number;
  question?: number;
}

declare global {
  var marks: Marks;
}

/** A first visit with an empty profile, on a slowed machine and network. */
export async function firstLoad(browser: Browser, url: string): Promise<FirstLoad> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(markMoments);
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    await devtools.send("Network.emulateNetworkConditions", SLOW_4G);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    await page.goto(url);
    const card = page.getByRole("main").getByRole("button", { name: "Fix the failing test" });
    await card.waitFor();
    await page.waitForFunction(() => marks.drawn !== undefined);
    // A person reads before the click; what the page does meanwhile counts as well.
    await page.waitForTimeout(2_000);
    await card.click();
    await page.waitForFunction(() => marks.question !== undefined, undefined, { timeout: 60_000 });
    return await page.evaluate(() => {
      const [paint] = performance.getEntriesByName("first-contentful-paint");
      const { usable = NaN, drawn = NaN, question = NaN, clicked = NaN } = marks;
      return { painted: paint?.startTime ?? NaN, usable, drawn, question: question - clicked };
    });
  } finally {
    await context.close();
  }
}

/** Runs in the page, before its own scripts. */
function markMoments(): void {
  globalThis.marks = {};
  const look = (): void => {
    const box = document.querySelector("textarea");
    if (box && !box.disabled) marks.usable ??= performance.now();
    if (document.querySelector("[data-part=approval-dock] h2"))
      marks.question ??= performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) marks.drawn = startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  addEventListener("click", ({ timeStamp }) => (marks.clicked ??= timeStamp), { capture: true });
}
