import { gzipSync } from "node:zlib";
import type { BrowserContext, Locator, Page, Response } from "playwright";
import { expect } from "vitest";
import { settled } from "./audit.ts";
import type { Playground } from "./site.ts";

/** A person with a browser profile of their own, and what the browser complained about. */
export interface Visitor extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console errors, exceptions and requests to other origins, over all pages. */
  readonly complaints: readonly string[];
  /**
   * Bytes of each JavaScript file that was loaded so far, gzipped. Without the one that keeps the page for use offline,
   * which a timer loads after a first load, and on a slow machine in the middle of it.
   */
  readonly scriptSizes: () => Promise<number[]>;
}

export interface VisitorOptions {
  width?: number;
  height?: number;
  dark?: boolean;
  /** With motion: answers that are written word by word, and can be stopped. Without it, they come as fast as they can. */
  motion?: boolean | undefined;
  /** With the service worker, which fetches the whole site for each visitor; without it otherwise. */
  keepsPage?: boolean;
  /** The browser never has nothing else to do, so the page loads only what it waits for. */
  isBusy?: boolean;
}

export async function visit(
  { browser, url }: Playground,
  options: VisitorOptions = {},
): Promise<Visitor> {
  const { width = 1280, height = 800, dark = false, motion = false } = options;
  const { keepsPage = false, isBusy = false } = options;
  const isPhone = width < 500;
  const context = await browser.newContext({
    viewport: { width, height },
    serviceWorkers: keepsPage ? "allow" : "block",
    colorScheme: dark ? "dark" : "light",
    reducedMotion: motion ? "no-preference" : "reduce",
    hasTouch: isPhone,
    isMobile: isPhone,
  });
  context.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  const scripts: Response[] = [];
  context.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()}`);
  });
  context.on("weberror", (error) => complaints.push(`exception: ${error.error().message}`));
  context.on("request", (request) => {
    const target = new URL(request.url());
    if (/^(?:https?|wss?):$/.test(target.protocol) && target.origin !== new URL(url).origin) {
      complaints.push(`request: ${request.url()}`);
    }
  });
  context.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith(".js") && !pathname.includes("/updates-")) scripts.push(response);
  });
  const page = await context.newPage();
  if (isBusy) await page.addInitScript(() => (globalThis.requestIdleCallback = () => 0));
  await page.goto(url);
  return {
    context,
    page,
    complaints,
    async scriptSizes() {
      // Asked for again: the browser does not keep every body for its debugger.
      const files = await Promise.all(scripts.map((script) => fetch(script.url())));
      const bodies = await Promise.all(files.map((file) => file.arrayBuffer()));
      return bodies.map((body) => gzipSync(body).length);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** How the title of a request begins, by its tool. */
const questions: Readonly<Record<string, RegExp>> = {
  Bash: /^Run .+\?$/,
  Edit: /^Edit .+\?$/,
  Write: /^(?:Create|Overwrite|Write) .+\?$/,
  WebFetch: /^Fetch .+\?$/,
};

/** The parts of the page that tests speak of, by what a person calls them. */
export function partsOf(page: Page) {
  return {
    guide: (title: string): Locator => page.getByRole("main").getByRole("button", { name: title }),
    message: page.getByLabel("Message to the agent"),
    conversation: page.getByRole("log", { name: "Conversation" }),
    stop: page.getByRole("button", { name: "Stop" }),
    dock: page.getByRole("region", { name: /^Approval/ }),
    asks: (tool: string): Locator => page.getByRole("heading", { name: questions[tool] ?? tool }),
    allow: page.getByRole("button", { name: "Allow once" }),
    note: page.getByLabel(/^Note for the model/),
    card: (tool: string): Locator => page.getByRole("region", { name: new RegExp(`^${tool}:`) }),
    file: (name: string): Locator => page.getByRole("treeitem", { name }),
    fileText: page.getByRole("group", { name: "Text of the file" }).locator("pre").last(),
    turns: page.getByRole("article"),
  };
}

/** `expect.poll` with the patience that a slow machine needs. */
export const eventually: typeof expect.poll = (read, options) => expect.poll(read, options);

/** Sends a prompt and waits until its turn is over. */
export async function ask(page: Page, prompt: string): Promise<void> {
  const { message, turns } = partsOf(page);
  const before = await turns.count();
  await message.fill(prompt);
  await message.press("Enter");
  await turns.nth(before).and(page.locator('[aria-busy="false"]')).waitFor();
}

/**
 * Presses Escape twice in a row, which counts within 600 ms: the second press does not wait for a busy page to answer the
 * first one, as that of a person doesn't.
 */
export async function pressEscapeTwice(page: Page): Promise<void> {
  const keyboard = await page.context().newCDPSession(page);
  const key = { key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 };
  const press = ["rawKeyDown", "keyUp"] as const;
  await Promise.all(
    [...press, ...press].map((type) => keyboard.send("Input.dispatchKeyEvent", { type, ...key })),
  );
  await keyboard.detach();
}

/** Reads the page in the light colours and in the dark ones. Leaves it dark. */
export async function inBothThemes<T>(
  page: Page,
  read: (colorScheme: "light" | "dark") => Promise<T>,
): Promise<T[]> {
  const found: T[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    found.push(await read(colorScheme));
  }
  return found;
}
