import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Workerd } from "../workerd.ts";
import { barriers, overflow, settled } from "./audit.ts";
import { connect as connectTo, dialogOf, sessionsOn, startServer, TOKEN } from "./scenes/server.ts";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;
let workerd: Workerd;

beforeAll(async () => {
  playground = await startPlayground();
  workerd = await startServer(new URL(playground.url).origin);
}, 180_000);
afterAll(async () => {
  await playground[Symbol.asyncDispose]();
  await workerd[Symbol.asyncDispose]();
});

const connect = (dialog: Locator, token: string): Promise<void> =>
  connectTo(dialog, workerd.url, token);

/** The id of the session in the page's address. */
function sessionIn(page: Page): string | undefined {
  return /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(page.url())?.[0];
}

it("uses the sessions of a worker, continues one there in the middle of a turn, and brings it back", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { asks, allow, conversation, turns, file, fileText, message } = partsOf(page);
  const files = page.getByRole("complementary", { name: "Workspace" });
  const host = new URL(workerd.url).host;
  const list = page.getByRole("navigation", { name: "Sessions" });
  const there = list.getByRole("region", { name: `On ${host}` });

  // A wrong token, an address where nothing listens, the right token.
  await list.getByRole("button", { name: "Connect to a server" }).click();
  const dialog = dialogOf(page, "Connect to a server");
  await connect(dialog, "guess");
  await dialog.getByText(`${host} refused the token`).waitFor();
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  await connect(dialog, TOKEN);
  await dialog.getByText("No sessions yet.").waitFor();
  await dialog.getByRole("button", { name: `New session on ${host}` }).click();
  await page.getByRole("heading", { name: `A session on ${host}` }).waitFor();

  // Works there.
  await message.fill("write from-afar.txt: hello");
  await message.press("Enter");
  await asks("Write").waitFor();
  await there.getByText("Waits for you:").waitFor();
  await allow.click();
  await turns.first().and(page.locator('[aria-busy="false"]')).waitFor();
  await there
    .getByRole("button", { name: /write from-afar/ })
    .first()
    .waitFor();

  // Its files are the server's, which a person reads, changes, makes, moves and removes.
  await file("from-afar.txt").click();
  await eventually(() => fileText.textContent()).toBe("hello");
  await files.getByRole("button", { name: "Edit" }).click();
  await files.getByRole("textbox", { name: "Text of from-afar.txt" }).click();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("my ");
  await files.getByRole("button", { name: "Save" }).click();
  await files.getByText("Saved", { exact: true }).waitFor();
  await files.getByRole("button", { name: "Done" }).click();
  await eventually(() => fileText.textContent()).toBe("my hello");
  await files.getByRole("button", { name: "Rename or move from-afar.txt" }).click();
  await files.getByLabel("New path").fill("in/near.txt");
  await page.keyboard.press("Enter");
  await file("near.txt").waitFor();
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  await ask(page, "read in/near.txt");
  expect(await turns.last().textContent()).toContain("my hello");
  await file("near.txt").click();
  await files.getByRole("button", { name: "Delete in/near.txt" }).click();
  await files.getByRole("button", { name: "Delete", exact: true }).click();
  await file("near.txt").waitFor({ state: "detached" });
  expect(await overflow(page)).toBe(0);

  // A message is edited and sent again, and its former version is kept, with the server's files.
  const versions = page.getByRole("group", { name: "Versions of this message" });
  const mode = page.getByLabel("Permission mode");
  await ask(page, "list in/*");
  await turns.last().getByRole("button", { name: "Edit and send again" }).click();
  const editor = page.getByLabel("Edit the message");
  await editor.fill("list *.none");
  await editor.press("Enter");
  await eventually(() => versions.textContent()).toBe("2 / 2");
  await turns.last().and(page.locator('[aria-busy="false"]')).waitFor();
  await versions.getByRole("button", { name: "Previous version" }).click();
  await eventually(() => turns.last().textContent()).toContain("list in/*");

  // A plan waits for a word there too.
  const plan = page.getByRole("region", { name: "Plan" });
  await mode.selectOption("Plan");
  await ask(page, "plan list *.txt; write planned.txt: now");
  await plan.getByRole("button", { name: "Approve" }).click();
  await asks("Write").waitFor();
  await allow.click();
  await file("planned.txt").waitFor();
  await turns.last().and(page.locator('[aria-busy="false"]')).waitFor();

  // The inspector shows what the server tells, and says what it doesn't.
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await page.getByRole("button", { name: "Show inspector" }).click();
  for (const panel of ["Requests", "Context", "Permissions", "Hooks", "Extensions", "Settings"]) {
    await inspector.getByRole("tab", { name: panel }).click();
    await inspector.getByText(`This session runs on ${host}.`).waitFor();
  }
  await inspector.getByRole("tab", { name: "Extensions" }).click();
  await inspector.getByText("/compact").waitFor();
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Hide inspector" }).click();

  // The token is gone with the page, and is nowhere else.
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href]),
  );
  expect(stored).not.toContain(TOKEN);
  await page.reload();
  await page.getByRole("button", { name: "Enter the token", exact: true }).click();
  await connect(dialog, TOKEN);
  await eventually(() => conversation.textContent()).toContain("write from-afar.txt");

  // A session of this browser, which waits for an answer in the middle of its turn.
  await page.getByRole("button", { name: "New session", exact: true }).click();
  await partsOf(page).guide("Fix the failing test").waitFor();
  await page.getByRole("button", { name: "Workspaces" }).waitFor();
  expect(await file("planned.txt").count()).toBe(0);
  await message.fill("write one.txt: first\nread one.txt");
  await message.press("Enter");
  await asks("Write").waitFor();
  const id = sessionIn(page);
  const menu = async (action: string): Promise<void> => {
    const row = list.getByRole("listitem").filter({ hasText: "write one.txt" }).first();
    await row.hover();
    await row.getByRole("button", { name: /^More for/ }).click();
    await page.getByRole("button", { name: action }).click();
  };

  // Cut after the session has stopped here: it can be kept.
  await page.route("**/log?trusted=true", (route) => route.abort());
  await menu("Continue on a server…");
  const move = dialogOf(page, "Continue on a server");
  await move.getByRole("button", { name: "Continue there" }).click();
  await move.getByText("The session has stopped and did not arrive.").waitFor();
  await page.unroute("**/log?trusted=true");
  await move.getByRole("button", { name: "Keep it here" }).click();
  await move.waitFor({ state: "detached" });
  await asks("Write").waitFor();
  await message.waitFor();

  // It goes there, with its open request, which is answered there.
  await menu("Continue on a server…");
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  // The dialog tells where the move is.
  const steps = move.getByRole("list", { name: "Progress of the move" });
  const { promise: sent, resolve: goOn } = Promise.withResolvers<void>();
  await page.route("**/log?trusted=true", async (route) => {
    await sent;
    await route.continue();
  });
  await move.getByRole("button", { name: "Continue there" }).click();
  await eventually(() => steps.locator('[aria-current="step"]').textContent()).toBe(
    "Send the session and its files",
  );
  expect(await steps.locator('[data-state="done"]').count()).toBe(2);
  goOn();
  await move.waitFor({ state: "detached" });
  await page.unroute("**/log?trusted=true");
  await there
    .getByRole("button", { name: /write one.txt/ })
    .first()
    .waitFor();
  await asks("Write").waitFor();
  // It keeps its id, and the list marks it there alone.
  expect(page.url()).toContain("servers");
  expect(sessionIn(page)).toBe(id);
  expect((await sessionsOn(workerd)).map((one) => one.id)).toContain(id);
  const marked = list.locator('[aria-current="page"]');
  await eventually(() => marked.count()).toBe(1);
  await there.locator('[aria-current="page"]').waitFor();
  await allow.click();
  await turns.first().and(page.locator('[aria-busy="false"]')).waitFor();
  await eventually(() => conversation.textContent()).toContain("Output of read one.txt:");
  await file("one.txt").waitFor();

  // And back, with what it wrote there.
  const row = there.getByRole("listitem").filter({ hasText: "write one.txt" });
  await row.hover();
  await row.getByRole("button", { name: /^Bring .* here$/ }).click();
  const back = dialogOf(page, "Bring it here");
  await back.getByRole("button", { name: "Bring it here" }).click();
  await back.waitFor({ state: "detached" });
  await file("one.txt").waitFor();
  await eventually(() => page.url()).not.toContain("servers");
  expect(sessionIn(page)).toBe(id);
  await eventually(() => marked.count()).toBe(1);
  await ask(page, "list one.txt");
  await eventually(
    async () => (await sessionsOn(workerd)).filter((one) => one.handedOverTo).length,
  ).toBe(1);
  expect(await overflow(page)).toBe(0);

  // Its log, written by two hosts, is one that replays to the byte.
  await page.keyboard.press("Control+K");
  await page.getByRole("option", { name: "Replay a session" }).click();
  const replay = dialogOf(page, "Replay");
  await replay.getByRole("button", { name: "Verify" }).click();
  await eventually(() => replay.getByRole("status").textContent()).toMatch(/^Replay matches/);
  // Answers that refuse are errors in the console, too.
  const others = visitor.complaints.filter(
    (one) => one.startsWith("exception") || !(one.includes(host) || one.startsWith("console")),
  );
  expect(others).toEqual([]);
}, 180_000);

