import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "../site.ts";
import { ask, eventually, partsOf, visit } from "../visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

it("keeps settings, connections and servers that another tab has added meanwhile", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  const other = await context.newPage();
  await other.goto(playground.url);
  for (const each of [page, other]) {
    await partsOf(each).file("README.md").waitFor();
    await ask(each, "list *.txt");
    await partsOf(each).message.press("ControlOrMeta+Shift+E");
    await each.getByRole("tab", { name: "Settings" }).click();
    await each.getByLabel("Name", { exact: true }).waitFor();
  }
  const save = async (each: typeof page, name: string, value: string) => {
    await each.getByLabel("Name", { exact: true }).fill(name);
    await each.getByLabel("Value").fill(value);
    await each.getByRole("button", { name: "Save", exact: true }).click();
    await eventually(() => each.getByLabel("Value").inputValue()).toBe("");
  };
  await save(page, "permissions.deny", '["Bash(rm *)"]');
  await save(other, "maxTurns", "7");
  const stored = await page.evaluate(() => localStorage.getItem("robota.settings"));
  expect(JSON.parse(stored ?? "")).toEqual({ permissions: { deny: ["Bash(rm *)"] }, maxTurns: 7 });
  expect(visitor.complaints).toEqual([]);
});

it("stays in its session when a link with another one is followed", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await ask(page, "list *.txt");
  const address = page.url();
  await page.evaluate(() => (location.hash = "#/import/damaged"));
  const dialog = page.getByRole("dialog", { name: "Import a session" });
  await dialog.getByRole("button", { name: "Don’t import" }).click();
  await dialog.waitFor({ state: "hidden" });
  await eventually(() => partsOf(page).conversation.textContent()).toContain("cases.txt");
  expect(page.url()).toBe(address);
  await ask(page, "list *.sh");
  expect(await partsOf(page).turns.count()).toBe(2);
  expect(visitor.complaints).toEqual([]);
});

it("keeps a dialog open while a person selects in it and lets go beside it", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await page.getByRole("button", { name: "Import a session" }).waitFor();
  await page.keyboard.press("ControlOrMeta+K");
  const dialog = page.getByRole("dialog", { name: "Find an action" });
  const box = dialog.getByRole("combobox");
  await box.fill("a word to be selected");
  const { x, y, width, height } = (await box.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(5, y + height / 2);
  await page.mouse.up();
  expect(await box.inputValue()).toBe("a word to be selected");
  // A press beside it closes it still.
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: "hidden" });
  expect(visitor.complaints).toEqual([]);
});
