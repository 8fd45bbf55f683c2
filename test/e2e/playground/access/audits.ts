import type { Page } from "playwright";
import { lowContrast } from "../../contrast.ts";
import { barriers, overflow, settled } from "../audit.ts";
import { inBothThemes } from "../visitor.ts";
import { unreadableParts } from "./cut-text.ts";
import { smallTargets, TOUCH } from "./targets.ts";

/** Everything that would keep a person out of the state that the page shows, light and dark. */
export async function barriersByTheme(page: Page): Promise<string[]> {
  const found = await inBothThemes(page, async (colorScheme) => {
    const faint = await page.evaluate(lowContrast);
    const texts = faint.map(({ text, ratio }) => `${text} (${ratio})`);
    return [...texts, ...(await barriers(page))].map((barrier) => `${colorScheme}: ${barrier}`);
  });
  return found.flat();
}

/** Controls of a page on a phone that a finger can miss. */
export function missableTargets(page: Page): Promise<string[]> {
  return page.evaluate(smallTargets, TOUCH);
}

/** What can't be read or pressed once the person has doubled the browser's text size. Leaves it doubled. */
export async function lostWithLargeText(page: Page): Promise<string[]> {
  const debug = await page.context().newCDPSession(page);
  await debug.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
  await settled(page);
  const wider = await overflow(page);
  const lost = await page.evaluate(unreadableParts);
  return wider > 0 ? [`the page is ${wider} pixels too wide`, ...lost] : lost;
}
