import { afterAll, beforeAll, expect, it } from "vitest";
import { longSession, storeSession } from "./long-session.ts";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";

declare global {
  /** Methods of the page's browser, while they are replaced. */
  var stores: Record<"put" | "add", unknown> | undefined;
}

/** Turns that the page draws at once of a long history, and those that it draws soon after. As in `use-window.ts`. */
const FIRST = 10;
const WINDOW = 100;
/** Records at the end of a log that are read by themselves, to be shown first. As in `last-turns.ts`. */
const END = 256;
/** Entries of a log that are stored as one record. As in `log-blocks.ts`. */
const BLOCK = 64;

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

it("runs in memory where the browser stores nothing, and says so", async () => {
  await using visitor = await visit(playground);
  const { context } = visitor;
  await context.addInitScript(() => {
    const refuse = (): never => {
      throw new DOMException("The user denied permission", "SecurityError");
    };
    IDBFactory.prototype.open = refuse;
    for (const area of ["localStorage", "sessionStorage"])
      Object.defineProperty(globalThis, area, { get: refuse });
  });
  const page = await context.newPage();
  await page.goto(playground.url);
  await page.getByText("This browser stores nothing for this page").first().waitFor();
  await partsOf(page).file("README.md").waitFor();
  await ask(page, "list *.txt");
  await page.getByLabel("Permission mode").selectOption({ label: "Allow all" });
  await ask(page, "run cat README.md > copied.txt");
  await partsOf(page).file("copied.txt").waitFor();
  await page
    .getByRole("navigation", { name: "Sessions" })
    .getByRole("button", { name: /^list \*\.txt/ })
    .waitFor();
  expect(visitor.complaints).toEqual([]);
});

