import { ask, partsOf } from "../visitor.ts";
import { allowed, request, send, type Scene } from "./scene.ts";

export const conversation: readonly Scene[] = [
  { name: "start", show: (page) => partsOf(page).guide("Explore").waitFor() },
  {
    name: "running",
    motion: true,
    async show(page) {
      await send(page, "long 20000");
      await partsOf(page).conversation.getByRole("listitem").nth(4).waitFor();
    },
  },
  {
    name: "done",
    async show(page) {
      const { guide, asks, allow } = partsOf(page);
      await guide("Fix the failing test").click();
      for (const tool of ["Bash", "Edit", "Bash"]) {
        await asks(tool).waitFor();
        await allow.click();
      }
      await page.getByRole("group", { name: "What to try next" }).waitFor();
    },
  },
  { name: "suggestions", show: (page) => ask(page, "please raed the readme") },
  {
    name: "failed-command",
    show: (page) => allowed(page, "run sh check.sh; touch a; cat missing.txt"),
  },
  {
    name: "failed-turn",
    async show(page) {
      await page.getByRole("button", { name: /^Model: / }).click();
      const sheet = page.getByRole("dialog", { name: "Choose a model" });
      await sheet.getByRole("button", { name: "A local server" }).click();
      // Nothing listens on the port for discarded data.
      await sheet.getByLabel("Base URL").fill("http://127.0.0.1:9/v1");
      await sheet.getByRole("combobox", { name: "Model" }).fill("a-model");
      await sheet.getByRole("button", { name: "Use a-model" }).click();
      await sheet.waitFor({ state: "hidden" });
      await send(page, "Hello");
      await page.locator('[data-state="failed"]').first().waitFor();
    },
  },
  {
    name: "stopped",
    async show(page) {
      await send(page, "slow 60000");
      await partsOf(page).stop.click();
      await page.getByText("Stopped by you").waitFor();
    },
  },
  {
    name: "denied",
    async show(page) {
      await request(page, "run rm README.md", "Bash");
      await partsOf(page).note.fill("Keep it");
      await page.getByRole("button", { name: "Deny with reason" }).click();
      await page.locator('[aria-busy="false"]').first().waitFor();
    },
  },
  {
    name: "queue-paused",
    async show(page) {
      await send(page, "slow 60000");
      await partsOf(page).stop.waitFor();
      await send(page, "list a*");
      await send(page, "list b*");
      await partsOf(page).stop.click();
      await page.getByText("Paused · 2 queued").waitFor();
    },
  },
  {
    name: "command-menu",
    async show(page) {
      await partsOf(page).message.fill("/");
      await page.getByRole("option").first().waitFor();
    },
  },
  {
    name: "background-agents",
    async show(page) {
      await ask(page, "delegate general-purpose in background: slow 600000");
      await page.getByRole("region", { name: "Background agents" }).waitFor();
    },
  },
];
