import { readFile } from "node:fs/promises";
import { exportSession, Session } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, partsOf, pressEscapeTwice, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

/** The inspector's parts, by what a person calls them. */
function inspectorOf(page: Page) {
  const region = page.getByRole("complementary", { name: "Inspector" });
  const section = (name: string): Locator => region.getByRole("region", { name, exact: true });
  return {
    region,
    section,
    tab: (name: string): Locator => region.getByRole("tab", { name, exact: true }),
    events: region.getByRole("listitem"),
    filter: region.getByRole("searchbox", { name: "Filter events by text" }),
    kind: region.getByLabel("Kind of event"),
    menu: async (name: string): Promise<void> => {
      await region.getByRole("button", { name: "Session actions" }).click();
      await page.getByRole("button", { name, exact: true }).click();
    },
  };
}

/** Keeps the page's next document from its files, as another tab does that is writing them. Returns the way to let it. */
async function holdFiles(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(() => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const locks: Pick<LockManager, "request"> = LockManager.prototype;
    const { request } = locks;
    locks.request = async function (this: LockManager, ...given: unknown[]) {
      await released;
      return Reflect.apply(request, this, given);
    };
    Object.assign(globalThis, { releaseFiles: resolve });
  });
  return () => page.evaluate(() => Reflect.get(globalThis, "releaseFiles")());
}

async function allowed(page: Page, prompt: string): Promise<void> {
  const { message, allow, turns } = partsOf(page);
  const before = await turns.count();
  await message.fill(prompt);
  await message.press("Enter");
  await allow.click();
  await turns.nth(before).and(page.locator('[aria-busy="false"]')).waitFor();
}

