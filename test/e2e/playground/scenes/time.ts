import { ask, partsOf } from "../visitor.ts";
import { allowed, isNarrow, region, tab, worked, type Scene } from "./scene.ts";

export const time: readonly Scene[] = [
  {
    name: "hook-blocked",
    async show(page) {
      await ask(page, "list");
      const panel = await tab(page, "Inspector", /^Hooks/);
      await panel.getByRole("switch", { name: "Block rm" }).check();
      await panel.getByRole("button", { name: "Reopen session" }).click();
      await panel.getByText("PreToolUse").first().waitFor();
      if (isNarrow(page)) await page.getByRole("button", { name: "Chat", exact: true }).click();
      await ask(page, "run rm README.md");
    },
  },
  {
    name: "rewind",
    async show(page) {
      await allowed(page, "write notes.txt: hello");
      await allowed(page, 'replace "hello" with "bye" in notes.txt');
      await partsOf(page).message.focus();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      const dialog = page.getByRole("dialog", { name: "Rewind" });
      await dialog.getByRole("button", { name: /^replace/ }).press("Enter");
      await dialog.getByRole("group", { name: "What changes" }).waitFor();
    },
  },
  {
    name: "replay",
    async show(page) {
      await worked(page);
      const panel = await region(page, "Inspector");
      await panel.getByRole("button", { name: "Session actions" }).click();
      await page.getByRole("button", { name: "Replay…", exact: true }).click();
      await page.getByRole("dialog", { name: "Replay" }).getByRole("article").first().waitFor();
    },
  },
  {
    name: "second-tab",
    async show(page) {
      await ask(page, "list *.txt");
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByText("Open in another tab", { exact: true }).first().waitFor();
      return other;
    },
  },
  {
    name: "offline",
    async show(page) {
      await page.route(/\/panels-/, (route) => route.abort());
      await page.reload();
      await ask(page, "list *.txt");
      await region(page, "Inspector");
      await page.getByText("Events couldn't be loaded.").waitFor();
    },
  },
];
