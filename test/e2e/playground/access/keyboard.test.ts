import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Playground, startPlayground } from "../site.ts";
import { ask, eventually, partsOf, pressEscapeTwice, visit } from "../visitor.ts";
import { isInSight } from "../visible.ts";
import { focusOf, pressUntil } from "./focus.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

describe("with the keyboard alone", () => {
  it("skips to the message with the first stop for Tab", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    await partsOf(page).message.waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await pressUntil(page, "Tab", /^Skip to the message$/);
    await page.keyboard.press("Enter");
    await eventually(async () => (await focusOf(page))?.name).toBe("Message to the agent");
  });

  it("starts a card, answers its requests, and never loses the focus", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { guide, asks, allow, message } = partsOf(page);
    await guide("Fix the failing test").waitFor();
    await message.focus();
    await pressUntil(page, "Shift+Tab", /^Fix the failing test/);
    await page.keyboard.press("Enter");
    for (const [tool, verb] of [
      ["Bash", "Run"],
      ["Edit", "Edit"],
      ["Bash", "Run"],
    ] as const) {
      await asks(tool).waitFor();
      await eventually(() => allow.isEnabled()).toBe(true);
      await page.keyboard.press("Alt+a");
      await eventually(async () => (await focusOf(page))?.name).toMatch(new RegExp(`^${verb} `));
      expect((await focusOf(page))?.isVisible).toBe(true);
      await pressUntil(page, "Tab", /^Allow once/);
      await page.keyboard.press("Enter");
    }
    await page.getByRole("group", { name: "What to try next" }).waitFor();
    expect(await focusOf(page)).toMatchObject({ name: "Message to the agent", isVisible: true });
    expect(visitor.complaints).toEqual([]);
  });

  it("works in the inspector and the workspace", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    await ask(page, "list");
    await page.keyboard.press("Control+Shift+E");
    await page.getByRole("list", { name: "Events, oldest first" }).waitFor();
    await pressUntil(page, "F6", /^Inspector$/);
    await pressUntil(page, "Tab", /^Events/);
    for (const name of [/^Requests/, /^Context/, /^Permissions/, /^Hooks/]) {
      await pressUntil(page, "ArrowRight", name);
      await page.getByRole("tab", { name, selected: true }).waitFor();
    }
    await page.keyboard.press("Home");
    await page.getByRole("tab", { name: /^Events/, selected: true }).waitFor();
    await pressUntil(page, "Tab", /tool_start/);
    await page.keyboard.press("Enter");
    await page.getByText('"toolName"').or(page.getByText('"tool"')).first().waitFor();

    await pressUntil(page, "F6", /^Workspace$/);
    await pressUntil(page, "Tab", /^README\.md|^src/);
    await pressUntil(page, "ArrowDown", /^README\.md/);
    await page.keyboard.press("Enter");
    await partsOf(page).fileText.waitFor();
    await pressUntil(page, "Tab", /^Close file$/);
    await page.keyboard.press("Enter");
    await partsOf(page).fileText.waitFor({ state: "detached" });
    await eventually(() => focusOf(page)).toMatchObject({ isVisible: true });
  });

  it("gives the focus back when a window closes", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    await ask(page, "list");
    const dialogs: readonly [opener: RegExp, dialog: string | RegExp][] = [
      [/^Model: /, "Choose a model"],
      [/^Settings$/, "Settings"],
      [/^Workspaces$/, "Workspaces"],
    ];
    for (const [opener, name] of dialogs) {
      await page.getByRole("button", { name: opener }).first().focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name });
      await dialog.getByRole("radio").or(dialog.getByRole("button")).first().waitFor();
      await pressUntil(page, "Tab", /./);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      await eventually(async () => (await focusOf(page))?.name, { message: `${name}` }).toMatch(
        opener,
      );
    }
    await partsOf(page).message.focus();
    for (const [keys, name] of [
      ["Control+k", /./],
      ["Control+/", "Keyboard shortcuts"],
    ] as const) {
      await page.keyboard.press(keys);
      const dialog = page.getByRole("dialog", { name });
      await dialog.waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      await eventually(async () => (await focusOf(page))?.name, { message: keys }).toBe(
        "Message to the agent",
      );
    }
  });

  it("keeps what is typed for a window that is still to come out of the message", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, turns } = partsOf(page);
    await message.fill("list");
    const { promise: isWanted, resolve: want } = Promise.withResolvers<void>();
    await page.route(/\/palette-[^/]*\.js$/, async (route) => {
      await isWanted;
      await route.continue();
    });
    await message.press("ControlOrMeta+k");
    await page.keyboard.type("repla");
    await page.keyboard.press("Enter");
    want();
    const search = page.getByRole("combobox", { name: "Action or session" });
    await eventually(() => search.inputValue()).toBe("repla");
    await page.getByRole("option", { name: "Replay a session", selected: true }).waitFor();
    expect(await message.inputValue()).toBe("list");
    expect(await turns.count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  it("keeps the chosen command in sight when the rows of the menu grow", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message } = partsOf(page);
    const list = page.getByRole("listbox", { name: "Commands" });
    await ask(page, "list");
    await message.focus();
    // The arrow key comes before the session has told more of its commands than their names.
    await message.evaluate(async (box: HTMLTextAreaElement) => {
      box.ownerDocument.execCommand("insertText", false, "/");
      await Promise.resolve();
      box.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
    });
    await list.locator("small").first().waitFor();
    const last = list.getByRole("option").last();
    expect(await last.getAttribute("aria-selected")).toBe("true");
    await eventually(() => isInSight(last, list)).toBe(true);
  });

  it("finds an action by typing its name, and chooses it with Enter", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    await ask(page, "list");
    for (const [words, name] of [
      ["keyboard", "Keyboard shortcuts"],
      ["rewind", "Rewind"],
      ["replay", "Replay"],
    ] as const) {
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Find an action" });
      await palette.getByRole("option").first().waitFor();
      await page.keyboard.type(words);
      await eventually(() => palette.getByRole("option").count()).toBe(1);
      await page.keyboard.press("Enter");
      await palette.waitFor({ state: "detached" });
      await page.getByRole("dialog", { name }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name }).waitFor({ state: "detached" });
    }
  });

  it("opens Rewind by two presses of Escape, each time", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    await ask(page, "list");
    const rewind = page.getByRole("dialog", { name: "Rewind" });
    for (let time = 0; time < 2; time++) {
      await pressEscapeTwice(page);
      await rewind.getByRole("list").waitFor();
      await page.keyboard.press("Escape");
      await rewind.waitFor({ state: "detached" });
    }
  });
});
