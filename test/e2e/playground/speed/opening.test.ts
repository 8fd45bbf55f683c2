import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { longSession, type StoredSession, storeSession } from "../long-session.ts";
import { type Playground, startPlayground } from "../site.ts";
import { eventually, partsOf, visit } from "../visitor.ts";

let playground: Playground;
let session: StoredSession;

beforeAll(async () => {
  [playground, session] = await Promise.all([startPlayground(), longSession(1_500)]);
});
afterAll(() => playground[Symbol.asyncDispose]());

/** Keeps the code back that opens a stored session, until it is wanted. */
async function holdOpening(page: Page): Promise<() => void> {
  const { promise: isWanted, resolve: want } = Promise.withResolvers<void>();
  await page.route(/\/reopen-.*\.js$/, async (route) => {
    await isWanted;
    await route.continue();
  });
  return want;
}

function entryOf(page: Page): Locator {
  const sessions = page.getByRole("navigation", { name: "Sessions" });
  return sessions.getByRole("button", { name: /^Question 1/ }).first();
}

it("shows the last turns of a long conversation while its session opens, and then all of it", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { turns, file, message, conversation } = partsOf(page);
  await file("README.md").waitFor();
  await storeSession(page, session);
  const open = await holdOpening(page);
  await page.reload();
  await entryOf(page).click();
  const last = turns.filter({ hasText: session.lastPrompt });
  await last.waitFor();
  await last.evaluate((turn) => Object.assign(turn, { isKept: true }));
  expect(await last.getByRole("button", { name: "Fork after this turn" }).count()).toBe(0);
  // A reload meanwhile shows the same session.
  expect(page.url()).toContain(session.id);

  open();
  await last.getByRole("button", { name: "Fork after this turn" }).waitFor();
  expect(await last.evaluate((turn) => "isKept" in turn)).toBe(true);
  await page.getByRole("button", { name: "Show 100 earlier" }).waitFor();
  await conversation.focus();
  await page.keyboard.press("Control+f");
  await page.getByLabel("Search the conversation").fill("Question 1:");
  await eventually(() => page.getByRole("search").getByRole("status").textContent()).toBe("1 / 1");
  await turns.filter({ hasText: "Question 1:" }).waitFor();
  await page.keyboard.press("Escape");

  await message.press("Escape");
  await message.press("Escape");
  const dialog = page.getByRole("dialog", { name: "Rewind" });
  await dialog.getByRole("button", { name: session.lastPrompt }).click();
  await dialog.getByRole("button", { name: "Rewind", exact: true }).click();
  await dialog.getByText(/rewound\./).waitFor();
  await page.keyboard.press("Escape");
  await eventually(() => last.count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
});

/** Opens the session from the list after a reload: its last turn is drawn once, before the session is there. */
async function expectKept(page: Page): Promise<void> {
  await page.reload();
  await entryOf(page).click();
  const last = partsOf(page).turns.filter({ hasText: session.lastPrompt });
  await last.waitFor();
  await last.evaluate((turn) => Object.assign(turn, { isKept: true }));
  await last.getByRole("button", { name: "Fork after this turn" }).waitFor();
  expect(await last.evaluate((turn) => "isKept" in turn)).toBe(true);
}

it("keeps them in sight where the browser takes long to give a session that no other tab has", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await partsOf(page).file("README.md").waitFor();
  await storeSession(page, session);
  await page.addInitScript((id) => {
    const { locks } = navigator;
    const request = locks.request.bind(locks) as (...given: unknown[]) => Promise<unknown>;
    locks.request = async (...given: [name: string, ...rest: unknown[]]) => {
      if (given[0].endsWith(id)) await new Promise((resolve) => setTimeout(resolve, 1_000));
      return request(...given);
    };
  }, session.id);
  await expectKept(page);
  expect(visitor.complaints).toEqual([]);
});

it("keeps them in sight where this tab has the session long before it learns of that", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await partsOf(page).file("README.md").waitFor();
  await storeSession(page, session);
  await page.addInitScript((id) => {
    const { locks } = navigator;
    const request = locks.request.bind(locks);
    locks.request = ((name: string, options: LockOptions, take: LockGrantedCallback<unknown>) =>
      request(name, options, async (lock) => {
        if (name.endsWith(id)) await new Promise((resolve) => setTimeout(resolve, 1_000));
        return take(lock);
      })) as LockManager["request"];
  }, session.id);
  await expectKept(page);
  expect(visitor.complaints).toEqual([]);
});

declare global {
  /** Lets timers of no time run again, which reading a log waits for after each part. */
  var goOn: (() => void) | undefined;
}

/** Runs in the page: keeps the reading of a log back after its first part. */
function holdReading(): void {
  const { setTimeout: start } = globalThis;
  const { promise: isWanted, resolve } = Promise.withResolvers<void>();
  globalThis.goOn = resolve;
  const held = (run: () => void, time?: number, ...rest: unknown[]): number => {
    if (time === 0) return Number(void isWanted.then(run));
    return start(run, time, ...rest);
  };
  Object.assign(globalThis, { setTimeout: held });
}

it("says that another tab has taken a session of which only the end was shown", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  await partsOf(page).file("README.md").waitFor();
  await storeSession(page, session);
  await page.reload();
  const entry = entryOf(page);
  await entry.waitFor();
  await page.evaluate(holdReading);
  await entry.click();
  await partsOf(page).turns.filter({ hasText: session.lastPrompt }).waitFor();

  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole("button", { name: "Take over" }).click();
  await other.getByRole("button", { name: "Fork after this turn" }).last().waitFor();
  await page.evaluate(() => globalThis.goOn?.());
  await page.getByRole("button", { name: "Take it back" }).waitFor();
  await page.getByRole("button", { name: "Take it back" }).click();
  await page.getByRole("button", { name: "Fork after this turn" }).last().waitFor();
  await other.getByRole("button", { name: "Take it back" }).waitFor();
  expect(visitor.complaints).toEqual([]);
});