it("moves a session by /move in the message box, with the request that waits in it, and back", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { asks, allow, file, guide, message, turns } = partsOf(page);
  const result = page.getByLabel("Answer of the command");
  const command = async (text: string): Promise<void> => {
    await message.fill(text);
    await message.press("Enter");
  };
  await guide("Fix the failing test").waitFor();
  await command("/move here");
  await result.getByText("This session is in this browser already.").waitFor();
  await command("/move");
  await result.getByText("There is nothing to move yet.").waitFor();

  await command("write by-command.txt: moved");
  await asks("Write").waitFor();
  await message.fill("/mo");
  const offered = page.getByRole("listbox", { name: "Commands" }).getByRole("option");
  await offered.filter({ hasText: "Continue this session on a server" }).waitFor();
  await command("/move nowhere");
  await result.getByText("Start with https://").waitFor();
  // As from the menu: the server is to be connected to first.
  await command(`/move ${workerd.url}`);
  const move = dialogOf(page, "Continue on a server");
  expect(await move.getByLabel("Address").inputValue()).toBe(workerd.url);
  await connect(move, TOKEN);
  await move.getByRole("button", { name: "Continue there" }).click();
  await move.waitFor({ state: "detached" });
  await eventually(() => page.url()).toContain("servers");
  await asks("Write").waitFor();

  await command("/move elsewhere");
  await result.getByText("From a server, a session moves into this browser first").waitFor();
  await command("/move here");
  const back = dialogOf(page, "Bring it here");
  await back.getByText("write by-command.txt: moved").waitFor();
  await back.getByRole("button", { name: "Bring it here" }).click();
  await back.waitFor({ state: "detached" });
  await eventually(() => page.url()).not.toContain("servers");
  await asks("Write").waitFor();
  await turns.getByText("Moved here while it waited. Continues when you answer.").waitFor();
  await allow.click();
  await turns.first().and(page.locator('[aria-busy="false"]')).waitFor();
  await file("by-command.txt").waitFor();
});

