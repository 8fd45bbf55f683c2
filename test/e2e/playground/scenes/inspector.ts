import { tab, worked, type Scene } from "./scene.ts";

export const inspector: readonly Scene[] = [
  "Events",
  "Requests",
  "Context",
  "Permissions",
  "Hooks",
  "Extensions",
  "Settings",
].map((name) => ({
  name: `inspector-${name.toLowerCase()}`,
  async show(page) {
    await worked(page);
    const panel = await tab(page, "Inspector", new RegExp(`^${name}`));
    await panel.getByRole("tabpanel", { name }).locator("*").first().waitFor();
    if (name === "Events") await panel.getByRole("listitem").nth(3).click();
    if (name === "Requests")
      await panel
        .getByRole("region", { name: "Requests", exact: true })
        .getByRole("button")
        .first()
        .click();
  },
}));
