import { afterAll, beforeAll, expect, it } from "vitest";
import type { Workerd } from "../workerd.ts";
import { barriers, overflow, settled } from "./audit.ts";
import { connect, dialogOf, sessionsOn, startServer, TOKEN } from "./scenes/server.ts";
import { type Playground, startPlayground } from "./site.ts";
import { eventually, partsOf, visit } from "./visitor.ts";

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

it("lists the changes of a session on a server with their diffs, and undoes one file there", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { allow, asks, file, fileText, message, turns } = partsOf(page);
  const region = page.getByRole("complementary", { name: "Workspace" });
  const tab = (name: RegExp) => region.getByRole("tab", { name }).first();
  const list = region.getByRole("list", { name: "Changed files" });
  const change = (name: string) => list.getByRole("button", { name: new RegExp(`^${name}`) });
  /** Sends a prompt, and allows its writing of each file. */
  const send = async (text: string, names: string[]): Promise<void> => {
    const before = await turns.count();
    await message.fill(text);
    await message.press("Enter");
    for (const name of names) {
      await asks("Write").filter({ hasText: name }).waitFor();
      await allow.click();
    }
    await turns.nth(before).and(page.locator('[aria-busy="false"]')).waitFor();
  };

  await page.getByRole("button", { name: "Connect to a server" }).click();
  const dialog = dialogOf(page, "Connect to a server");
  await connect(dialog, workerd.url, TOKEN);
  await dialog.getByRole("button", { name: /^New session on/ }).click();
  await page.getByRole("heading", { name: /^A session on/ }).waitFor();
  await tab(/^Changes/).click();
  await send("write notes.txt: first", ["notes.txt"]);
  await change("notes.txt").waitFor();
  await send("write notes.txt: second\nwrite other.txt: hello", ["notes.txt", "other.txt"]);

  // The last turn changed two files; each of them is shown with its lines.
  await eventually(() => list.getByRole("listitem").count()).toBe(2);
  await eventually(() => tab(/^Changes/).textContent()).toContain("2");
  await eventually(() => change("notes.txt").textContent()).toContain("+1−1");
  await eventually(() => change("other.txt").textContent()).toContain("+1−0");
  await change("notes.txt").click();
  await eventually(() => list.textContent()).toContain("first");
  expect(await list.textContent()).toContain("second");
  await change("other.txt").click();
  await eventually(() => list.textContent()).toContain("hello");
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);

  // One of them goes back on the server, and the other one stays.
  const [session] = await sessionsOn(workerd);
  const filesUrl = `${workerd.url}/v1/sessions/${session?.id}/files`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const onServer = async (name: string): Promise<string> =>
    (await fetch(`${filesUrl}/${name}`, { headers })).text();
  await list.getByRole("button", { name: "Undo the changes to notes.txt" }).click();
  await list.getByText("Undone").waitFor();
  expect([await onServer("notes.txt"), await onServer("other.txt")]).toEqual([
    "first\n",
    "hello\n",
  ]);
  const summary = turns.last().getByRole("group", { name: "Changed files" });
  expect(await summary.textContent()).toContain("2 files changed");
  await list.getByRole("button", { name: "Open other.txt" }).click();
  await eventually(() => fileText.textContent()).toBe("hello");
  await file("notes.txt").waitFor();
  await tab(/^Changes/).click();
  await list.getByRole("button", { name: "Redo the changes to notes.txt" }).click();
  await list.getByText("Undone").waitFor({ state: "detached" });
  expect(await onServer("notes.txt")).toBe("second\n");

  // What somebody else has changed since stays, and is shown.
  await fetch(`${filesUrl}/other.txt`, { method: "PUT", headers, body: "by somebody else" });
  await list.getByRole("button", { name: "Undo the changes to other.txt" }).click();
  await page
    .getByText(/other\.txt was changed since it was listed/)
    .first()
    .waitFor();
  await list
    .getByRole("button", { name: "Undo the changes to other.txt" })
    .and(page.locator("[title]"))
    .waitFor();
  expect(await onServer("other.txt")).toBe("by somebody else");

  // All since the start.
  await region.getByText("Session", { exact: true }).click();
  await eventually(() => change("notes.txt").textContent()).toContain("+1−0");
  await region.getByRole("button", { name: "Undo all" }).click();
  await region.getByText("No files were changed.").waitFor();
  await eventually(() => onServer("notes.txt")).toContain("NO_SUCH_FILE");
});