it("says that the connection to a server is lost, and keeps in sight what waits for it", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  const { message, turns } = partsOf(page);
  const list = page.getByRole("navigation", { name: "Sessions" });
  await list.getByRole("button", { name: "Connect to a server" }).click();
  const dialog = dialogOf(page, "Connect to a server");
  await connect(dialog, TOKEN);
  await dialog.getByRole("button", { name: /^New session on/ }).click();
  await page.getByRole("heading", { name: /^A session on/ }).waitFor();
  await ask(page, "list *.txt");

  const notice = page.getByRole("region", { name: "Connection" });
  const waiting = notice.getByRole("listitem");
  await context.setOffline(true);
  for (const text of ["list *.md", "list *.json"]) {
    await message.fill(text);
    await message.press("Enter");
  }
  const { host } = new URL(workerd.url);
  await notice.getByText(`No answer from ${host}.`).waitFor();
  await eventually(() => waiting.allTextContents()).toEqual(["list *.md", "list *.json"]);
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  await notice.getByRole("button", { name: "Take back: list *.md" }).click();
  await eventually(() => message.inputValue()).toBe("list *.md");
  await eventually(() => waiting.allTextContents()).toEqual(["list *.json"]);

  await context.setOffline(false);
  await notice.waitFor({ state: "detached" });
  await eventually(() => turns.count()).toBe(2);
  await eventually(() => turns.last().textContent()).toContain("package.json");
  expect(await message.inputValue()).toBe("list *.md");

  await workerd.kill();
  await notice.getByText(`Connection to ${host} lost.`).waitFor();
});
