import type { Page } from "playwright";

/** Times by the page's own clock, in milliseconds. */
export interface Watched {
  /** From a key to the frame that shows it. */
  keys: number[];
  /** Tasks of 50 ms and more. */
  longTasks: number[];
  /** Times between frames. */
  frames: number[];
}

declare global {
  var watched: Watched;
}

/** Records keys, long tasks and frames of the page from now on. */
export async function watchPage(page: Page): Promise<void> {
  await page.evaluate(() => {
    globalThis.watched = { keys: [], longTasks: [], frames: [] };
    const afterPaint = (run: () => void): void => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener("message", run);
        port1.start();
        port2.postMessage(undefined);
      });
    };
    addEventListener(
      "keydown",
      ({ timeStamp }) => afterPaint(() => watched.keys.push(performance.now() - timeStamp)),
      { capture: true },
    );
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) watched.longTasks.push(duration);
    }).observe({ type: "longtask" });
    let before = performance.now();
    const onFrame = (now: number): void => {
      watched.frames.push(now - before);
      before = now;
      requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
  });
}

/** Takes the recorded counts, which start anew. */
export async function readWatch(page: Page): Promise<Watched> {
  // Long tasks are reported some time after their end.
  await page.waitForTimeout(300);
  return page.evaluate(() => {
    const seen = { ...watched };
    Object.assign(watched, { keys: [], longTasks: [], frames: [] });
    return seen;
  });
}
