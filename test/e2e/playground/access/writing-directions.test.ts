import type { Locator } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "../site.ts";
import { ask, eventually, partsOf, visit } from "../visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

/** Where a piece of an element's text stands, from left to right. */
function placeOf(inside: Locator, piece: string): Promise<{ left: number; right: number }> {
  return inside.evaluate((element, wanted) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const at = texts.currentNode.textContent?.indexOf(wanted) ?? -1;
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(texts.currentNode, at);
      range.setEnd(texts.currentNode, at + wanted.length);
      const { left, right } = range.getBoundingClientRect();
      return { left, right };
    }
    throw new Error(`No ${wanted} in ${element.textContent}`);
  }, piece);
}

const directionOf = (part: Locator): Promise<string> =>
  part.evaluate((element) => getComputedStyle(element).direction);

it("sets Hebrew and Arabic from the right, and keeps the order of names and code", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, asks, dock, conversation, allow, file, turns } = partsOf(page);
  await message.fill("שלום, מה שלומך?");
  await eventually(() => directionOf(message)).toBe("rtl");
  await message.fill("hello");
  await eventually(() => directionOf(message)).toBe("ltr");

  await ask(page, "مرحبا بالعالم list");
  const prompt = conversation.locator("[data-part=prompt]").first();
  expect(await directionOf(prompt)).toBe("rtl");

  await message.fill("write שלום.txt: עולם");
  await message.press("Enter");
  await asks("Write").waitFor();
  const heading = dock.getByRole("heading");
  const [name, ending, counts] = await Promise.all([
    placeOf(heading, "שלום"),
    placeOf(heading, ".txt"),
    placeOf(heading, "+1"),
  ]);
  expect(ending.left).toBeGreaterThanOrEqual(name.right - 1);
  expect(counts.left).toBeGreaterThanOrEqual(ending.right - 1);
  await eventually(() => allow.isEnabled()).toBe(true);
  await allow.click();
  await turns.nth(1).and(page.locator('[aria-busy="false"]')).waitFor();

  const row = file("שלום.txt");
  await row.waitFor();
  const inTree = await Promise.all([placeOf(row, "שלום"), placeOf(row, ".txt"), placeOf(row, "A")]);
  expect(inTree[1].left).toBeGreaterThanOrEqual(inTree[0].right - 1);
  expect(inTree[2].left).toBeGreaterThanOrEqual(inTree[1].right - 1);

  const card = conversation.locator("[data-part=tool-card] > button").last();
  const [inCard, endInCard] = await Promise.all([placeOf(card, "שלום"), placeOf(card, ".txt")]);
  expect(endInCard.left).toBeGreaterThanOrEqual(inCard.right - 1);

  const title = page
    .getByRole("navigation", { name: "Sessions" })
    .locator("[data-part=session-title]");
  const [begin, end] = await Promise.all([
    placeOf(title.first(), "مرحبا"),
    placeOf(title.first(), "list"),
  ]);
  expect(begin.left).toBeGreaterThan(end.left);
});
