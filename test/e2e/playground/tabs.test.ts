import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { lowContrast } from "../contrast.ts";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

const notice = (page: Page): Locator => page.getByRole("region", { name: "Message" });

it("shows a session live in a second tab, which can take it over, and tells the first one", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  await ask(page, "list *.txt");
  await page.getByLabel("Message to the agent").fill("not sent yet");

  // The plain address opens a new session, with the list of all.
  const third = await context.newPage();
  await third.goto(playground.url);
  await partsOf(third).guide("Fix the failing test").waitFor();
  const list = third.getByRole("navigation", { name: "Sessions" });
  await list.getByRole("img", { name: "Open in another tab" }).waitFor();
  await third.close();

  const other = await context.newPage();
  await other.goto(page.url());
  await notice(other).getByText("Open in another tab").waitFor();
  await eventually(() => partsOf(other).conversation.textContent()).toContain("cases.txt");
  expect(await partsOf(other).message.count()).toBe(0);
  expect(await other.evaluate(lowContrast)).toEqual([]);
  // Reads along.
  await page.getByLabel("Message to the agent").fill("list check.sh");
  await page.getByLabel("Message to the agent").press("Enter");
  await partsOf(other).turns.nth(1).and(other.locator('[aria-busy="false"]')).waitFor();

  await page.getByLabel("Message to the agent").fill("not sent yet");
  await other.getByRole("button", { name: "Take over" }).click();
  await partsOf(other).message.waitFor();
  // The draft follows the session.
  await eventually(() => partsOf(other).message.inputValue()).toBe("not sent yet");
  // The first tab is idle, and says so nevertheless.
  await notice(page).getByText("Another tab took over this session").waitFor();
  await ask(other, "list *.sh");
  await eventually(() => partsOf(page).turns.count()).toBe(3);
  await page.getByRole("button", { name: "Take it back" }).click();
  await partsOf(page).message.waitFor();
  await notice(other).getByText("Another tab took over this session").waitFor();
  expect(visitor.complaints).toEqual([]);
});

it("says at once that a session which another tab has open can't be renamed or deleted here", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  await ask(page, "list *.txt");
  const other = await context.newPage();
  await other.goto(playground.url);
  await partsOf(other).guide("Fix the failing test").waitFor();
  const list = other.getByRole("navigation", { name: "Sessions" });
  await list.getByRole("img", { name: "Open in another tab" }).waitFor();
  const row = list.getByRole("button", { name: /^list \*\.txt/ }).first();
  const problem = (change: string): Locator =>
    other
      .getByText(`“list *.txt” is open in another tab, and can only be ${change} there.`)
      .first();

  const id = page.url().split("/").at(-1) ?? "";
  const isHeld = () =>
    other.evaluate(async (name) => {
      const { held = [] } = await navigator.locks.query();
      return held.some((lock) => lock.name?.endsWith(name));
    }, id);

  await row.press("F2");
  await problem("renamed").waitFor();
  await row.press("Delete");
  await problem("deleted").waitFor();
  expect(await list.getByRole("textbox").count()).toBe(0);
  expect(await list.getByRole("button", { name: "Delete", exact: true }).count()).toBe(0);
  await page.close();
  await eventually(isHeld).toBe(false);
  await row.press("Delete");
  await list.getByRole("button", { name: "Delete", exact: true }).click();
  await other.getByRole("button", { name: "Undo" }).waitFor();
  expect(visitor.complaints).toEqual([]);
});

it("says what has interrupted a turn that waits for an answer: a reload, or another tab", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  const { message, asks, conversation } = partsOf(page);
  await message.fill("write notes.txt: hello");
  await message.press("Enter");
  await asks("Write").waitFor();
  await page.reload();
  await conversation.getByText("Paused by a reload. Continues when you answer.").waitFor();

  const other = await context.newPage();
  const there = partsOf(other);
  await other.goto(page.url());
  await there.conversation
    .getByText("It continues when you answer in the tab that has the session open.")
    .waitFor();
  await other.getByRole("button", { name: "Take over" }).click();
  await there.conversation
    .getByText("Taken over from another tab. Continues when you answer.")
    .waitFor();
  await conversation
    .getByText("Another tab took this session over. It continues there when you answer.")
    .waitFor();
  for (const tab of [page, other])
    expect(await tab.getByText("Paused by a reload").count()).toBe(0);

  await there.allow.click();
  await there.turns.first().and(other.locator('[aria-busy="false"]')).waitFor();
  await eventually(() => conversation.getByText("It continues there").count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
});