it("shows what a session does: events, requests, context, rules, hooks, extensions and settings", async () => {
  await using visitor = await visit(playground, { height: 1000 });
  const { page, complaints } = visitor;
  const { region, section, tab, events, filter, kind } = inspectorOf(page);
  await allowed(page, "write notes.txt: hello\nread notes.txt");
  await page.keyboard.press("Control+Shift+E");

  // Events: oldest first under their turn, filtered by kind and by text, with the payload as JSON.
  await filter.fill("turn_start");
  await region.getByRole("button", { name: /^write notes\.txt.* 1$/ }).waitFor();
  await filter.fill("");
  await kind.selectOption({ label: "Permissions" });
  await eventually(() => region.textContent()).toContain("allowed by person");
  await filter.fill("read");
  await eventually(() => events.count()).toBe(2);
  await region.getByRole("button", { name: /permission_auto/ }).click();
  await eventually(() => region.getByLabel("event", { exact: true }).textContent()).toContain(
    '"type": "permission_auto"',
  );
  await filter.fill("nothing is called this");
  await eventually(() => region.textContent()).toContain("No event matches.");

  // Requests: tokens, time and cost of each, and what was sent.
  await tab("Requests").click();
  await eventually(() => section("Session").textContent()).toMatch(
    /Requests3Tokens.* est\.Cost\$0/,
  );
  await section("Requests").getByRole("button").first().click();
  const sent = region.getByLabel("request", { exact: true });
  await eventually(() => sent.textContent()).toContain('"messages"');
  await section("Requests")
    .getByRole("button", { name: /^Show all \d+ lines$/ })
    .click();
  await eventually(() => sent.textContent()).toContain('"tools"');

  // Context: the parts of the window, and compaction when a person wants it.
  await tab("Context").click();
  await eventually(() => section("Window").textContent()).toMatch(/Tool results.*est\..*84 %/s);
  await section("Window").getByRole("button", { name: "Compact now" }).click();
  await eventually(() => section("Window").getByRole("status").textContent()).toContain(
    "Compacted",
  );
  await eventually(() => section("Compactions").textContent()).toContain("Summarised");

  // Permissions: a call explained, and an answer taken back.
  await tab("Permissions").click();
  await region.getByLabel("Call to explain").fill("Bash(touch a.txt)");
  await region.getByRole("button", { name: "Explain" }).click();
  await eventually(() => section("Explain a call").textContent()).toContain("Asks first");
  await partsOf(page).message.fill("run touch a.txt");
  await partsOf(page).message.press("Enter");
  await page.getByRole("button", { name: "Always…" }).click();
  await page.getByRole("radio", { name: /session/i }).check({ force: true });
  await page.getByRole("button", { name: /^Allow/ }).click();
  await section("Allowed by you")
    .getByRole("button", { name: /^Revoke/ })
    .click();
  await eventually(() => section("Allowed by you").textContent()).toContain("Nothing yet.");

  // Hooks: the sample blocks, and its run shows what it got and said.
  await tab("Hooks").click();
  await region.getByRole("switch", { name: "Block rm" }).check();
  await region.getByRole("button", { name: "Reopen session" }).click();
  await eventually(() => section("In force").textContent()).toContain("PreToolUse");
  await ask(page, "run rm README.md");
  await section("Runs")
    .getByRole("button", { name: /PreToolUse.*Blocked/ })
    .click();
  await eventually(() => region.getByLabel("hook input", { exact: true }).textContent()).toContain(
    "rm README.md",
  );
  await eventually(() => region.getByLabel("hook output", { exact: true }).textContent()).toContain(
    "rm is blocked",
  );
  await partsOf(page).file("README.md").waitFor();

  // Extensions: a server of the person's own is added, and the agents are listed.
  await tab("Extensions").click();
  await eventually(() => section("Agents").textContent()).toContain("general-purpose");
  await section("MCP servers").getByText("Add a server").click();
  await section("MCP servers").getByLabel("Name").fill("docs");
  await section("MCP servers").getByLabel("Address").fill(`${playground.url}mcp`);
  await section("MCP servers").getByRole("button", { name: "Add server" }).click();
  await section("MCP servers").getByRole("switch", { name: "Use docs" }).uncheck();
  await region.getByRole("button", { name: "Reopen session" }).click();
  await eventually(() => section("MCP servers").textContent()).toContain("disabled");

  // Settings: one is written for this browser, and another one is refused with its reason.
  await tab("Settings").click();
  await region.getByLabel("Name").fill("language");
  await region.getByLabel("Value").fill("German");
  await region.getByRole("button", { name: "Save" }).click();
  await region.getByRole("button", { name: "Reopen session" }).click();
  await eventually(() => section("In force").textContent()).toContain(
    'language"German"your settings',
  );
  await region.getByLabel("Name").fill("maxTurns");
  await region.getByLabel("Value").fill("many");
  await region.getByRole("button", { name: "Save" }).click();
  await eventually(() => region.getByRole("alert").textContent()).toContain("maxTurns");
  expect(complaints).toEqual([]);
});

it("keeps all of the chosen tab in sight where not all of them fit", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await ask(page, "list *.txt");
  await page.keyboard.press("Control+Shift+E");
  const list = inspectorOf(page).region.getByRole("tablist");
  const isWhole = (tab: Locator) =>
    tab.evaluate((button) => {
      const [box, row] = [button, button.parentElement!].map((one) => one.getBoundingClientRect());
      return box!.left >= row!.left - 1 && box!.right <= row!.right + 1;
    });
  await list.getByRole("tab", { name: "Events" }).focus();
  for (const _ of await list.getByRole("tab").all()) {
    await page.keyboard.press("ArrowRight");
    await eventually(() => isWhole(list.getByRole("tab", { selected: true }))).toBe(true);
  }
  // A pointer that hits the visible part of the next one.
  await list.evaluate((row) => (row.scrollLeft = 0));
  const right = await list.evaluate((row) => row.getBoundingClientRect().right);
  const { y } = (await list.boundingBox()) ?? { y: NaN };
  await page.mouse.click(right - 4, y + 12);
  await eventually(() => isWhole(list.getByRole("tab", { selected: true }))).toBe(true);
  expect(visitor.complaints).toEqual([]);
});

