import axe from "axe-core";
import type { Page } from "playwright";

/** axe-core's serious and critical findings on the page, one line for each element. */
export async function barriers(page: Page): Promise<string[]> {
  // The page's policy forbids scripts from elsewhere; the debugger is not the page's.
  const debug = await page.context().newCDPSession(page);
  await debug.send("Runtime.evaluate", { expression: axe.source });
  await debug.detach();
  return page.evaluate(async () => {
    const { axe: runner } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await runner.run(document, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} (${any[0]?.message ?? ""})`),
      );
  });
}

/** How many pixels the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}

/** Waits for transitions to end, so that colours and places are those that stay. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}
