import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Playground, startPlayground } from "./playground/site.ts";
import { ask, partsOf, visit, eventually } from "./playground/visitor.ts";
import { choose, dragOnto, hostileZip, newFolder } from "./playground/workspaces.ts";

/** Limits of a first visit: bytes of JavaScript, gzipped, and files of it. */
const FIRST_LOAD_BUDGET = 136_000;
const FIRST_LOAD_FILES = 8;
/** Further files of JavaScript until an agent asks its first question, those of the shell's worker included. */
const FIRST_QUESTION_FILES = 8;
const broken = '[/[^a-z0-9]/g, "-"]';
const fixed = '[/[^a-z0-9]+/g, "-"]';

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

describe("a first visit", () => {
  it("does not run a denied call, reports the reason to the model, and runs an allowed one", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { guide, asks, allow, note, card, conversation, file, fileText } = partsOf(page);
    await guide("Fix the failing test").click();

    await asks("Bash").waitFor();
    await allow.click();
    await eventually(() => card("Bash").first().textContent()).toContain("1 failed");

    await asks("Edit").waitFor();
    const diff = page.getByRole("group", { name: "Changed lines" });
    await eventually(() => diff.textContent()).toContain(fixed);
    await note.fill("keep single dashes");
    await note.press("Control+Enter");
    await eventually(() => card("Edit").textContent()).toContain("Not run");
    await eventually(() => conversation.locator("[data-part=text]").last().textContent()).toContain(
      "keep single dashes",
    );
    await file("src").click();
    await file("rules.js").click();
    await eventually(() => fileText.textContent()).toContain(broken);

    await page.getByRole("button", { name: "New session" }).click();
    await guide("Fix the failing test").click();
    await asks("Bash").waitFor();
    await allow.click();
    await asks("Edit").waitFor();
    await allow.click();
    // The panel follows without being asked.
    await eventually(() => fileText.textContent()).toContain(fixed);
    await asks("Bash").waitFor();
    await allow.click();
    await eventually(() => card("Bash").last().getAttribute("data-phase")).toBe("done");
    await eventually(() => conversation.textContent()).toContain("0 failed");
    expect(visitor.complaints).toEqual([]);
  });

  it("loads at most 136 kB of JavaScript in 8 files, and 8 more until the first question, and makes no foreign requests", async () => {
    await using visitor = await visit(playground, { isBusy: true });
    await partsOf(visitor.page).guide("Fix the failing test").waitFor();
    await partsOf(visitor.page).file("README.md").waitFor();
    const sizes = await visitor.scriptSizes();
    expect(sizes.length).toBeLessThanOrEqual(FIRST_LOAD_FILES);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_BUDGET);
    await partsOf(visitor.page).guide("Fix the failing test").click();
    await partsOf(visitor.page).asks("Bash").waitFor();
    const asked = await visitor.scriptSizes();
    expect(asked.length - sizes.length).toBeLessThanOrEqual(FIRST_QUESTION_FILES);
    expect(visitor.complaints).toEqual([]);
  });
});

