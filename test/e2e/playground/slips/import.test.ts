import { readFile } from "node:fs/promises";
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "../site.ts";
import { ask, eventually, partsOf, visit } from "../visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Import a session" });

/** Exports a session of one turn. The menu with "Import…" stays open. */
async function exported(page: Page): Promise<Buffer> {
  await ask(page, "list *.txt");
  await page.keyboard.press("Control+Shift+E");
  await page.getByRole("button", { name: "Session actions" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export as file" }).click(),
  ]);
  return readFile(await download.path());
}

it("offers the file that was chosen last, also when an earlier one is read later", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await page.addInitScript(() => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    File.prototype.arrayBuffer = async function (this: File) {
      if (this.name === "slow.ndjson") await released;
      const read = await Blob.prototype.arrayBuffer.call(this);
      if (this.name === "slow.ndjson") Object.assign(globalThis, { hasRead: true });
      return read;
    };
    Object.assign(globalThis, { release: resolve });
  });
  await page.reload();
  const buffer = await exported(page);
  await page.getByRole("button", { name: "Import…" }).click();
  const dialog = dialogOf(page);
  const mimeType = "application/x-ndjson";
  const input = dialog.getByLabel("Exported session");
  await input.setInputFiles({ name: "slow.ndjson", mimeType, buffer: Buffer.from("no session") });
  await input.setInputFiles({ name: "fast.ndjson", mimeType, buffer });
  await dialog.getByText("Nothing in it runs by itself").waitFor();
  await page.evaluate(() => Reflect.get(globalThis, "release")());
  await page.waitForFunction(() => Reflect.get(globalThis, "hasRead"));
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  expect(await dialog.getByRole("alert").count()).toBe(0);
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const list = page.getByRole("navigation", { name: "Sessions" });
  await eventually(() => list.getByRole("listitem").count()).toBe(2);
  expect(visitor.complaints).toEqual([]);
});

it("keeps nothing of an import that is given up while it runs", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const buffer = await exported(page);
  const list = page.getByRole("navigation", { name: "Sessions" });
  await list.getByRole("listitem").first().waitFor();
  const before = page.url();
  await page.getByRole("button", { name: "Import…" }).click();
  const dialog = dialogOf(page);
  await dialog.getByLabel("Exported session").setInputFiles({
    name: "given-up.ndjson",
    mimeType: "application/x-ndjson",
    buffer,
  });
  // Both clicks come before the import has got anywhere.
  await dialog.getByRole("button", { name: "Import", exact: true }).evaluate((button) => {
    (button as HTMLElement).click();
    const buttons = button.parentElement?.querySelectorAll("button") ?? [];
    [...buttons].find(({ textContent }) => textContent === "Don’t import")?.click();
  });
  await dialog.waitFor({ state: "detached" });
  await ask(page, "list *.js");
  await page.reload();
  await eventually(() => partsOf(page).turns.count()).toBe(2);
  expect(page.url()).toBe(before);
  await list.getByRole("listitem").first().waitFor();
  expect(await list.getByRole("listitem").count()).toBe(1);
  expect(visitor.complaints).toEqual([]);
});
