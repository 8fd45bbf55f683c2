import type { Locator, Page } from "playwright";
import { eventually, partsOf } from "../visitor.ts";
import type { Services } from "./services.ts";

/** A state of the page that is looked at. */
export interface Scene {
  /** The name of its picture. */
  readonly name: string;
  /** An answer is still being written. */
  readonly motion?: boolean;
  /** Brings a page with a new session there. What it returns is closed after the picture. */
  readonly show: (page: Page, services: Services) => Promise<Page | void>;
}

/** Sends a message. */
export async function send(page: Page, prompt: string): Promise<void> {
  const { message } = partsOf(page);
  await message.fill(prompt);
  await message.press("Enter");
}

/** Sends a message whose call waits for a person. */
export async function request(page: Page, prompt: string, tool: string): Promise<void> {
  await send(page, prompt);
  await partsOf(page).asks(tool).waitFor();
  await eventually(() => partsOf(page).allow.isEnabled()).toBe(true);
}

/** Sends a message, and allows its call. */
export async function allowed(page: Page, prompt: string): Promise<void> {
  const { allow, turns } = partsOf(page);
  const before = await turns.count();
  await send(page, prompt);
  await allow.click();
  await turns.nth(before).and(page.locator('[aria-busy="false"]')).waitFor();
}

/** Whether the page has room for one region at a time. */
export function isNarrow(page: Page): boolean {
  return (page.viewportSize()?.width ?? Infinity) < 500;
}

/** Brings a region beside the conversation to the front. */
export async function region(page: Page, label: "Workspace" | "Inspector"): Promise<Locator> {
  const found = page.getByRole("complementary", { name: label });
  if (!(await found.isVisible())) {
    const tab = label === "Workspace" ? "Files" : label;
    const phone = page.getByRole("navigation", { name: "Parts of the page" });
    if (isNarrow(page)) await phone.getByRole("button", { name: tab }).click();
    else await page.getByRole("button", { name: `Show ${label.toLowerCase()}` }).click();
  }
  await found.waitFor();
  return found;
}

/** Shows a panel of a region. */
export async function tab(
  page: Page,
  label: "Workspace" | "Inspector",
  name: RegExp,
): Promise<Locator> {
  const panel = await region(page, label);
  await panel.getByRole("tab", { name }).click();
  return panel;
}

/** Work of which every tab of the inspector has something to show. */
export async function worked(page: Page): Promise<void> {
  await allowed(page, "write notes.txt: hello\nread notes.txt");
}