describe("a reload", () => {
  it("changes a file that was read before it, once the change is allowed", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, asks, allow, file, fileText } = partsOf(page);
    await message.fill('replace "One case" with "No case" in README.md');
    await message.press("Enter");
    await asks("Edit").waitFor();
    await page.reload();
    await asks("Edit").waitFor();
    await allow.click();
    await file("README.md").click();
    await eventually(() => fileText.textContent()).toContain("No case fails");
    expect(visitor.complaints).toEqual([]);
  });

  it("keeps a pending approval, which can be answered", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, asks, allow, conversation, file } = partsOf(page);
    await message.fill("write notes.txt: after the reload\nread notes.txt");
    await message.press("Enter");
    await asks("Write").waitFor();

    await page.reload();
    await asks("Write").waitFor();
    await eventually(() => conversation.textContent()).toContain("Continues when you answer");
    expect(await file("notes.txt").count()).toBe(0);
    await allow.click();

    await file("notes.txt").waitFor();
    await eventually(() => conversation.textContent()).toContain("Output of read notes.txt:");
    await conversation.locator("[data-state=complete]").waitFor();
    await page.reload();
    await eventually(() => conversation.textContent()).toContain("Output of read notes.txt:");
    await file("notes.txt").waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it("keeps sessions, their files, drafts, and the theme without a flash", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, conversation, guide } = partsOf(page);
    await ask(page, "list");
    await message.fill("not sent yet");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    await page.keyboard.press("Escape");

    await page.addInitScript(() => {
      addEventListener("DOMContentLoaded", () => {
        sessionStorage.setItem("first theme", String(document.documentElement.dataset["theme"]));
      });
    });
    await page.reload({ waitUntil: "commit" });
    await eventually(() => page.evaluate(() => sessionStorage.getItem("first theme"))).toBe("dark");
    await eventually(() => message.inputValue()).toBe("not sent yet");
    await eventually(() => conversation.textContent()).toContain("cases.txt");
    await page.getByRole("button", { name: "New session" }).click();
    await guide("Explore").waitFor();
    await eventually(() => message.inputValue()).toBe("");
    expect(visitor.complaints).toEqual([]);
  });

  it("marks a turn that the page interrupted", async () => {
    await using visitor = await visit(playground, { motion: true });
    const { page } = visitor;
    const { message, conversation } = partsOf(page);
    await message.fill("long 20000");
    await message.press("Enter");
    // A second of text: the log stores what arrives ten times in it.
    await conversation.getByRole("listitem").nth(60).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "End the turn" }).click();
    await conversation.getByText("Interrupted", { exact: true }).waitFor();
    await eventually(() => conversation.textContent()).toContain("fills the context window");
    await ask(page, "list check.sh");
    expect(visitor.complaints).toEqual([]);
  });
});

