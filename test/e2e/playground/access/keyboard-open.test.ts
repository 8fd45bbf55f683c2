import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Playground, startPlayground } from "../site.ts";
import { ANSWERS, unreachableAnswers, unreadableLines } from "../visible.ts";
import { eventually, partsOf, visit } from "../visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

/** Android's browsers make the window lower. */
async function resizes(page: Page): Promise<void> {
  await page.setViewportSize({ width: 375, height: 350 });
}

/** Safari on iOS leaves the window as it is and reports what stays visible; its visual viewport can't be had elsewhere. */
async function covers(page: Page): Promise<void> {
  await page.evaluate(() => {
    const visible = globalThis.visualViewport;
    if (!visible) throw new Error("No visual viewport");
    Object.defineProperty(visible, "height", { configurable: true, value: 350 });
    visible.dispatchEvent(new Event("resize"));
  });
}

/** Whether the part is within the 350 pixels above the keyboard, and nothing lies over it. */
function isInSight(page: Page, selector: string): Promise<boolean> {
  return page.evaluate((found) => {
    const part = document.querySelector(found);
    if (!part) return false;
    const { left, top, width, bottom, height } = part.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    return top >= 0 && bottom <= 350 && part.contains(over);
  }, selector);
}

const text = JSON.stringify(Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n"));

describe.each([
  { how: "makes the window lower", open: resizes },
  { how: "covers the window", open: covers },
])("an on-screen keyboard that $how", ({ open }) => {
  it("leaves the message, Stop, and all of a request in reach", async () => {
    await using visitor = await visit(playground, { width: 375, height: 740 });
    const { page } = visitor;
    const { message, stop, asks, allow, note, dock } = partsOf(page);
    await message.fill("slow 60000");
    await message.press("Enter");
    await stop.waitFor();
    await message.tap();
    await open(page);
    await message.fill("a message\nof several\nlines\nthat is\nstill\nbeing\nwritten");
    for (const part of ["textarea", "button[aria-label=Stop]", "button[aria-label=Steer]"])
      await eventually(() => isInSight(page, `[data-part=composer] ${part}`), {
        message: part,
      }).toBe(true);
    await message.fill("");
    await stop.tap();
    await page.getByText("Stopped by you").waitFor();

    await message.fill(`write big.txt: ${text}`);
    await message.press("Enter");
    await asks("Write").waitFor();
    await eventually(() => allow.isEnabled()).toBe(true);
    await note.tap();
    await eventually(() => page.evaluate(unreachableAnswers, ANSWERS)).toEqual([]);
    expect(await page.evaluate(unreadableLines)).toEqual([]);
    const { y = 0, height = 0 } = (await dock.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(350);
    await allow.tap();
    await dock.waitFor({ state: "detached" });
  });
});