it("goes back in time: rewind with undo, replay, verification, fork, and a link with the session", async () => {
  await using visitor = await visit(playground);
  const { page, context, complaints } = visitor;
  const { message, file, fileText, turns } = partsOf(page);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await allowed(page, "write notes.txt: hello");
  await allowed(page, 'replace "hello" with "bye" in notes.txt');
  await file("notes.txt").click();
  await eventually(() => fileText.textContent()).toContain("bye");

  // By keyboard alone: Escape twice, what would change, and back.
  await message.focus();
  await pressEscapeTwice(page);
  const rewind = page.getByRole("dialog", { name: "Rewind" });
  await rewind.getByRole("button", { name: /^replace/ }).press("Enter");
  await eventually(() => rewind.textContent()).toContain("1 turn leaves the conversation.");
  const changes = rewind.getByRole("group", { name: "What changes" });
  await eventually(() => changes.textContent()).toMatch(/notes\.txt.*bye.*hello/s);
  await rewind.getByRole("button", { name: "Rewind", exact: true }).press("Enter");
  await rewind.getByRole("button", { name: "Undo rewind" }).waitFor();
  await eventually(() => turns.count()).toBe(1);
  await eventually(() => fileText.textContent()).toContain("hello");
  await rewind.getByRole("button", { name: "Undo rewind" }).press("Enter");
  await eventually(() => turns.count()).toBe(2);
  await eventually(() => fileText.textContent()).toContain("bye");
  await page.keyboard.press("Escape");

  // The same session again, without a model: at any point, checked, and forked from there.
  await page.keyboard.press("Control+Shift+E");
  const { menu } = inspectorOf(page);
  await menu("Replay…");
  const replay = page.getByRole("dialog", { name: "Replay" });
  const recorded = replay.getByRole("article");
  await eventually(() => recorded.count()).toBe(2);
  await replay.getByRole("button", { name: "Verify" }).click();
  await eventually(() => replay.getByRole("status").textContent()).toMatch(
    /Replay matches: all \d+ events are the same\./,
  );
  const position = replay.getByRole("slider", { name: "Position" });
  const place = Number(await position.getAttribute("max"));
  await replay.getByRole("button", { name: "To the start" }).click();
  await eventually(() => recorded.count()).toBe(0);
  await replay.getByRole("button", { name: "Step forward" }).click();
  await eventually(() => position.inputValue()).toBe("1");
  await replay.getByLabel("Speed").selectOption("20×");
  await replay.getByRole("button", { name: "Play" }).click();
  await eventually(() => position.inputValue()).toBe(String(place));
  // Back to the middle of the first turn, whose write is done.
  for (let step = place; (await recorded.count()) > 1; step--) await position.fill(String(step));
  const aside = replay.getByRole("group", { name: "Files and decisions" });
  await eventually(() => aside.textContent()).toMatch(/notes\.txt.*hello.*allowed by you/s);
  await replay.getByRole("button", { name: "Fork here" }).click();
  await replay.waitFor({ state: "detached" });
  await eventually(() => turns.count()).toBe(1);

  // A file and a link, without a server. The one who opens the link is asked, and may answer before the page's files are there.
  const [download] = await Promise.all([page.waitForEvent("download"), menu("Export as file")]);
  const exported = await readFile(await download.path(), "utf8");
  expect(exported.split("\n")[0]).toContain('"format"');
  await page.getByRole("button", { name: "Copy link with session" }).click();
  await page.getByText("Link copied.").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await visit(playground);
  await using _other = other;
  await other.page.goto("about:blank");
  const releaseFiles = await holdFiles(other.page);
  await other.page.goto(link);
  const question = other.page.getByRole("dialog", { name: "Import a session" });
  await eventually(() => question.textContent()).toContain("Nothing in it runs by itself");
  expect(other.page.url()).not.toContain("import");
  await question.getByRole("button", { name: "Import", exact: true }).click();
  await question.getByRole("button", { name: "Importing…" }).waitFor();
  await releaseFiles();
  await eventually(() => partsOf(other.page).turns.count()).toBe(1);
  expect([...complaints, ...other.complaints]).toEqual([]);
});

