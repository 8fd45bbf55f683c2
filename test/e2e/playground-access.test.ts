import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lowContrast } from "./contrast.ts";
import { barriers, settled } from "./playground/audit.ts";
import { type Playground, startPlayground } from "./playground/site.ts";
import { partsOf, visit, eventually } from "./playground/visitor.ts";
import { isInSight } from "./playground/visible.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

describe("on a phone", () => {
  it("fits, has touch targets, and requests approval over every tab", async () => {
    await using visitor = await visit(playground, { width: 375, height: 740 });
    const { page } = visitor;
    const { guide, asks, allow, dock } = partsOf(page);
    const overflow = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    await guide("Fix the failing test").tap();
    await asks("Bash").waitFor();
    expect(await overflow()).toBe(0);
    await page.getByRole("button", { name: "Files" }).tap();
    await eventually(() => dock.isVisible()).toBe(true);
    for (const name of [
      "Allow once",
      "Always…",
      "Deny",
      "Files",
      "Inspector",
      "Sessions",
      "Settings",
    ]) {
      const box = await page.getByRole("button", { name }).first().boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0), name).toBeGreaterThanOrEqual(44);
    }
    await allow.tap();
    await asks("Edit").waitFor();
    expect(await overflow()).toBe(0);
    const sheet = await dock.boundingBox();
    expect((sheet?.y ?? 0) + (sheet?.height ?? 0)).toBeLessThanOrEqual(740);
    await page.getByRole("button", { name: "Inspector" }).tap();
    await page.getByRole("list", { name: "Events, oldest first" }).waitFor();
    expect(await overflow()).toBe(0);
    await page.getByRole("button", { name: "Files" }).tap();
    await page.getByRole("button", { name: "Workspaces" }).tap();
    const dialog = page.getByRole("dialog", { name: "Workspaces" });
    for (const button of await dialog.getByRole("button").all()) {
      const box = await button.boundingBox();
      const name = await button.textContent();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0), name ?? "").toBeGreaterThanOrEqual(44);
    }
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });
});

describe("without a mouse or without sight", () => {
  it("has a name for every control", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { guide, asks, file } = partsOf(page);
    await guide("Fix the failing test").click();
    await asks("Bash").waitFor();
    await file("README.md").click();
    const tree = await page.locator("body").ariaSnapshot();
    await page.getByRole("button", { name: "Workspaces" }).click();
    await page.getByText(/\d .?B of .* used$/).waitFor();
    const dialog = await page.getByRole("dialog", { name: "Workspaces" }).ariaSnapshot();
    const operable =
      /^\s*- (?:button|textbox|combobox|link|tab|treeitem|checkbox|radio|separator|searchbox|meter)\b(?! ")/m;
    for (const each of [tree, dialog]) expect(operable.exec(each)?.[0]).toBeUndefined();
    await page.keyboard.press("Escape");
    await eventually(() => page.getByRole("heading", { level: 1 }).count()).toBe(1);
    await eventually(() => page.locator("[role=log][aria-live=off]").count()).toBe(1);
  });

  it("reaches every region with F6 and aborts a turn with Escape", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, conversation, stop } = partsOf(page);
    await message.fill("slow 60000");
    await message.press("Enter");
    await stop.waitFor();
    const region = () =>
      page.evaluate(
        () => document.activeElement?.closest("[data-region]")?.getAttribute("aria-label") ?? "",
      );
    const seen: string[] = [];
    for (let step = 0; step < 4; step++) {
      await page.keyboard.press("F6");
      seen.push(await region());
    }
    expect(new Set(seen)).toEqual(new Set(["Sessions", "Conversation", "Message", "Workspace"]));
    await page.keyboard.press("Shift+F6");
    expect(await region()).toBe(seen[2]);
    await page.keyboard.press("Escape");
    await conversation.getByText("Stopped by you").waitFor();
    await page.keyboard.press("Control+/");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  });

  it.each([false, true])(
    "has enough contrast, and no barrier that axe knows (dark: %s)",
    async (dark) => {
      await using visitor = await visit(playground, { dark });
      const { page } = visitor;
      const { guide, asks, allow, file, note } = partsOf(page);
      const isOpenToAll = async () => {
        await settled(page);
        expect(await page.evaluate(lowContrast)).toEqual([]);
        expect(await barriers(page)).toEqual([]);
      };
      await guide("Fix the failing test").waitFor();
      await isOpenToAll();
      await guide("Fix the failing test").click();
      await asks("Bash").waitFor();
      await allow.click();
      await asks("Edit").waitFor();
      await file("README.md").click();
      await isOpenToAll();
      await note.fill("no");
      await page.getByRole("button", { name: "Deny with reason" }).click();
      await page.getByRole("button", { name: "Show inspector" }).click();
      await isOpenToAll();
      await page.getByRole("button", { name: "Workspaces" }).click();
      await page.getByRole("radio", { name: "A new workspace" }).check();
      await page.getByText(/\d .?B of .* used$/).waitFor();
      await isOpenToAll();
    },
  );

  it("announces events to screen readers, but not every delta", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, asks, allow } = partsOf(page);
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(globalThis, { said });
      const status = [...document.querySelectorAll("[role=status]")].at(-1);
      new MutationObserver(() => said.push(status?.textContent ?? "")).observe(status as Element, {
        characterData: true,
        childList: true,
        subtree: true,
      });
    });
    await message.fill("run touch hello");
    await message.press("Enter");
    await asks("Bash").waitFor();
    await allow.click();
    const said = () => page.evaluate(() => (globalThis as unknown as { said: string[] }).said);
    await eventually(said).toEqual([
      "Working",
      "Bash is waiting for approval",
      "Working",
      expect.stringContaining("run touch hello"),
    ]);
  });
});

it("completes and runs commands with the keyboard alone", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message } = partsOf(page);
  await message.fill("/");
  const list = page.getByRole("listbox", { name: "Commands" });
  await list.getByRole("option").first().waitFor();
  await message.press("ArrowUp");
  const last = list.getByRole("option").last();
  await eventually(() => last.getAttribute("aria-selected")).toBe("true");
  await eventually(() => isInSight(last, list)).toBe(true);
  await message.fill("/mo");
  await page.getByRole("option", { name: /^\/mode / }).waitFor();
  await message.press("Tab");
  await page.getByRole("option", { name: /^plan/ }).waitFor();
  await message.fill("/mo");
  await message.press("Enter");
  await message.pressSequentially("plan");
  await message.press("Enter");
  await eventually(() => page.getByLabel("Permission mode").inputValue()).toBe("plan");
  await page.getByText("Mode: plan").waitFor();
  const saving = page.waitForEvent("download");
  await message.fill("/export");
  await message.press("Enter");
  expect((await saving).suggestedFilename()).toMatch(/^session-.+\.ndjson$/);
});
