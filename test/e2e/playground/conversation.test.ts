import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { barriers, settled } from "./audit.ts";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
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
  // It is coloured without another element, as long as it is on the screen.
  await conversation.locator("pre").last().scrollIntoViewIfNeeded();
  const coloured = () => page.evaluate(() => CSS.highlights.get("code-keyword")?.size ?? 0);
  await eventually(coloured).toBeGreaterThan(5);
  expect(await conversation.locator("pre code *").count()).toBe(0);
  await page.getByRole("button", { name: "New session" }).click();
  await eventually(coloured).toBe(0);
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
  await queue.getByRole("textbox").waitFor();
  await page.keyboard.press("Backspace");
  await page.keyboard.type("c*");
  await page.keyboard.press("Enter");
  await eventually(() => rows.first().textContent()).toContain("list bc*");
  await page.reload();
  await eventually(() => queue.textContent()).toContain("Paused · 2 queued");
  await queue.getByRole("button", { name: "Resume" }).click();
  await eventually(() => queue.count()).toBe(0);
  await eventually(() => turns.last().textContent()).toContain("list a*");
  await eventually(() => turns.nth(-2).textContent()).toContain("list bc*");
  expect(visitor.complaints).toEqual([]);
});

it("shows what a running turn was told until it has read it", async () => {
  await using visitor = await visit(playground, { motion: true });
  const { page } = visitor;
  const { message, turns } = partsOf(page);
  const notes = page.getByRole("region", { name: "For the running turn" });
  await message.fill("slow 2000\nlist *.md");
  await message.press("Enter");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await message.fill("list *.json");
  await message.press("Control+Enter");
  await eventually(() => notes.textContent()).toContain("list *.json");
  await turns.first().getByText("Steered:").waitFor();
  await notes.waitFor({ state: "detached" });
  await turns.first().and(page.locator('[aria-busy="false"]')).waitFor();
  expect(await turns.count()).toBe(1);
  expect(visitor.complaints).toEqual([]);
});

it("asks what becomes of a turn that a reload has cut: it goes on, or ends", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, asks, allow, card, conversation, turns } = partsOf(page);
  const banner = page.getByRole("region", { name: "Message" });
  const isOver = page.locator('[aria-busy="false"]');
  await message.fill("run sleep 600 > out.txt\nlist *.json");
  await message.press("Enter");
  await asks("Bash").waitFor();
  await allow.click();
  await eventually(() => card("Bash").getAttribute("data-phase")).toBe("running");

  await page.reload();
  await banner.getByText("Stopped in the middle of a turn").waitFor();
  await conversation.getByText("Cut off here").waitFor();
  expect(await card("Bash").getAttribute("data-phase")).toBe("stopped");
  expect(await message.count()).toBe(0);
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  // Another name is no word on the turn.
  const sessions = page.getByRole("navigation", { name: "Sessions" });
  await sessions.getByRole("button", { name: /^run sleep/ }).press("F2");
  await sessions.getByLabel("Name of the session").fill("A long sleep");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "A long sleep" }).waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  // Nobody knows how far the command came, so it is not run again.
  await conversation.getByText("its outcome is unknown").waitFor();
  await message.waitFor();
  await turns.last().and(isOver).waitFor();
  expect(await turns.count()).toBe(1);

  await message.fill("slow 600000");
  await message.press("Enter");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await eventually(() => turns.count()).toBe(2);
  await page.reload();
  await page.getByRole("button", { name: "End the turn" }).click();
  await conversation.getByText("Interrupted", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await ask(page, "list *.txt");
  expect(await turns.last().textContent()).toContain("cases.txt");
  expect(visitor.complaints).toEqual([]);
});

