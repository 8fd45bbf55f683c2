import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "./site.ts";
import { eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
}, 120_000);
afterAll(() => playground[Symbol.asyncDispose]());

it("runs a card twice, says what came of it, and shows its code", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { guide, asks, allow, conversation } = partsOf(page);
  const next = page.getByRole("group", { name: "What to try next" });
  const size = page.viewportSize() ?? { width: 1280, height: 720 };
  // A phone shows the beginning of the cards, not their end.
  await page.setViewportSize({ width: 375, height: 600 });
  await page.reload();
  await guide("Fix the failing test").waitFor();
  await page.getByRole("button", { name: "Reset the sample files" }).waitFor();
  expect(
    await conversation.evaluate((log) => [log.scrollTop, log.scrollHeight > log.clientHeight]),
  ).toEqual([0, true]);
  await page.setViewportSize(size);
  for (let run = 0; run < 2; run += 1) {
    await guide("Fix the failing test").click();
    for (const tool of ["Bash", "Edit", "Bash"]) {
      await asks(tool).waitFor();
      await allow.click();
    }
    await eventually(() => next.textContent()).toContain("Tests pass. 1 file changed.");
    if (run === 0) await page.getByRole("button", { name: "New session" }).click();
  }
  await next.getByRole("button", { name: "Show the code" }).click();
  await eventually(() => conversation.textContent()).toContain("new InteractiveSession");
  expect(visitor.complaints).toEqual([]);
});

it("offers commands for free text, and keeps, edits, moves and pauses the queue over a stop", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, conversation, turns } = partsOf(page);
  const send = async (text: string) => {
    await message.fill(text);
    await message.press("Enter");
  };
  await message.fill("/mo");
  await eventually(() => page.getByRole("option", { name: /^\/mode / }).textContent()).toMatch(
    /^\/mode\[mode\].*Built-in$/,
  );
  // The turn stays in sight while what comes below it loads.
  const { promise: seen, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(/next-steps/, async (route) => {
    await seen;
    await route.continue();
  });
  await send("please raed the readme");
  await turns.first().and(page.locator('[aria-busy="false"]')).waitFor();
  goOn();
  const suggestions = page.getByRole("group", { name: "Suggestions" });
  await suggestions.getByRole("button", { name: "read <path>" }).click();
  await eventually(() => message.inputValue()).toBe("read <path>");
  expect(await message.evaluate((box) => box === document.activeElement)).toBe(true);

  await send("slow 60000");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  const queue = page.getByRole("region", { name: "Queue" });
  const rows = queue.getByRole("listitem");
  await send("list a*");
  await send("list b*");
  await eventually(() => rows.count()).toBe(2);
  await message.press("Escape");
  await conversation.getByText("Stopped by you").waitFor();
  await eventually(() => queue.textContent()).toContain("Paused · 2 queued");
  await page.getByRole("button", { name: "Move “list b*” up" }).click();
  await eventually(() => rows.first().textContent()).toContain("list b*");
  await page.getByRole("button", { name: "Edit “list b*”" }).click();
  await queue.getByRole("textbox").fill("list c*");
  await queue.getByRole("textbox").press("Enter");
  await eventually(() => rows.first().textContent()).toContain("list c*");
  await page.reload();
  await eventually(() => queue.textContent()).toContain("Paused · 2 queued");
  await queue.getByRole("button", { name: "Resume" }).click();
  await eventually(() => queue.count()).toBe(0);
  await eventually(() => turns.last().textContent()).toContain("list a*");
  await eventually(() => turns.nth(-2).textContent()).toContain("list c*");
  expect(visitor.complaints).toEqual([]);
});
