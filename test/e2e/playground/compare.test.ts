import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scriptAddress, type WireReply } from "../../support/wire/wire-script.ts";
import { startWireServer, type WireServer } from "../../support/wire/wire-server.ts";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;
let server: WireServer;

beforeAll(async () => {
  [playground, server] = await Promise.all([startPlayground(), startWireServer()]);
});
afterAll(async () => {
  await playground[Symbol.asyncDispose]();
  await server.close();
});

/** A local server's model that writes a file when it is asked, and says so. */
function writing(file: string, text: string): string {
  const args = [JSON.stringify({ filePath: `/workspace/${file}`, content: text })];
  const replies: WireReply[] = [
    { answer: { text: ["Writing it."], calls: [{ id: "call_w", name: "Write", args }] } },
    { answer: { text: ["The model has written it."] } },
  ];
  return `${scriptAddress(server.origin, { id: crypto.randomUUID(), replies })}/v1`;
}

async function connectLocal(page: Page, baseURL: string): Promise<void> {
  await page.getByRole("button", { name: /^Model: / }).click();
  const sheet = page.getByRole("dialog", { name: "Choose a model" });
  await sheet.getByRole("button", { name: "A local server" }).click();
  await sheet.getByLabel("Base URL").fill(baseURL);
  await sheet.getByRole("combobox", { name: "Model" }).fill("wire-model");
  await sheet.getByRole("button", { name: "Use wire-model" }).click();
  await sheet.waitFor({ state: "hidden" });
}

function compareOf(page: Page) {
  const dialog = page.getByRole("dialog", { name: "Compare" });
  return {
    dialog,
    prompt: dialog.getByLabel("Prompt", { exact: true }),
    a: dialog.getByRole("region", { name: /^A: / }),
    b: dialog.getByRole("region", { name: /^B: / }),
  };
}

async function openCompare(page: Page): Promise<ReturnType<typeof compareOf>> {
  await page.getByRole("button", { name: /^Model: / }).click();
  await page.getByRole("button", { name: "Compare two models…" }).click();
  return compareOf(page);
}

const sessionRows = (page: Page) =>
  page.getByRole("navigation", { name: "Sessions" }).getByRole("listitem");

it("answers a prompt twice on separate files, keeps one side, and leaves nothing of the other", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { file, fileText, turns, message } = partsOf(page);
  await message.waitFor();
  await connectLocal(page, writing("model.txt", "by the model"));
  await page.getByRole("button", { name: "New session" }).click();
  const { dialog, prompt, a, b } = await openCompare(page);
  // The session's own model is on one side, the guide on the other.
  await prompt.fill('write guide.txt: "by the guide"');
  await dialog.getByRole("button", { name: "Compare", exact: true }).click();

  // Both ask, each by its name, and each on its own.
  await dialog.getByRole("group", { name: /^A: .*Write|^A: .*model\.txt/ }).waitFor();
  await dialog.getByRole("group", { name: /^B: .*Write|^B: .*guide\.txt/ }).waitFor();
  await b.getByRole("button", { name: "Allow for B" }).click();
  await eventually(() => b.textContent()).toContain("1 file changed");
  await eventually(() => b.textContent()).toContain("guide.txt");
  await eventually(() => b.textContent()).toContain("$0");
  await eventually(() => a.getByRole("button", { name: "Keep A" }).isDisabled()).toBe(true);
  await a.getByRole("button", { name: "Allow for A" }).click();
  await eventually(() => a.textContent()).toContain("1 file changed");
  await eventually(() => a.textContent()).toContain("The model has written it.");
  await eventually(() => a.textContent()).toContain("by the model");
  await eventually(() => a.textContent()).toMatch(/Tokens\d+ in · \d+ out/);
  await eventually(() => a.textContent()).toMatch(/Time[\d.]+ m?s/);
  // Nothing has reached the workspace so far.
  expect(await file("guide.txt").count()).toBe(0);
  expect(await file("model.txt").count()).toBe(0);

  await a.getByRole("button", { name: "Keep A" }).click();
  await dialog.waitFor({ state: "hidden" });
  await eventually(() => turns.last().textContent()).toContain("The model has written it.");
  await file("model.txt").click();
  await eventually(() => fileText.textContent()).toContain("by the model");
  expect(await file("guide.txt").count()).toBe(0);
  await eventually(() => sessionRows(page).count()).toBe(1);
  // It goes on as any session does, on the files of the workspace.
  await ask(page, "Thanks");
  await eventually(() => turns.count()).toBe(2);
  const faults = visitor.complaints.filter((each) => /exception|Content Security/.test(each));
  expect(faults).toEqual([]);
});