it("draws the end of 10,000 messages first, opens them by one reading of their log, and draws what a search finds far above", async () => {
  const session = await longSession(10_000);
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { conversation, file, turns } = partsOf(page);
  await file("README.md").waitFor();
  await storeSession(page, session);
  await page.addInitScript(() => {
    const counted = { records: 0, entries: 0, drawn: 0 };
    Object.assign(globalThis, { counted });
    const store: Record<"getAll", IDBObjectStore["getAll"]> = IDBObjectStore.prototype;
    const getAll = store.getAll;
    store.getAll = function (this: IDBObjectStore, ...given) {
      const request = getAll.apply(this, given);
      if (this.name !== "logs") return request;
      request.addEventListener("success", () => {
        counted.records += request.result.length;
        for (const { ends } of request.result) counted.entries += ends?.length ?? 1;
      });
      return request;
    };
    const isShown = () => document.querySelector("[data-part=transcript] article") !== null;
    new MutationObserver((changes, observer) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node instanceof Element)
            counted.drawn +=
              node.querySelectorAll("article").length + Number(node.matches("article"));
      if (isShown()) observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  // From elsewhere: a page that still had the session open would be read along with for a moment.
  await page.goto("about:blank");
  await page.goto(`${playground.url}#/sessions/${session.id}`);
  const last = turns.filter({ hasText: session.lastPrompt });
  await last.getByRole("button", { name: "Fork after this turn" }).waitFor();
  type Counted = Record<"records" | "entries" | "drawn", number>;
  const { records, entries, drawn } = await page.evaluate(
    () => (globalThis as unknown as { counted: Counted }).counted,
  );
  const count = session.records.length;
  const single = count % BLOCK;
  expect(entries).toBe(count + END + single);
  expect(records).toBe((count + END - single) / BLOCK + 2 * single);
  expect(drawn).toBeGreaterThan(0);
  expect(drawn).toBeLessThanOrEqual(FIRST);

  // The others of the window follow above, and the last turn stays in sight.
  await eventually(() => turns.count()).toBe(WINDOW);
  const distance = () =>
    conversation.evaluate((view) => view.scrollHeight - view.scrollTop - view.clientHeight);
  await eventually(distance).toBeLessThan(2);
  await last.getByText(session.lastPrompt).waitFor();
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(6_000);

  // A person who reads above stays there when earlier turns are drawn.
  await conversation.evaluate((view) => (view.scrollTop = 0));
  const name = await turns.first().getAttribute("aria-label");
  const top = page.getByRole("article", { name: name ?? "" });
  const placeOf = async () => (await top.boundingBox())?.y ?? NaN;
  const earlier = conversation.getByRole("button", { name: `Show ${WINDOW} earlier` });
  const place = await placeOf();
  await earlier.click();
  await eventually(() => turns.count()).toBe(2 * WINDOW);
  expect(Math.abs((await placeOf()) - place)).toBeLessThan(2);

  // A search sees all of it, and draws what is around the hit.
  await conversation.press("ControlOrMeta+f");
  await page.getByRole("searchbox", { name: "Search the conversation" }).fill("Question 2:");
  await page.getByText("1 / 1", { exact: true }).waitFor();
  const second = page.getByRole("article", { name: "Turn: Question 2:" });
  await second.waitFor();
  await eventually(() => second.evaluate((turn) => turn.getBoundingClientRect().top)).toBeLessThan(
    800,
  );
  await eventually(() => turns.first().getAttribute("aria-label")).toMatch(/Question 1:/);
  expect(await turns.count()).toBeLessThanOrEqual(FIRST + WINDOW);
  await conversation.getByRole("button", { name: "Back to the latest" }).click();
  await last.waitFor();
  await eventually(distance).toBeLessThan(2);
  expect(visitor.complaints).toEqual([]);
});

it("ends a turn with words on a full disk, keeps what was typed and queued, and leads to the space", async () => {
  await using visitor = await visit(playground, { motion: true });
  const { page } = visitor;
  const { conversation, file, message, stop, turns } = partsOf(page);
  await file("README.md").waitFor();
  await ask(page, "help");
  // The browser looks at a quota only now and then, so the full disk is its answer to every write.
  const setFull = (isFull: boolean) =>
    page.evaluate((full) => {
      const store: Record<"put" | "add", unknown> = IDBObjectStore.prototype;
      const { put, add } = (globalThis.stores ??= { put: store.put, add: store.add });
      const refuse = (): never => {
        throw new DOMException("The quota has been exceeded", "QuotaExceededError");
      };
      Object.assign(IDBObjectStore.prototype, full ? { put: refuse, add: refuse } : { put, add });
    }, isFull);
  const send = async (prompt: string): Promise<void> => {
    await message.fill(prompt);
    await message.press("Enter");
  };
  await send("long 60000");
  await stop.waitFor();
  await send("list *.txt");
  const queue = page.getByRole("region", { name: "Queue" });
  await queue.getByText("list *.txt").waitFor();
  await setFull(true);
  const failure = conversation.getByRole("group", { name: "The turn failed" });
  await failure.getByText("There is no room for “help”", { exact: true }).waitFor();
  await stop.waitFor({ state: "detached" });
  await queue.getByText("Paused · 1 queued").waitFor();
  await eventually(() => message.inputValue()).toBe("");

  await send("list *.md");
  await page.getByRole("alert").getByText("There is no room for “help”", { exact: true }).waitFor();
  await eventually(() => message.inputValue()).toBe("list *.md");
  await failure.getByRole("button", { name: "Free space…" }).click();
  const workspaces = page.getByRole("dialog", { name: "Workspaces" });
  await workspaces.getByRole("region", { name: "Storage" }).waitFor();
  await page.keyboard.press("Escape");

  // What fails elsewhere on the page leads there, too.
  await queue.getByRole("button", { name: "Resume" }).click();
  const toast = page
    .locator('[data-part="toast"]')
    .filter({ hasText: "There is no room for “help”" });
  await toast.getByRole("button", { name: "Free space…" }).click();
  await workspaces.getByRole("region", { name: "Storage" }).waitFor();
  await page.keyboard.press("Escape");
  await toast.getByRole("button", { name: "Dismiss" }).click();
  await toast.waitFor({ state: "detached" });

  await setFull(false);
  await message.press("Enter");
  await turns.nth(2).and(page.locator('[aria-busy="false"]')).waitFor();
  await queue.getByRole("button", { name: "Resume" }).click();
  await turns.nth(3).and(page.locator('[aria-busy="false"]')).waitFor();
  await page.reload();
  await eventually(() => turns.count()).toBe(4);
  await failure.getByText(/no room/).waitFor();
});