describe("a running turn", () => {
  it("keeps its text when aborted, also over a reload", async () => {
    await using visitor = await visit(playground, { motion: true });
    const { page } = visitor;
    const { message, conversation, stop } = partsOf(page);
    await message.fill("long 20000");
    await message.press("Enter");
    await conversation.getByRole("listitem").nth(4).waitFor();
    await stop.click();
    await conversation.getByText("Stopped by you").waitFor();
    const kept = await conversation.locator("[data-part=text]").textContent();
    await page.reload();
    await conversation.getByText("Stopped by you").waitFor();
    await eventually(() => conversation.locator("[data-part=text]").textContent()).toBe(kept);
    expect(visitor.complaints).toEqual([]);
  });

  it("queues prompts, which can be removed or run one by one", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, turns } = partsOf(page);
    await message.fill("run touch first");
    await message.press("Enter");
    await partsOf(page).asks("Bash").waitFor();
    for (const prompt of ["list a*", "list b*", "list c*"]) {
      await message.fill(prompt);
      await message.press("Enter");
    }
    const queue = page.getByRole("region", { name: "Queue" });
    await eventually(() => queue.getByRole("listitem").count()).toBe(3);
    await page.getByRole("button", { name: "Remove “list b*” from the queue" }).click();
    await eventually(() => queue.getByRole("listitem").count()).toBe(2);
    await message.press("ArrowUp");
    await eventually(() => message.inputValue()).toBe("list c*");
    await eventually(() => queue.getByRole("listitem").count()).toBe(1);

    await partsOf(page).allow.click();
    await eventually(() => turns.count()).toBe(2);
    await eventually(() => turns.nth(1).textContent()).toContain("list a*");
    await eventually(() => queue.count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  it("shows new text without moving the visible part", async () => {
    await using visitor = await visit(playground, { motion: true });
    const { page } = visitor;
    const { message, conversation } = partsOf(page);
    await message.fill("long 20000");
    await message.press("Enter");
    const fromEnd = () =>
      conversation.evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
    await eventually(() => conversation.evaluate((log) => log.scrollHeight)).toBeGreaterThan(2000);
    expect(await fromEnd()).toBeLessThan(48);

    await conversation.hover();
    await page.mouse.wheel(0, -600);
    const toNew = page.getByRole("button", { name: "New", exact: true });
    await toNew.waitFor();
    const position = await conversation.evaluate((log) => log.scrollTop);
    await page.waitForTimeout(300);
    expect(await conversation.evaluate((log) => log.scrollTop)).toBe(position);
    await toNew.click();
    await eventually(fromEnd).toBeLessThan(48);
    await page.keyboard.press("Escape");
    await conversation.getByText("Stopped by you").waitFor();
  });
});

describe("the approval dock", () => {
  it("handles its keys only while focused, and does not take the focus", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, asks, dock, conversation } = partsOf(page);
    await message.fill("run touch one");
    await message.press("Enter");
    await message.pressSequentially("13");
    await asks("Bash").waitFor();
    await page.waitForTimeout(400);
    await message.pressSequentially("31");
    await eventually(() => message.inputValue()).toBe("1331");
    await eventually(() => dock.count()).toBe(1);

    await page.keyboard.press("Alt+a");
    expect(await asks("Bash").evaluate((heading) => heading === document.activeElement)).toBe(true);
    await page.keyboard.press("1");
    await eventually(() => conversation.textContent()).toContain("Output of run touch one:");
    expect(await message.evaluate((box) => box === document.activeElement)).toBe(true);
    await eventually(() => message.inputValue()).toBe("1331");
  });

  it("shows the whole call, including invisible characters, to the last line", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, asks, dock } = partsOf(page);
    const hidden = "ls \u001b]; touch pwned; :\u0007 \u202e \u00a0";
    await message.fill(`run ${hidden}${" ".repeat(3_000)}; echo end`);
    await message.press("Enter");
    await asks("Bash").waitFor();
    const command = dock.getByLabel("command", { exact: true });
    await eventually(() => command.textContent()).toBe(
      String.raw`ls \u{1b}]; touch pwned; :\u{7} \u{202e} \u{a0}[3000 spaces]; echo end`,
    );
    await page.getByRole("button", { name: "Deny" }).click();

    const lines = Array.from({ length: 450 }, (_, index) => `line ${index}`);
    await message.fill(`write long.txt: ${JSON.stringify(lines.join("\n"))}`);
    await message.press("Enter");
    await asks("Write").waitFor();
    const last = dock.getByText("line 449");
    await last.scrollIntoViewIfNeeded();
    await eventually(() => last.isVisible()).toBe(true);
    expect(visitor.complaints).toEqual([]);
  });

  it("stores a pattern for the session, as edited", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, asks, card, dock } = partsOf(page);
    await message.fill("run touch one");
    await message.press("Enter");
    await asks("Bash").waitFor();
    await page.getByRole("button", { name: "Always…" }).click();
    await page.getByLabel("Calls that match").fill("Bash(touch *)");
    await page.getByRole("button", { name: "Allow and remember" }).click();
    await eventually(() => card("Bash").last().getAttribute("data-phase")).toBe("done");
    await ask(page, "run touch two");
    expect(await dock.count()).toBe(0);
    await eventually(() => card("Bash").last().getAttribute("data-phase")).toBe("done");
    expect(visitor.complaints).toEqual([]);
  });

  it("runs a command as the person edited it", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { message, asks, card } = partsOf(page);
    await message.fill("run touch one");
    await message.press("Enter");
    await asks("Bash").waitFor();
    await page.getByRole("button", { name: "Edit command" }).click();
    await page.getByLabel("Command to run").waitFor();
    await page.keyboard.type(" && echo changed");
    await page.getByRole("button", { name: "Allow as edited" }).click();
    await eventually(() => card("Bash").textContent()).toContain("touch one && echo changed");
    await card("Bash").getByRole("button").first().click();
    await card("Bash").getByRole("tab", { name: "Output" }).click();
    await eventually(() => card("Bash").locator("pre").first().textContent()).toContain("changed");
  });
});