it("keeps the place where a person reads and what they opened, over another session and a reload", async () => {
  await using visitor = await visit(playground, { width: 1280, height: 600 });
  const { page } = visitor;
  const { card, guide, turns } = partsOf(page);
  const list = page.getByRole("navigation", { name: "Sessions" });
  await ask(page, "list *.txt\nlist *.json");
  await ask(page, "long 400");
  await ask(page, "find slug in src/*");
  await ask(page, "long 400");
  await card("Glob").last().getByRole("button").first().click();
  await card("Glob").last().getByRole("tab", { name: "Raw JSON" }).click();
  await turns.nth(2).evaluate((turn) => turn.scrollIntoView());
  const before = await placeOf(page, 2);

  const isAsLeft = async () => {
    await eventually(async () => Math.abs((await placeOf(page, 2)) - before)).toBeLessThan(8);
    const tab = card("Glob").last().getByRole("tab", { name: "Raw JSON" });
    await eventually(() => tab.getAttribute("aria-selected")).toBe("true");
  };
  await page.getByRole("button", { name: "New session" }).click();
  await guide("Fix the failing test").waitFor();
  await list.getByRole("button", { name: /^list \*\.txt/ }).click();
  await isAsLeft();
  await page.reload();
  await isAsLeft();
  // At its end, a conversation is followed as before.
  await page.keyboard.press("Tab");
  await ask(page, "long 400");
  await eventually(() => isAtEnd(page)).toBe(true);
  await page.reload();
  await eventually(() => turns.count()).toBe(5);
  await eventually(() => isAtEnd(page)).toBe(true);
  expect(visitor.complaints).toEqual([]);
});

it("keeps what is not sent yet: attachments, an edited message, and the entries for a request", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { asks, dock, guide, message, note, turns } = partsOf(page);
  const list = page.getByRole("navigation", { name: "Sessions" });
  const edited = page.getByLabel("Edit the message");
  const command = page.getByLabel("Command to run");
  const chips = page.getByRole("list", { name: "Attachments" }).getByRole("listitem");
  const leave = async (): Promise<void> => {
    await page.getByRole("button", { name: "New session" }).click();
    await guide("Fix the failing test").waitFor();
  };
  const comeBack = () =>
    list.getByRole("button", { name: /^(?:Waits for you: ?)?list \*/ }).click();

  await ask(page, "list *.txt");
  const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") };
  await page.locator("main input[type=file]").setInputFiles(notes);
  await eventually(() => chips.count()).toBe(1);
  await turns.last().getByRole("button", { name: "Edit and send again" }).click();
  await edited.fill("list *.json");
  await leave();
  expect(await chips.count()).toBe(0);
  await comeBack();
  await eventually(() => chips.count()).toBe(1);
  expect(await edited.inputValue()).toBe("list *.json");
  await page.reload();
  expect(await edited.inputValue()).toBe("list *.json");
  await edited.press("Enter");
  await eventually(() => turns.last().textContent()).toContain("package.json");
  expect(await edited.count()).toBe(0);

  await message.fill("run touch one");
  await message.press("Enter");
  await asks("Bash").waitFor();
  await note.fill("only this once");
  await page.getByRole("button", { name: "Edit command" }).click();
  await command.fill("touch two");
  await leave();
  await comeBack();
  await dock.waitFor();
  expect(await note.inputValue()).toBe("only this once");
  expect(await command.inputValue()).toBe("touch two");
  await page.reload();
  await dock.waitFor();
  expect(await command.inputValue()).toBe("touch two");
  // It never takes the focus by itself.
  expect(await command.evaluate((box) => box === document.activeElement)).toBe(false);
  await page.getByRole("button", { name: "Allow as edited" }).click();
  await partsOf(page).file("two").waitFor();
  expect(await partsOf(page).file("one").count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
});

it("stays at the end of a conversation that grows while its view does", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { conversation } = partsOf(page);
  await ask(page, "long 400");
  const waitForEnd = () => eventually(() => isAtEnd(page)).toBe(true);
  // As with an approval whose dock closes in the frame in which the reply goes on.
  await conversation.evaluate((log) => (log.style.maxHeight = "200px"));
  await waitForEnd();
  await conversation.evaluate(async (log) => {
    log.style.maxHeight = "";
    const top = log.scrollTop;
    const reply = log.querySelector("article")!.appendChild(document.createElement("div"));
    reply.style.height = `${top + 500}px`;
  });
  await waitForEnd();
});

/** Distance of a turn from the top of the window, in CSS pixels. */
async function placeOf(page: Page, turn: number): Promise<number> {
  const box = await partsOf(page).turns.nth(turn).boundingBox();
  return box?.y ?? Number.NaN;
}

function isAtEnd(page: Page): Promise<boolean> {
  return partsOf(page).conversation.evaluate(
    (log) => log.scrollHeight - log.scrollTop - log.clientHeight <= 48,
  );
}
