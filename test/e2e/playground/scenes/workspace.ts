import { partsOf } from "../visitor.ts";
import { allowed, region, tab, type Scene } from "./scene.ts";

export const workspace: readonly Scene[] = [
  {
    name: "files",
    async show(page) {
      await region(page, "Workspace");
      await partsOf(page).file("README.md").click();
      await partsOf(page).fileText.waitFor();
    },
  },
  {
    name: "editor",
    async show(page) {
      const panel = await region(page, "Workspace");
      await partsOf(page).file("README.md").click();
      await panel.getByRole("button", { name: "Edit", exact: true }).click();
      const text = panel.getByRole("textbox", { name: "Text of README.md" });
      await text.click();
      await page.keyboard.type("More ");
      await panel.getByText("Unsaved changes").waitFor();
    },
  },
  {
    name: "changes",
    async show(page) {
      await allowed(page, "run echo more >> README.md; echo new > new.txt; rm package.json");
      const panel = await tab(page, "Workspace", /^Changes/);
      await panel.getByRole("button", { name: "README.md modified" }).click();
      await panel.getByText("more", { exact: true }).waitFor();
    },
  },
  {
    name: "shell",
    async show(page) {
      const panel = await tab(page, "Workspace", /^Shell/);
      const command = panel.getByLabel(/^Command, in/);
      await command.fill(String.raw`ls; printf '\033[31mred\033[0m\n'; false`);
      await command.press("Enter");
      await panel.getByText("Exit code 1").waitFor();
    },
  },
];
