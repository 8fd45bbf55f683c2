import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "../site.ts";
import { ask, eventually, partsOf, visit } from "../visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

/** Makes files by a command that nobody has to allow. */
async function run(page: Page, command: string): Promise<void> {
  await partsOf(page).file("README.md").waitFor();
  await partsOf(page).message.fill("list *.txt");
  await ask(page, "list *.txt");
  await page.getByLabel("Permission mode").selectOption({ label: "Allow all" });
  await ask(page, `run ${command}`);
}

/** The bytes of a file of the workspace, as a command of the page's shell tells them. */
async function bytesOf(page: Page, path: string): Promise<string> {
  const { card } = partsOf(page);
  await ask(page, `run base64 ${path}`);
  const last = card("Bash").last();
  await last.getByRole("button").first().click();
  const output = (await last.getByLabel("output").first().textContent()) ?? "";
  return Buffer.from(output.trim(), "base64").toString("latin1");
}

it("edits a file without changing its line ends or its byte order mark", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const region = page.getByRole("complementary", { name: "Workspace" });
  await run(page, String.raw`printf '\357\273\277one\r\ntwo\r\n' > windows.txt`);
  await partsOf(page).file("windows.txt").click();
  await region.getByRole("button", { name: "Edit" }).click();
  const text = region.getByRole("textbox", { name: "Text of windows.txt" });
  const state = region.locator("[data-part=editor-state]");
  await text.waitFor();
  expect(await state.textContent()).toBe("Saved");

  await text.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("x");
  await eventually(() => state.textContent()).toBe("Unsaved changes");
  await region.getByRole("button", { name: "Discard" }).click();
  await eventually(() => state.textContent()).toBe("Saved");

  await text.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("three\n");
  await region.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(() => state.textContent()).toBe("Saved");
  expect(await bytesOf(page, "windows.txt")).toBe("\u00ef\u00bb\u00bfone\r\ntwo\r\nthree\r\n");
  expect(visitor.complaints).toEqual([]);
});

it("offers no editing of a text that is no UTF-8, which saving would damage", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const region = page.getByRole("complementary", { name: "Workspace" });
  await run(page, String.raw`printf 'gr\374n\n' > latin.txt`);
  await partsOf(page).file("latin.txt").click();
  await region.getByText("This text is not UTF-8").waitFor();
  expect(await region.getByRole("button", { name: "Edit" }).count()).toBe(0);
  await partsOf(page).file("README.md").click();
  await region.getByRole("button", { name: "Edit" }).waitFor();
  expect(visitor.complaints).toEqual([]);
});

it("keeps what is not saved when its file or the folder of it is moved", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { file } = partsOf(page);
  const region = page.getByRole("complementary", { name: "Workspace" });
  await file("src").click();
  await file("rules.js").click();
  await region.getByRole("button", { name: "Edit" }).click();
  const text = region.getByRole("textbox", { name: /^Text of / });
  await text.click();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("// typed");
  await region.getByText("Unsaved changes").waitFor();
  await file("src").click();
  await region.getByRole("button", { name: "Rename or move src" }).click();
  await region.getByLabel("New path").fill("lib");
  await page.keyboard.press("Enter");
  await region.getByRole("region", { name: "lib/rules.js" }).waitFor();
  await region.getByText("Unsaved changes").waitFor();
  await eventually(() => text.textContent()).toContain("// typed");
  expect(visitor.complaints).toEqual([]);
});

it("asks before it leaves for another workspace with unsaved text, and closes nothing for who stays", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { file, turns } = partsOf(page);
  const region = page.getByRole("complementary", { name: "Workspace" });
  await file("README.md").click();
  await region.getByRole("button", { name: "Edit" }).click();
  await region.getByRole("textbox", { name: /^Text of / }).click();
  await page.keyboard.type("typed");
  await region.getByText("Unsaved changes").waitFor();

  const asked: string[] = [];
  let isLeaving = false;
  page.on("dialog", (question) => {
    asked.push(question.message());
    void (isLeaving ? question.accept() : question.dismiss());
  });
  const leave = async (name: string) => {
    await page.getByRole("button", { name: "Workspaces" }).click();
    const dialog = page.getByRole("dialog", { name: "Workspaces" });
    await dialog.getByLabel("Name of a new workspace").fill(name);
    await dialog.getByRole("button", { name: "New workspace" }).click();
  };
  const address = page.url();
  await leave("Later");
  await eventually(() => asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^Not saved: README\.md\./);
  await ask(page, "list *.txt");
  expect(await turns.count()).toBe(1);
  expect(new URL(page.url()).search).toBe(new URL(address).search);
  await region.getByText("Unsaved changes").waitFor();

  isLeaving = true;
  await leave("Now");
  await page.getByTitle("Now").waitFor();
  expect(asked).toHaveLength(2);
  expect(visitor.complaints).toEqual([]);
});

it("makes a workspace that is asked for before the list of them has loaded", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await page.route(/\/open-list-/, async (route) => {
    asked.resolve();
    await release.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Workspaces" }).click();
  const dialog = page.getByRole("dialog", { name: "Workspaces" });
  await dialog.getByLabel("Name of a new workspace").fill("Early");
  await asked.promise;
  await dialog.getByRole("button", { name: "New workspace" }).click();
  release.resolve();
  await page.getByTitle("Early").waitFor();
  expect(visitor.complaints).toEqual([]);
});
