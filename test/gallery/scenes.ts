import type { Locator, Page } from "playwright";
import { ask, eventually, partsOf } from "../e2e/playground/visitor.ts";

/** A state of the page that is looked at. */
export interface Scene {
  /** The name of its picture. */
  readonly name: string;
  /** Brings a page with a new session there. What it returns is closed after the picture. */
  readonly show: (page: Page) => Promise<Page | void>;
}

async function send(page: Page, prompt: string): Promise<void> {
  const { message } = partsOf(page);
  await message.fill(prompt);
  await message.press("Enter");
}

async function request(page: Page, prompt: string, tool: string): Promise<void> {
  await send(page, prompt);
  await partsOf(page).asks(tool).waitFor();
  await eventually(() => partsOf(page).allow.isEnabled()).toBe(true);
}

async function allowed(page: Page, prompt: string): Promise<void> {
  const { allow, turns } = partsOf(page);
  const before = await turns.count();
  await send(page, prompt);
  await allow.click();
  await turns.nth(before).and(page.locator('[aria-busy="false"]')).waitFor();
}

/** Whether the page has room for one region at a time. */
function isNarrow(page: Page): boolean {
  return (page.viewportSize()?.width ?? Infinity) < 500;
}

/** Brings a region beside the conversation to the front. */
async function region(page: Page, label: "Workspace" | "Inspector"): Promise<Locator> {
  const found = page.getByRole("complementary", { name: label });
  if (!(await found.isVisible())) {
    const tab = label === "Workspace" ? "Files" : label;
    const phone = page.getByRole("navigation", { name: "Parts of the page" });
    if (isNarrow(page)) await phone.getByRole("button", { name: tab }).click();
    else await page.getByRole("button", { name: `Show ${label.toLowerCase()}` }).click();
  }
  await found.waitFor();
  return found;
}

async function tab(page: Page, label: "Workspace" | "Inspector", name: RegExp): Promise<Locator> {
  const panel = await region(page, label);
  await panel.getByRole("tab", { name }).click();
  return panel;
}

/** Work of which every tab of the inspector has something to show. */
async function worked(page: Page): Promise<void> {
  await allowed(page, "write notes.txt: hello\nread notes.txt");
}

const approvals: readonly Scene[] = [
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
    name: "approval-edit-command",
    async show(page) {
      await request(page, "run touch one", "Bash");
      await page.getByRole("button", { name: "Edit command" }).click();
      await page.getByLabel("Command to run").waitFor();
    },
  },
];

const conversation: readonly Scene[] = [
  { name: "start", show: (page) => partsOf(page).guide("Explore").waitFor() },
  {
    name: "running",
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

const workspace: readonly Scene[] = [
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

const inspector: readonly Scene[] = [
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

const time: readonly Scene[] = [
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
      await other.getByRole("region", { name: "Message" }).waitFor();
      return other;
    },
  },
  {
    name: "offline",
    async show(page) {
      await ask(page, "list *.txt");
      await page.route("**/*.js", (route) => route.abort());
      await region(page, "Inspector");
      await page.getByText("Events couldn't be loaded.").waitFor();
    },
  },
];

const dialogs: readonly Scene[] = [
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

/** Every state of the page. */
export const scenes: readonly Scene[] = [
  ...conversation,
  ...approvals,
  ...workspace,
  ...inspector,
  ...time,
  ...dialogs,
];
