import type { Browser, Page } from "playwright";
import {
  longSession,
  type StoredSession,
  storeSession,
} from "../../e2e/playground/long-session.ts";
import { ask, partsOf } from "../../e2e/playground/visitor.ts";
import { type ModelServer, useModelServer } from "./model-server.ts";
import { readWatch, type Watched, watchPage } from "./page-watch.ts";
import { type Traced, traced } from "./traced.ts";

const KEYS = 150;
const KEY_MS = 40;

/** A page of the guide's workspace, with a model that streams as it is asked to. */
export async function visitWith(browser: Browser, url: string, server: ModelServer): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(url);
  await partsOf(page).guide("Explore").waitFor();
  await partsOf(page).file("README.md").waitFor();
  await useModelServer(page, server);
  await page.reload();
  await partsOf(page).guide("Explore").waitFor();
  return page;
}

/** Stores a session and opens it by its address, until its last prompt is there. */
async function openStored(page: Page, session: StoredSession): Promise<void> {
  await storeSession(page, session);
  await page.evaluate((id) => location.replace(`#/sessions/${id}`), session.id);
  await page.reload();
  await partsOf(page).turns.filter({ hasText: session.lastPrompt }).last().waitFor();
}

interface Typed {
  /** By the clock. */
  watched: Watched;
  /** CPU time of the main thread for each key, with all else that it did meanwhile. */
  cpu: number[];
}

async function type(page: Page): Promise<Typed> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const used = async (): Promise<number> => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "ThreadTime")?.value ?? NaN) * 1_000;
  };
  await partsOf(page).message.click();
  await readWatch(page);
  const cpu: number[] = [];
  for (let at = 0; at < KEYS; at++) {
    const before = await used();
    await page.keyboard.press(at % 6 === 5 ? "Space" : "abcdefgh".charAt(at % 8));
    await page.waitForTimeout(KEY_MS);
    cpu.push((await used()) - before);
  }
  await devtools.detach();
  return { watched: await readWatch(page), cpu };
}

export interface Typing {
  still: Typed;
  streaming: Typed;
}

/** Typing below a conversation, before and while an answer streams in. */
export async function typing(page: Page, messages: number): Promise<Typing> {
  await openStored(page, await longSession(messages));
  await watchPage(page);
  const still = await type(page);
  await partsOf(page).message.fill("9000 deltas, 300 a second");
  await partsOf(page).message.press("Enter");
  await partsOf(page).turns.last().and(page.locator('[aria-busy="true"]')).waitFor();
  await page.waitForTimeout(1_000);
  const streaming = await type(page);
  await partsOf(page).stop.click();
  return { still, streaming };
}

export interface Streaming {
  watched: Watched;
  traced: Traced;
  /** Milliseconds from the first delta to the end of the turn. */
  took: number;
  nodes: number;
}

/** One answer of many deltas. */
export async function streaming(
  browser: Browser,
  page: Page,
  deltas: number,
  rate: number,
): Promise<Streaming> {
  // The first turn loads the code of turns.
  await ask(page, "1 deltas, 1 a second");
  await partsOf(page).message.fill(`${deltas} deltas, ${rate} a second`);
  await watchPage(page);
  const begun = performance.now();
  const trace = await traced(browser, page, async () => {
    await partsOf(page).message.press("Enter");
    await page.locator('article[aria-busy="true"]').waitFor();
    await page.locator('article[data-state="complete"]').nth(1).waitFor();
  });
  const took = performance.now() - begun;
  const watched = await readWatch(page);
  return { watched, traced: trace, took, nodes: await countNodes(page) };
}

export interface Opening {
  /** Milliseconds from the click in the list until the last turn is painted. */
  click: number;
  /** The same until all of the session is there, and can be gone on with. */
  whole: number;
  /** The same from the navigation of a reload. */
  reload: number;
  /** From another such click until all is there. */
  traced: Traced;
  nodes: number;
}

/** A long conversation, opened from the list of sessions and by a reload. */
export async function opening(
  browser: Browser,
  page: Page,
  session: StoredSession,
): Promise<Opening> {
  // Recording the tasks makes all of it half as long again.
  const { click, whole } = await openFromList(page, session, (open) => open());
  let recorded: Traced | undefined;
  await openFromList(page, session, async (open) => {
    recorded = await traced(browser, page, open);
  });
  const nodes = await countNodes(page);
  const init = await page.addInitScript(markTurn, session.lastPrompt);
  await page.reload();
  await page.waitForFunction(() => globalThis.shownAt !== undefined);
  const reload = await page.evaluate(() => globalThis.shownAt!);
  await init.dispose();
  return { click, whole, reload, traced: recorded ?? { tasks: [], total: NaN }, nodes };
}

/** Has `watch` click on a session in the list of a fresh page. */
async function openFromList(
  page: Page,
  { lastPrompt }: StoredSession,
  watch: (open: () => Promise<void>) => Promise<void>,
): Promise<Pick<Opening, "click" | "whole">> {
  // A new session, also where the last page had this one open.
  await page.evaluate(() => {
    localStorage.removeItem("robota.current-session");
    location.replace("#");
  });
  await page.reload();
  await partsOf(page).guide("Explore").waitFor();
  const sessions = page.getByRole("navigation", { name: "Sessions" });
  const entry = sessions.getByRole("button", { name: /^Question 1/ }).first();
  await entry.waitFor();
  await page.waitForTimeout(500);
  await page.evaluate(markTurn, lastPrompt);
  await watch(async () => {
    await entry.click();
    await page.waitForFunction(() => globalThis.wholeAt !== undefined);
  });
  const click = await page.evaluate(() => globalThis.shownAt! - globalThis.askedAt!);
  const whole = await page.evaluate(() => globalThis.wholeAt! - globalThis.askedAt!);
  return { click, whole };
}

declare global {
  var askedAt: number | undefined;
  var shownAt: number | undefined;
  var wholeAt: number | undefined;
}

/** Runs in the page: notes when the turn of that prompt is painted, when it can be forked, and when the last click was. */
function markTurn(prompt: string): void {
  globalThis.shownAt = undefined;
  globalThis.wholeAt = undefined;
  addEventListener("click", ({ timeStamp }) => (globalThis.askedAt = timeStamp), { capture: true });
  const look = (): void => {
    const last = [...document.querySelectorAll("[data-part=prompt]")].at(-1);
    if (last?.textContent?.trim() !== prompt) return void requestAnimationFrame(look);
    const turn = last.closest("article");
    // Both in the frame in which they are seen, if it is the same.
    if (!turn?.querySelector("[aria-keyshortcuts=F]")) requestAnimationFrame(look);
    else afterPaint(() => (globalThis.wholeAt ??= performance.now()));
    afterPaint(() => (globalThis.shownAt ??= performance.now()));
  };
  const afterPaint = (run: () => void): void => {
    requestAnimationFrame(() => setTimeout(run));
  };
  requestAnimationFrame(look);
}

function countNodes(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll("*").length);
}
