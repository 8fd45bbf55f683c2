import type { Page } from "playwright";
import { ask, eventually, partsOf } from "../visitor.ts";
import { send, type Scene } from "./scene.ts";

/** Drops a file onto the message. */
function drop(page: Page, name: string, type: string, base64: string): Promise<void> {
  return partsOf(page).message.evaluate(
    (box, file) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(file.base64), (char) => char.charCodeAt(0));
      data.items.add(new File([bytes], file.name, { type: file.type }));
      box.dispatchEvent(
        new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }),
      );
    },
    { name, type, base64 },
  );
}

/** A picture with a few shapes. */
function drawPicture(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const canvas = new OffscreenCanvas(320, 200);
    const context = canvas.getContext("2d");
    if (!context) throw new Error("No canvas");
    context.fillStyle = "#d7e8e4";
    context.fillRect(0, 0, 320, 200);
    context.fillStyle = "#0f766e";
    for (let bar = 0; bar < 5; bar++) context.fillRect(30 + bar * 55, 170, 34, -20 - bar * 26);
    const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    return btoa(String.fromCharCode(...bytes));
  });
}

/** Every write fails from now on, as on a full disk. */
function fillDisk(page: Page): Promise<void> {
  return page.evaluate(() => {
    const refuse = (): never => {
      throw new DOMException("The quota has been exceeded", "QuotaExceededError");
    };
    Object.assign(IDBObjectStore.prototype, { put: refuse, add: refuse });
  });
}

/** States of the message, and of what becomes of it. */
export const writing: readonly Scene[] = [
  {
    name: "mention",
    async show(page) {
      await ask(page, "list");
      await partsOf(page).message.pressSequentially("read @r");
      const menu = page.getByRole("listbox", { name: "Files and agents" });
      await menu.getByRole("option").nth(1).waitFor();
    },
  },
  {
    name: "attachments",
    async show(page) {
      await partsOf(page).guide("Explore").waitFor();
      await drop(page, "chart.png", "image/png", await drawPicture(page));
      await drop(page, "notes.txt", "text/plain", btoa("one\ntwo\n"));
      const chips = page.getByRole("list", { name: "Attachments" }).getByRole("listitem");
      await chips.nth(1).waitFor();
      await partsOf(page).message.fill("What do they show?");
    },
  },
  {
    name: "attachments-sent",
    async show(page) {
      await partsOf(page).guide("Explore").waitFor();
      await drop(page, "chart.png", "image/png", await drawPicture(page));
      await page.getByRole("list", { name: "Attachments" }).getByRole("listitem").waitFor();
      await ask(page, "What does it show?");
    },
  },
  {
    name: "prompt-edit",
    async show(page) {
      await ask(page, "list *.txt");
      await page.keyboard.press("Alt+ArrowUp");
      await page.keyboard.press("e");
      await page.getByLabel("Edit the message").waitFor();
    },
  },
  {
    name: "prompt-versions",
    async show(page) {
      await ask(page, "list *.txt");
      await page.keyboard.press("Alt+ArrowUp");
      await page.keyboard.press("e");
      const editor = page.getByLabel("Edit the message");
      await editor.fill("list *.md");
      await editor.press("Enter");
      const versions = page.getByRole("group", { name: "Versions of this message" });
      await eventually(() => versions.textContent()).toBe("2 / 2");
      await partsOf(page).turns.last().and(page.locator('[aria-busy="false"]')).waitFor();
    },
  },
  {
    name: "plan",
    async show(page) {
      await ask(page, "list *.txt");
      await page.getByLabel("Permission mode").selectOption("Plan");
      await ask(page, "plan list *.txt; write planned.txt: now");
      await page.getByRole("region", { name: "Plan" }).getByText("write planned.txt").waitFor();
    },
  },
  {
    name: "search",
    async show(page) {
      await ask(page, "read README.md\nlist *.json");
      await ask(page, "list *.md");
      await page.keyboard.press("Control+Shift+F");
      await page.getByRole("searchbox", { name: "Search the conversation" }).fill("json");
      const hits = page.getByRole("search").getByRole("status");
      await eventually(() => hits.textContent()).toMatch(/^1 \/ \d/);
    },
  },
  {
    name: "full-disk",
    async show(page) {
      await ask(page, "help");
      await fillDisk(page);
      await send(page, "list *.txt");
      await page
        .getByText(/no room/)
        .first()
        .waitFor();
    },
  },
];