it.each([
  { what: "refuses the clipboard", has: true },
  { what: "has no clipboard", has: false },
])("shows the link with a session to copy by hand where the browser $what", async ({ has }) => {
  await using visitor = await visit(playground);
  const { page, complaints } = visitor;
  await page.addInitScript((hasClipboard) => {
    const refuses = { writeText: () => Promise.reject(new DOMException("", "NotAllowedError")) };
    const value = hasClipboard ? refuses : undefined;
    Object.defineProperty(navigator, "clipboard", { value });
  }, has);
  await page.reload();
  await ask(page, "list *.txt");
  await page.keyboard.press("Control+Shift+E");
  await inspectorOf(page).menu("Copy link with session");
  const dialog = page.getByRole("dialog", { name: "Link with session" });
  const box = dialog.getByRole("textbox", { name: "Link" });
  await box.and(page.locator(":focus")).waitFor();
  const link = await box.inputValue();
  expect(link.startsWith(`${playground.url}#/import/`)).toBe(true);
  expect(await page.evaluate(() => String(getSelection()))).toBe(link);
  await dialog.getByRole("button", { name: "Done" }).click();

  await page.goto(link);
  const question = page.getByRole("dialog", { name: "Import a session" });
  await question.getByRole("button", { name: "Import", exact: true }).click();
  const list = page.getByRole("navigation", { name: "Sessions" });
  await eventually(() => list.getByRole("listitem").count()).toBe(2);
  expect(complaints).toEqual([]);
});

it("offers nothing to import when a file can't be read, also after another one", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const dialog = page.getByRole("dialog", { name: "Import a session" });
  const button = dialog.getByRole("button", { name: "Import", exact: true });
  const choose = (name: string, text: string | Buffer) =>
    dialog
      .getByLabel("Exported session")
      .setInputFiles({ name, mimeType: "application/x-ndjson", buffer: Buffer.from(text) });
  await ask(page, "list");
  await page.keyboard.press("Control+Shift+E");
  await inspectorOf(page).menu("Import…");
  const looks = () => button.evaluate((element) => getComputedStyle(element).opacity);
  expect(await button.isDisabled()).toBe(true);
  const disabled = await looks();

  await choose("good.ndjson", await longSession(1));
  await dialog.getByText("Nothing in it runs by itself").waitFor();
  await eventually(looks).not.toBe(disabled);
  await choose("bad.ndjson", "not a session");
  await dialog.getByRole("alert").waitFor();
  expect(await button.isDisabled()).toBe(true);
  expect(await dialog.getByText("Nothing in it runs by itself").count()).toBe(0);
});

it("draws only what is visible of 20,000 events, also while they are filtered", async () => {
  await using visitor = await visit(playground);
  const { page, complaints } = visitor;
  const { region, filter, events } = inspectorOf(page);
  await page.getByRole("button", { name: "New session" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("import a session");
  await page.keyboard.press("Enter");
  await page.getByLabel("Exported session").setInputFiles({
    name: "long.session.jsonl",
    mimeType: "application/x-ndjson",
    buffer: await longSession(20_000),
  });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Control+Shift+E");
  await events.first().waitFor();
  await filter.fill("step 1999");
  await eventually(() => region.textContent()).toMatch(/11 of 20\d{3}/);
  await filter.fill("step");
  await eventually(() => region.textContent()).toMatch(/20000 of 20\d{3}/);
  await eventually(() => events.count()).toBeLessThan(100);
  // Steps are below each other, and the list follows the last one.
  await region.getByText('"step 19999"').waitFor();
  expect(complaints).toEqual([]);
}, 180_000);

/** The export of a session with that many entries of a program. */
async function longSession(entries: number): Promise<Buffer> {
  const platform = memoryPlatform();
  const session = new Session({ platform, provider: new ScriptedProvider([{ text: "Done" }]) });
  await session.run("Work");
  for (let step = 0; step < entries; step++) {
    await session.addHistoryEntry({
      id: `step-${step}`,
      seq: 0,
      timestamp: new Date(step),
      category: "event",
      type: "progress",
      data: `step ${step}`,
    });
  }
  await session.shutdown();
  const stream = exportSession(platform.storage, session.sessionId);
  return Buffer.from(
    await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
  );
}
