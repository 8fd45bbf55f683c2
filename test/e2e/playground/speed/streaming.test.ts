import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type ModelServer,
  startModelServer,
  useModelServer,
} from "../../../bench/playground/model-server.ts";
import { type Playground, startPlayground } from "../site.ts";
import { ask, eventually, partsOf, visit } from "../visitor.ts";

const DELTAS = 20_000;
/** Characters that are drawn at a time, as in `drawing.ts`, and captions of code in them. */
const STEP = 9_000;

let playground: Playground;
let server: ModelServer;

beforeAll(async () => {
  [playground, server] = await Promise.all([startPlayground(), startModelServer()]);
});
afterAll(async () => {
  await playground[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

declare global {
  /** Times at which the conversation changed, frames of the page meanwhile, and the most characters of one change. */
  var drawing: { commits: number; frames: number; most: number } | undefined;
}

it("draws 20,000 deltas at most once a frame, a bounded part at a time, and leaves finished paragraphs alone", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, turns } = partsOf(page);
  await partsOf(page).file("README.md").waitFor();
  await useModelServer(page, server);
  await page.reload();
  await ask(page, "1 deltas, 1 a second");
  await page.evaluate(() => {
    const drawing = (globalThis.drawing = { commits: 0, frames: 0, most: 0 });
    const onFrame = (): void => {
      drawing.frames += 1;
      requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
    // Called once for all changes of a task.
    const conversation = document.querySelector("[role=log]");
    if (!conversation) throw new Error("No conversation");
    const options = { childList: true, characterData: true, subtree: true };
    let length: number | undefined;
    new MutationObserver(() => {
      drawing.commits += 1;
      const text = conversation.querySelector("article:last-of-type [data-part=markdown]");
      const now = text?.textContent?.length;
      // The first time, all is drawn that has arrived by then.
      if (now !== undefined && length !== undefined)
        drawing.most = Math.max(drawing.most, now - length);
      length = now;
    }).observe(conversation, options);
  });
  await message.fill(`${DELTAS} deltas, 100000 a second`);
  await message.press("Enter");
  const answer = turns.nth(1);
  const first = answer.locator("[data-part=markdown] > *").first();
  await first.waitFor();
  await first.evaluate((paragraph) => Object.assign(paragraph, { isKept: true }));
  await page.locator('article[data-state="complete"]').nth(1).waitFor({ timeout: 120_000 });
  await eventually(() => answer.getByRole("figure").count()).toBeGreaterThan(200);

  const {
    commits = NaN,
    frames = NaN,
    most = NaN,
  } = (await page.evaluate(() => globalThis.drawing)) ?? {};
  // A few are the turn's own: its bubble, its state, what it cost.
  expect(commits).toBeLessThan(frames + 25);
  expect(commits).toBeLessThan(DELTAS / 10);
  expect(most).toBeLessThanOrEqual(STEP);
  expect(await first.evaluate((paragraph) => "isKept" in paragraph)).toBe(true);
});