it("tells the time of the work apart from that in which a person was waited for", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await page.addInitScript(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + (Reflect.get(globalThis, "thought") ?? 0);
  });
  await page.reload();
  await partsOf(page).message.waitFor();
  const { dialog, prompt, a, b } = await openCompare(page);
  await prompt.fill("run touch new.txt");
  await b.page().getByLabel("Permission mode").last().selectOption({ label: "Allow all" });
  await dialog.getByRole("button", { name: "Compare", exact: true }).click();
  await a.getByRole("button", { name: "Allow for A" }).waitFor();
  const time = (side: typeof a) => side.getByRole("definition").first();
  await eventually(() => time(b).textContent()).toMatch(/^[\d.]+ m?s$/);
  // The person thinks about it for two hours, by the page's clock.
  await page.evaluate(() => Object.assign(globalThis, { thought: 7_200_000 }));
  await a.getByRole("button", { name: "Allow for A" }).click();
  await eventually(() => time(a).textContent()).toMatch(
    /^[\d.]+ m?s, and 120 min \d+ s waiting for you$/,
  );
  expect(await a.getByRole("article").textContent()).toContain(" waiting for you");
});

it("shows the files of an answer that was over before the page was drawn", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await page.addInitScript(() => {
    const draw = globalThis.requestAnimationFrame.bind(globalThis);
    globalThis.requestAnimationFrame = (run) =>
      Reflect.get(globalThis, "isSlow")
        ? window.setTimeout(run, 1_000, performance.now())
        : draw(run);
  });
  await page.reload();
  await partsOf(page).message.waitFor();
  await ask(page, "list");
  const { dialog, prompt, b } = await openCompare(page);
  await prompt.fill("run rm README.md");
  await b.page().getByLabel("Permission mode").last().selectOption({ label: "Allow all" });
  await page.evaluate(() => Object.assign(globalThis, { isSlow: true }));
  await dialog.getByRole("button", { name: "Compare", exact: true }).click();
  await eventually(() => b.textContent()).toContain("1 file changed");
  expect(await b.getByRole("article").textContent()).not.toContain("list");
});

it("keeps neither, and clears what a reload in the middle has left", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, file, turns } = partsOf(page);
  await message.waitFor();
  await ask(page, "list");
  const { dialog, prompt, a, b } = await openCompare(page);
  await prompt.fill("run rm README.md");
  await b.page().getByLabel("Permission mode").last().selectOption({ label: "Allow all" });
  await dialog.getByRole("button", { name: "Compare", exact: true }).click();
  await eventually(() => b.textContent()).toContain("1 file changed");
  await a.getByRole("button", { name: "Deny for A" }).click();
  await eventually(() => a.textContent()).toContain("No file changed");
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Discard both" }).click();
  await dialog.waitFor({ state: "hidden" });
  await eventually(() => file("README.md").count()).toBe(1);
  await eventually(() => sessionRows(page).count()).toBe(1);
  await eventually(() => turns.count()).toBe(1);

  await openCompare(page);
  await prompt.fill("slow 60000");
  await dialog.getByRole("button", { name: "Compare", exact: true }).click();
  await a.getByRole("button", { name: "Stop A" }).waitFor();
  await page.reload();
  await eventually(() => turns.count()).toBe(1);
  await eventually(() => sessionRows(page).count()).toBe(1);
});