it("goes back and forward between sessions, and keeps a deletion over a reload", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  const { conversation, guide, message } = partsOf(page);
  const list = page.getByRole("navigation", { name: "Sessions" });
  await ask(page, "list *.txt");
  await page.getByRole("button", { name: "New session" }).click();
  await guide("Fix the failing test").waitFor();
  await ask(page, "list *.sh");
  await list.getByRole("button", { name: /^list \*\.txt/ }).click();
  await eventually(() => conversation.textContent()).toContain("cases.txt");
  await page.goBack();
  await eventually(() => conversation.textContent()).toContain("check.sh");
  await page.goForward();
  await eventually(() => conversation.textContent()).toContain("cases.txt");

  // Each tab has the draft of its new session for itself.
  await page.getByRole("button", { name: "New session" }).click();
  await guide("Fix the failing test").waitFor();
  await message.fill("mine");
  const other = await context.newPage();
  await other.goto(playground.url);
  await partsOf(other).message.waitFor();
  await eventually(() => partsOf(other).message.inputValue()).toBe("");
  await other.close();
  await page.reload();
  await eventually(() => message.inputValue()).toBe("mine");

  await list.getByRole("button", { name: /^list \*\.sh/ }).hover();
  await list.getByRole("button", { name: "Delete list *.sh" }).click();
  await list.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await page.reload();
  await list.getByRole("button", { name: /^list \*\.txt/ }).waitFor();
  expect(await list.getByRole("button", { name: /^list \*\.sh/ }).count()).toBe(0);
  // There is still time to undo it.
  await page.getByRole("button", { name: "Undo" }).click();
  await list.getByRole("button", { name: /^list \*\.sh/ }).waitFor();

  await page.goto(`${playground.url}#/sessions/unknown-session`);
  await page.getByText("This session isn't in this browser").waitFor();
  await list.getByRole("button", { name: /^list \*\.txt/ }).waitFor();
  expect(visitor.complaints).toEqual([]);
});

it("keeps the name of a session in which nothing was said, over a reload and another session", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { guide, message, turns } = partsOf(page);
  const list = page.getByRole("navigation", { name: "Sessions" });
  const row = (name: string) => list.getByRole("button", { name: new RegExp(`^${name}`) });
  const title = (name: string) =>
    page.getByRole("heading", { name, level: 1, exact: true }).waitFor();
  await guide("Fix the failing test").waitFor();
  await message.fill("/rename Plans");
  await message.press("Enter");
  await row("Plans").and(page.locator('[aria-current="page"]')).waitFor();
  await title("Plans");
  await guide("Fix the failing test").waitFor();

  await page.reload();
  await title("Plans");
  await guide("Fix the failing test").waitFor();
  await message.fill("for later");
  await row("Plans").focus();
  await page.keyboard.press("F2");
  const name = list.getByLabel("Name of the session");
  await name.fill("Great plans");
  await name.press("Enter");
  await title("Great plans");

  // A new session is another one, with a draft of its own.
  await page.getByRole("button", { name: "New session" }).click();
  await title("New session");
  await eventually(() => message.inputValue()).toBe("");
  await row("Great plans").click();
  await title("Great plans");
  await eventually(() => message.inputValue()).toBe("for later");
  await ask(page, "list *.txt");
  await page.reload();
  await title("Great plans");
  await eventually(() => turns.count()).toBe(1);

  // Deleted before its first turn, it is left for another one.
  await page.getByRole("button", { name: "New session" }).click();
  await title("New session");
  await message.fill("/rename Nothing");
  await message.press("Enter");
  await row("Nothing").focus();
  await page.keyboard.press("Delete");
  await list.getByRole("button", { name: "Delete", exact: true }).click();
  await title("Great plans");
  expect(visitor.complaints).toEqual([]);
});

it("groups, forks, duplicates, exports and imports sessions from their list", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { conversation } = partsOf(page);
  const list = page.getByRole("navigation", { name: "Sessions" });
  const today = list.getByRole("region", { name: "Today" });
  const menu = async (action: string) => {
    await today.getByRole("button", { name: /^list \*\.txt(?! \()/ }).hover();
    await today.getByRole("button", { name: "More for list *.txt", exact: true }).click();
    await page.getByRole("button", { name: action }).click();
  };
  await ask(page, "list *.txt");
  await menu("Duplicate");
  await page.getByRole("heading", { name: "list *.txt (copy)" }).waitFor();
  await eventually(() => conversation.textContent()).toContain("cases.txt");
  await menu("Fork with its own files");
  await page.getByRole("heading", { name: "list *.txt (fork)" }).waitFor();
  await eventually(() => conversation.textContent()).toContain("cases.txt");
  await eventually(() => today.getByRole("listitem").count()).toBe(3);

  const [download] = await Promise.all([page.waitForEvent("download"), menu("Export")]);
  const text = await readFile(await download.path(), "utf8");
  expect(text).toContain('"format":"robota-session"');
  expect(await page.evaluate(lowContrast)).toEqual([]);
  const dropped = await page.evaluateHandle((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], "a.session.jsonl"));
    return transfer;
  }, text);
  const area = page.locator("[data-part=session-list]");
  await area.dispatchEvent("dragover", { dataTransfer: dropped });
  await area.dispatchEvent("drop", { dataTransfer: dropped });
  const dialog = page.getByRole("dialog", { name: "Import a session" });
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await eventually(() => today.getByRole("listitem").count()).toBe(4);
  await eventually(() => conversation.textContent()).toContain("cases.txt");
  expect(visitor.complaints).toEqual([]);
});
