import { ask, partsOf } from "../visitor.ts";
import { isNarrow, request, send, type Scene } from "./scene.ts";

export const approvals: readonly Scene[] = [
  {
    name: "approval-command",
    show: (page) =>
      request(page, "run echo more >> README.md && rm cases.txt package.json", "Bash"),
  },
  {
    name: "approval-write",
    show: (page) => request(page, 'write notes.txt: "one\\ntwo\\nthree"', "Write"),
  },
  {
    name: "approval-edit",
    async show(page) {
      const { guide, asks, allow, file, fileText } = partsOf(page);
      await guide("Fix the failing test").click();
      await asks("Bash").waitFor();
      await allow.click();
      await asks("Edit").waitFor();
      if (isNarrow(page)) return;
      await file("src").click();
      await file("rules.js").click();
      await fileText.waitFor();
    },
  },
  {
    name: "approval-fetch",
    show: (page) => request(page, "fetch https://example.com/docs/start", "WebFetch"),
  },
  {
    name: "approval-several",
    async show(page) {
      await send(page, "delegate general-purpose in background: run touch a\nrun touch b");
      await page.getByRole("list", { name: "Open requests" }).waitFor();
    },
  },
  {
    name: "approval-always",
    async show(page) {
      await request(page, "run touch one", "Bash");
      await page.getByRole("button", { name: "Always…" }).click();
      await page.getByRole("form", { name: "Always allow" }).waitFor();
    },
  },
  {
    name: "decisions",
    async show(page) {
      const { card, note, turns } = partsOf(page);
      const isOver = page.locator('[aria-busy="false"]');
      await request(page, "write notes.txt: hello", "Write");
      await note.fill("not this file");
      await page.getByRole("button", { name: "Deny" }).click();
      await turns.nth(0).and(isOver).waitFor();
      await request(page, "run touch one", "Bash");
      await page.getByRole("button", { name: "Always…" }).click();
      await page.getByLabel("Calls that match").fill("Bash(touch *)");
      await page.getByRole("button", { name: "Allow and remember" }).click();
      await turns.nth(1).and(isOver).waitFor();
      await ask(page, "run touch two");
      for (const each of [card("Write"), card("Bash").nth(0), card("Bash").nth(1)]) {
        const tab = each.getByRole("tab", { name: "Decision" });
        if (!(await tab.isVisible())) await each.getByRole("button").first().click();
        await tab.click();
      }
    },
  },
  {
    name: "approval-edit-command",
    async show(page) {
      await request(page, "run touch one", "Bash");
      await page.getByRole("button", { name: "Edit command" }).click();
      await page.getByLabel("Command to run").waitFor();
    },
  },
];
