import { ask } from "../visitor.ts";
import { isNarrow, region, type Scene } from "./scene.ts";

export const dialogs: readonly Scene[] = [
  {
    name: "compare",
    async show(page) {
      await page.getByRole("button", { name: /^Model: / }).click();
      await page.getByRole("button", { name: "Compare two models…" }).click();
      const dialog = page.getByRole("dialog", { name: "Compare" });
      await dialog.getByLabel("Prompt", { exact: true }).fill("write notes.txt: hello");
      await dialog.getByRole("button", { name: "Compare", exact: true }).click();
      await dialog.getByRole("button", { name: "Allow for B" }).waitFor();
    },
  },
  {
    name: "link-by-hand",
    async show(page) {
      await ask(page, "list *.txt");
      await page.evaluate(() =>
        Object.defineProperty(navigator, "clipboard", { value: undefined }),
      );
      const inspector = await region(page, "Inspector");
      await inspector.getByRole("button", { name: "Session actions" }).click();
      await page.getByRole("button", { name: "Copy link with session" }).click();
      await page.getByRole("dialog", { name: "Link with session" }).waitFor();
    },
  },
  {
    name: "models",
    async show(page) {
      await page.getByRole("button", { name: /^Model: / }).click();
      const sheet = page.getByRole("dialog", { name: "Choose a model" });
      await sheet.getByRole("button", { name: "A local server" }).click();
    },
  },
  {
    name: "workspaces",
    async show(page) {
      await region(page, "Workspace");
      await page.getByRole("button", { name: "Workspaces" }).click();
      await page.getByText(/\d .?B of .* used$/).waitFor();
    },
  },
  {
    name: "sessions",
    async show(page) {
      await ask(page, "list *.txt");
      if (isNarrow(page)) await page.getByRole("button", { name: "Sessions" }).click();
      await page
        .getByRole("button", { name: /^More for/ })
        .first()
        .click({ force: true });
    },
  },
  {
    name: "settings",
    async show(page) {
      await page.getByRole("button", { name: "Settings" }).first().click();
      await page.getByRole("radio", { name: "Dark" }).waitFor();
    },
  },
  {
    name: "palette",
    async show(page) {
      await ask(page, "list *.txt");
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").waitFor();
    },
  },
  {
    name: "shortcuts",
    async show(page) {
      await page.keyboard.press("Control+/");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    },
  },
];
