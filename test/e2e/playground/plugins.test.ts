import { afterAll, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import {
  type MarketplaceServer,
  serveMarketplace,
} from "../../support/bundles/marketplace-server.ts";
import { lowContrast } from "../contrast.ts";
import { barriers } from "./audit.ts";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, inBothThemes, partsOf, visit } from "./visitor.ts";

let playground: Playground;
let market: MarketplaceServer;

/** A plugin whose texts are in the language of the playground's script. */
const GREETER = {
  "plugin.json": {
    name: "greeter",
    version: "1.0.0",
    description: "Greets people",
    permissions: { allow: ["Write(greetings/**)"], deny: ["Bash(rm *)"] },
  },
  "commands/hello.md":
    "---\ndescription: Says hello\nargument-hint: <name>\n---\nwrite greetings/hello.txt: Hello $ARGUMENTS",
  "skills/kind/SKILL.md": "---\nname: kind\ndescription: Be kind to people\n---\nSay please.",
  "agents/careful.md":
    "---\nname: careful\ndescription: Works on a copy\nisolation: overlay\n---\nYou work carefully.",
  "hooks/hooks.json": {
    hooks: {
      PreToolUse: [
        {
          matcher: "Write",
          hooks: [
            {
              type: "command",
              command: "grep -q frozen.txt && { echo 'Frozen by greeter.' >&2; exit 2; } || true",
            },
          ],
        },
      ],
    },
  },
};

beforeAll(async () => {
  [playground, market] = await Promise.all([
    startPlayground(),
    serveMarketplace({ name: "greeter", keywords: ["hello"] }, GREETER),
  ]);
});
afterAll(() => Promise.all([playground, market].map((each) => each[Symbol.asyncDispose]())));

/** Runs a command of the composer, and waits for the words that it answers with. */
async function command(page: Page, text: string, answer: string | RegExp): Promise<string> {
  const { message } = partsOf(page);
  await message.fill(text);
  await message.press("Enter");
  const shown = page.getByText(answer).last();
  await shown.waitFor();
  return (await shown.textContent()) ?? "";
}

/** Adds the marketplace, and installs the plugin with a yes to what `look` gets to see. */
async function install(page: Page, look: (shown: string) => void | Promise<void>): Promise<void> {
  await command(page, `/plugins marketplace add ${market.url}`, "Added: local, with 1 plugin.");
  await command(page, "/plugins search hello", "greeter@local");
  await look(await command(page, "/plugins install greeter", /Nothing is changed yet/));
  await command(page, "/plugins confirm greeter", /^Installed: greeter/);
}

it("installs a plugin from a marketplace with a yes to its permissions, uses, disables and removes it", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, card, conversation, file } = partsOf(page);
  const menu = page.getByRole("listbox", { name: "Commands" });

  const parts = ["Write(greetings/**)", "Bash(rm *)", "PreToolUse", "hello", "kind", "careful"];
  await install(page, async (shown) => {
    for (const part of parts) expect(shown).toContain(part);
    expect(await barriers(page)).toEqual([]);
  });

  // Its command writes as its rule allows, without a question.
  await ask(page, "/greeter:hello Ada");
  await file("greetings").waitFor();
  await eventually(() => card("Write").first().textContent()).toContain("greetings/hello.txt");
  expect(await partsOf(page).dock.count()).toBe(0);
  // Its hook and its deny rule hold in any turn.
  await ask(page, "write frozen.txt: hi");
  await eventually(() => card("Write").last().textContent()).toContain("Frozen by greeter.");
  await ask(page, "run rm README.md");
  await eventually(() => card("Bash").last().textContent()).toContain("Bash(rm *)");
  await ask(page, "/greeter:kind");
  await eventually(() => conversation.textContent()).toContain("/greeter:kind");

  await message.fill("/plugins disable ");
  await menu.getByText("greeter").waitFor();
  await message.press("Tab");
  await eventually(() => message.inputValue()).toBe("/plugins disable greeter ");
  await message.press("Enter");
  await page.getByText(/^Disabled: greeter/).waitFor();
  await message.fill("/greeter:h");
  expect(await menu.count()).toBe(0);
  await message.fill("write greetings/other.txt: hi");
  await message.press("Enter");
  await partsOf(page).asks("Write").waitFor();
  await page.getByRole("button", { name: "Deny" }).click();

  await command(page, "/plugins uninstall greeter", /^Removed: greeter/);
  await command(page, "/plugins", "There are no plugins.");
  await command(page, "/plugins marketplace remove local", "Removed: local");
  await page.reload();
  await command(page, "/plugins", "There are no plugins.");
  expect(visitor.complaints.filter((one) => one.startsWith("exception"))).toEqual([]);
});

it.each([
  { width: 1280, height: 800 },
  { width: 375, height: 740 },
])(
  "shows what a plugin asks for, and the changes of its agent's copy, before a yes: %o",
  async (view) => {
    await using visitor = await visit(playground, view);
    const { page } = visitor;
    const { message, asks, file, dock, turns } = partsOf(page);
    const overflow = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    const isReadable = async () => {
      expect(await overflow()).toBe(0);
      await eventually(() => inBothThemes(page, () => page.evaluate(lowContrast))).toEqual([
        [],
        [],
      ]);
    };
    await install(page, isReadable);

    await message.fill("delegate greeter:careful: write draft.txt: careful words");
    await message.press("Enter");
    await asks("AgentMerge").waitFor();
    await eventually(() => dock.textContent()).toContain("careful words");
    await isReadable();
    if (view.width > 500) expect(await file("draft.txt").count()).toBe(0);
    await page.getByRole("button", { name: "Deny" }).click();
    await turns.first().and(page.locator('[aria-busy="false"]')).waitFor();
    await message.fill("delegate greeter:careful: write draft.txt: careful words");
    await message.press("Enter");
    await asks("AgentMerge").waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    await turns.nth(1).and(page.locator('[aria-busy="false"]')).waitFor();
    await ask(page, "read draft.txt");
    if (view.width > 500) expect(await file("draft.txt").count()).toBe(1);
    await message.fill("/mode ");
    await page.getByRole("option", { name: /^plan/ }).waitFor();
    await isReadable();
    await message.press("Tab");
    const saving = page.waitForEvent("download");
    await message.fill("/export");
    await message.press("Enter");
    expect((await saving).suggestedFilename()).toMatch(/^session-.+\.ndjson$/);
  },
);
