import type { Page } from "playwright";
import { ask, partsOf } from "../visitor.ts";
import { send, tab, type Scene } from "./scene.ts";

async function command(page: Page, text: string, answer: string | RegExp): Promise<void> {
  await send(page, text);
  await page.getByText(answer).last().waitFor();
}

/** States with plugins and servers of tools. */
export const extensions: readonly Scene[] = [
  {
    name: "plugin-install",
    async show(page, services) {
      const { url } = await services.marketplace();
      await partsOf(page).guide("Explore").waitFor();
      await command(page, `/plugins marketplace add ${url}`, "Added: local, with 1 plugin.");
      await command(page, "/plugins install greeter", /Nothing is changed yet/);
    },
  },
  {
    name: "plugin-installed",
    async show(page, services) {
      const { url } = await services.marketplace();
      await ask(page, "list");
      await command(page, `/plugins marketplace add ${url}`, "Added: local, with 1 plugin.");
      await command(page, "/plugins install greeter", /Nothing is changed yet/);
      await command(page, "/plugins confirm greeter", /^Installed: greeter/);
      const panel = await tab(page, "Inspector", /^Extensions/);
      await panel.getByText("greeter").first().waitFor();
    },
  },
  {
    name: "mcp-server",
    async show(page, services) {
      const { url } = await services.mcp();
      await ask(page, "list");
      const panel = await tab(page, "Inspector", /^Extensions/);
      const section = panel.getByRole("region", { name: "MCP servers", exact: true });
      await section.getByText("Add a server").click();
      await section.getByLabel("Name").fill("weather");
      await section.getByLabel("Address").fill(url);
      await section.getByRole("button", { name: "Add server" }).click();
      await panel.getByRole("button", { name: "Reopen session" }).click();
      await section.getByText("connected").waitFor();
    },
  },
];