describe("sessions", () => {
  it("can be opened, renamed, deleted and restored", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { conversation, guide } = partsOf(page);
    const list = page.getByRole("navigation", { name: "Sessions" });
    await ask(page, "list *.txt");
    await page.getByRole("button", { name: "New session" }).click();
    await guide("Explore").waitFor();
    await ask(page, "list *.sh");
    await eventually(() => list.getByRole("listitem").count()).toBe(2);

    await list.getByRole("button", { name: /^list \*\.txt/ }).click();
    await eventually(() => conversation.textContent()).toContain("cases.txt");
    await list.getByRole("button", { name: /^list \*\.txt/ }).press("F2");
    await page.getByLabel("Name of the session").fill("Texts");
    await page.getByLabel("Name of the session").press("Enter");
    await list.getByRole("button", { name: /^Texts/ }).waitFor();
    await eventually(() => page.getByRole("heading", { level: 1 }).textContent()).toBe("Texts");

    await list.getByRole("button", { name: /^Texts/ }).hover();
    await list.getByRole("button", { name: "Delete Texts" }).click();
    await list.getByRole("button", { name: "Delete", exact: true }).click();
    await eventually(() => list.getByRole("listitem").count()).toBe(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await list.getByRole("button", { name: /^Texts/ }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});

describe("text of a model", () => {
  it("runs and loads nothing, and links only to allowed targets", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { conversation } = partsOf(page);
    await ask(
      page,
      "ask me <img src=x onerror=alert(1)> ![p](https://evil.example/p.png) [a](javascript:alert(1)) [b](https://example.com/) [c](README.md): yes|no",
    );
    await eventually(() => conversation.locator("[data-part=text]").textContent()).toContain(
      "<img src=x",
    );
    expect(await conversation.locator("img").count()).toBe(0);
    const links = conversation.locator("[data-part=text] a");
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual([
      "https://example.com/",
    ]);
    await conversation.getByRole("button", { name: "c", exact: true }).click();
    await eventually(() => partsOf(page).fileText.textContent()).toContain("# slug");
    expect(visitor.complaints).toEqual([]);
  });
});

it("lists every event of the session, with all of its data", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await ask(page, "list *.txt");
  await page.getByRole("button", { name: "Show inspector" }).click();
  const log = page.getByRole("list", { name: "Events, oldest first" });
  // Only what is visible is drawn.
  for (const type of ["session_init", "turn_start", "tool_start", "turn_end", "tool_end"]) {
    await page.getByLabel("Filter events by text").fill(type);
    await log.getByText(type, { exact: true }).waitFor();
  }
  await log.getByRole("button", { name: /tool_end/ }).click();
  await eventually(() => log.locator("pre").textContent()).toContain('"type": "tool_end"');
});

describe("workspaces", () => {
  const zipped = { name: "project.zip", mimeType: "application/zip" };

  it("import a dropped folder completely, and nothing of a hostile archive", async () => {
    const folder = await newFolder({
      "src/main.txt": "from the desktop",
      "a.txt": "a",
      "node_modules/x/y": "",
    });
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { file, fileText } = partsOf(page);
    await file("README.md").waitFor();
    const tree = page.getByRole("tree", { name: "Files" });
    // The drop comes before the code that imports it.
    const { promise: dropped, resolve: load } = Promise.withResolvers<void>();
    await page.route(/\/bring-in-/, async (route) => {
      await dropped;
      await route.continue();
    });
    await dragOnto(page, tree, folder);
    load();
    const dialog = page.getByRole("dialog", { name: "Workspaces" });
    await dialog.getByText("Imported 2 files (17 B) as project.").waitFor();
    const leftOut = dialog.getByText("project/node_modules");
    // A click may come between the outcome and the list of workspaces that moves it down.
    await eventually(async () => {
      if (!(await leftOut.isVisible())) await dialog.getByText("1 left out").click();
      return leftOut.isVisible();
    }).toBe(true);

    const pick = dialog.getByRole("button", { name: "Zip or tar…" });
    await choose(page, () => pick.click(), { ...zipped, buffer: await hostileZip() });
    await dialog.getByText("Nothing was imported: ").waitFor();
    await page.keyboard.press("Escape");
    // The sample's own folder of that name is further down, and the only one until this one is read.
    for (const path of ["project", "project/src", "project/src/main.txt"])
      await tree.locator(`[data-path$="/${path}"]`).click();
    await eventually(() => fileText.textContent()).toContain("from the desktop");
    expect(await page.getByRole("treeitem", { name: "evil" }).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  it("report that the browser has cleared one, and start with the sample again", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    const { file } = partsOf(page);
    await file("README.md").waitFor();
    await page.goto("about:blank");
    const { origin } = new URL(playground.url);
    const browser = await page.context().newCDPSession(page);
    await browser.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
    await page.goto(playground.url);
    const cleared = "The browser has cleared this workspace";
    const notice = page.locator("[data-part=toast]", { hasText: cleared });
    await notice.waitFor();
    await file("README.md").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await notice.waitFor({ state: "hidden" });
    await page.reload();
    await file("README.md").waitFor();
    expect(await notice.count()).toBe(0);
  });

  it("are independent: one is exported, imported as another, renamed and deleted", async () => {
    await using visitor = await visit(playground);
    const { page } = visitor;
    // A person would choose a place in a window of the system's, which no test can reach.
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, "showSaveFilePicker"));
    await page.reload();
    const { file, message, allow } = partsOf(page);
    await file("README.md").waitFor();
    const open = page.getByRole("button", { name: "Workspaces" });
    const dialog = page.getByRole("dialog", { name: "Workspaces" });
    const button = (name: string) => dialog.getByRole("button", { name });
    await open.press("Enter");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      button("Save as zip").click(),
    ]);
    expect(download.suggestedFilename()).toBe("Playground.zip");
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);

    await dialog.getByRole("radio", { name: "A new workspace" }).check();
    await dialog.getByLabel("Name of the new workspace").fill("Copy");
    const archive = { ...zipped, buffer: Buffer.concat(chunks) };
    await choose(page, () => button("Zip or tar…").click(), archive);
    await button("Open it").click();
    await page.waitForURL(/\?workspace=/);
    await file("README.md").waitFor();
    await page.getByTitle("Copy").waitFor();
    await message.fill("write only-here.txt: x");
    await message.press("Enter");
    await allow.click();
    await file("only-here.txt").waitFor();

    await open.click();
    await dialog.getByRole("button", { name: /^Copy/ }).press("F2");
    await dialog.getByLabel("Name of the workspace").fill("Second");
    await page.keyboard.press("Enter");
    await button("Rename Second").waitFor();
    await eventually(() => button("Delete Second: open another one first").isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: /^Playground/ }).click();
    await page.waitForURL((url) => url.search === "");
    await file("README.md").waitFor();
    expect(await file("only-here.txt").count()).toBe(0);
    await open.click();
    await dialog.getByRole("button", { name: /^Second/ }).press("Delete");
    const sure = dialog.getByRole("group", { name: "Delete Second?" });
    await sure.getByRole("button", { name: "Delete" }).press("Enter");
    await eventually(() => dialog.getByText("Second").count()).toBe(0);
    const databases = await page.evaluate(() => indexedDB.databases());
    expect(new Set(databases.map(({ name }) => name))).toEqual(
      new Set([
        "robota-fs:playground",
        "robota-storage:playground",
        "robota-workspaces:playground",
      ]),
    );
    expect(visitor.complaints).toEqual([]);
  });
});
