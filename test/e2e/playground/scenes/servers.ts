import type { Locator, Page } from "playwright";
import { ask, partsOf } from "../visitor.ts";
import { isNarrow, send, type Scene } from "./scene.ts";
import { connect, dialogOf, TOKEN } from "./server.ts";
import type { Services } from "./services.ts";

/** The list of sessions, which is a drawer on a phone. */
async function sessionsOf(page: Page): Promise<Locator> {
  if (!isNarrow(page)) return page.getByRole("navigation", { name: "Sessions" });
  await page.getByRole("button", { name: "Sessions" }).click();
  return page.getByRole("dialog", { name: "Sessions" });
}

async function connectTo(page: Page, services: Services, token: string): Promise<Locator> {
  const { url } = await services.worker(new URL(page.url()).origin);
  await (await sessionsOf(page)).getByRole("button", { name: "Connect to a server" }).click();
  const dialog = dialogOf(page, "Connect to a server");
  await connect(dialog, url, token);
  return dialog;
}

/** States with sessions on a server. */
export const servers: readonly Scene[] = [
  {
    name: "server-refused",
    async show(page, services) {
      const dialog = await connectTo(page, services, "guess");
      await dialog.getByText(/refused the token/).waitFor();
    },
  },
  {
    name: "server-session",
    async show(page, services) {
      const dialog = await connectTo(page, services, TOKEN);
      await dialog.getByRole("button", { name: /^New session on/ }).click();
      await page.getByRole("heading", { name: /^A session on/ }).waitFor();
      await send(page, "write from-afar.txt: hello");
      await partsOf(page).asks("Write").waitFor();
    },
  },
  {
    name: "server-sessions",
    async show(page, services) {
      const dialog = await connectTo(page, services, TOKEN);
      await dialog.getByRole("button", { name: /^New session on/ }).waitFor();
    },
  },
  {
    name: "server-continue",
    async show(page, services) {
      const dialog = await connectTo(page, services, TOKEN);
      await dialog.getByRole("button", { name: /^New session on/ }).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await ask(page, "list *.txt");
      const row = (await sessionsOf(page))
        .getByRole("listitem")
        .filter({ hasText: "list *.txt" })
        .first();
      await row.hover();
      await row.getByRole("button", { name: /^More for/ }).click();
      await page.getByRole("button", { name: "Continue on a server…" }).click();
      await page.getByRole("dialog", { name: "Continue on a server" }).waitFor();
    },
  },
];
