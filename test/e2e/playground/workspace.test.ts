import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { lowContrast } from "../contrast.ts";
import { barriers, settled } from "./audit.ts";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";
import { choose } from "./workspaces.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

const shots = process.env["ROBOTA_SHOTS"];

it("shows what a command changed that nobody was asked about, in its card and in the tree", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { card, file } = partsOf(page);
  const region = page.getByRole("complementary", { name: "Workspace" });
  await ask(page, "list *.txt");
  await page.getByLabel("Permission mode").selectOption("Allow all");
  await ask(page, "run rm cases.txt && rm -r src && echo new > made.txt && echo x >> README.md");
  await card("Bash").getByRole("button").first().click();
  await card("Bash").getByRole("tab", { name: "Diff" }).click();
  await eventually(() => card("Bash").textContent()).toContain("cases.txt");
  for (const name of ["made.txt", "README.md", "src/slug.js"])
    expect(await card("Bash").textContent()).toContain(name);
  // Files that are gone stay in sight, with what they were.
  await eventually(() => file("src/slug.js").textContent()).toContain("deleted");
  await file("cases.txt").click();
  await region.getByRole("tab", { name: "Changes", exact: true, selected: true }).last().waitFor();
  await eventually(() => region.textContent()).toContain("deleted");
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  expect(visitor.complaints).toEqual([]);
});

it("offers no redo of changes whose file was changed again since they were undone", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { card } = partsOf(page);
  const region = page.getByRole("complementary", { name: "Workspace" });
  await ask(page, "list *.txt");
  await page.getByLabel("Permission mode").selectOption("Allow all");
  await ask(page, "run echo one > cases.txt");
  await region.getByRole("tab", { name: /^Changes/ }).click();
  await region.getByRole("button", { name: "Undo all" }).click();
  await region.getByText("Undid the changes to cases.txt").waitFor();
  await region.getByRole("button", { name: "Redo", exact: true }).waitFor();
  await ask(page, "run echo two >> cases.txt");
  await region.getByText("Undid the changes to cases.txt").waitFor({ state: "detached" });
  expect(await region.getByRole("button", { name: "Redo", exact: true }).count()).toBe(0);
  await ask(page, "run tail -n 1 cases.txt");
  await card("Bash").last().getByRole("button").first().click();
  await card("Bash").last().getByRole("tab", { name: "Output" }).click();
  await eventually(() => card("Bash").last().textContent()).toContain("two");
  expect(visitor.complaints).toEqual([]);
});

it("shows, reviews, undoes and redoes what a command changed, edits a file, and runs a person's commands", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, asks, allow, file, turns } = partsOf(page);
  const shoot = async (name: string) => {
    if (!shots) return;
    await mkdir(shots, { recursive: true });
    await page.screenshot({ path: `${shots}/${name}.png` });
  };
  const tab = (name: RegExp) => page.getByRole("tab", { name });
  const region = page.getByRole("complementary", { name: "Workspace" });

  // A command changes, adds and deletes files: all are marked.
  await file("README.md").waitFor();
  await message.fill(
    "run echo more >> README.md; mkdir -p made; echo new > made/new.txt; rm package.json",
  );
  await message.press("Enter");
  await asks("Bash").waitFor();
  await allow.click();
  await turns.first().and(page.locator('[aria-busy="false"]')).waitFor();
  const summary = turns.first().getByRole("group", { name: "Changed files" });
  await eventually(() => summary.textContent()).toContain("3 files changed");
  await eventually(() => file("README.md").textContent()).toContain("modified");
  await eventually(() => file("made").textContent()).toContain("contains changes");
  await eventually(() => tab(/^Changes/).textContent()).toContain("3");
  await shoot("tree");

  await summary.getByRole("button", { name: "Review" }).click();
  const list = region.getByRole("list", { name: "Changed files" });
  await eventually(() => list.getByRole("listitem").count()).toBe(3);
  const readme = list.getByRole("button", { name: "README.md modified" });
  await eventually(() => readme.textContent()).toContain("+1");
  await readme.click();
  await region.getByText("more", { exact: true }).waitFor();
  await shoot("changes");
  await list.getByRole("button", { name: "Undo the changes to package.json" }).click();
  await region.getByText("Undid the changes to package.json").waitFor();
  await list.getByText("Undone").waitFor();
  await region.getByRole("button", { name: "Redo", exact: true }).click();
  await list.getByText("Undone").waitFor({ state: "detached" });
  await region.getByRole("button", { name: "Undo all" }).click();
  await eventually(() => summary.textContent()).toContain("Changes to 3 files undone");
  await summary.getByRole("button", { name: "Redo" }).click();
  await eventually(() => summary.textContent()).toContain("3 files changed");
  expect(await page.evaluate(lowContrast)).toEqual([]);

  // The editor: under the page's policy, with a conflict.
  await tab(/^Files/).click();
  await file("README.md").click();
  await region.getByRole("button", { name: "Edit" }).click();
  const text = region.getByRole("textbox", { name: "Text of README.md" });
  await text.waitFor();
  await shoot("editor-open");
  await text.click();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("Mine ");
  await shoot("editor");
  await region.getByText("Unsaved changes").waitFor();
  await eventually(() => file("README.md").textContent()).toContain("unsaved");
  await shoot("editor");
  // CodeMirror's own style sheet is in force.
  expect(await text.evaluate((node) => getComputedStyle(node).whiteSpace)).toBe("break-spaces");
  await page.keyboard.press("ControlOrMeta+s");
  await region.getByText("Saved", { exact: true }).waitFor();
  await page.keyboard.type("again ");
  await tab(/^Shell/).click();
  const command = region.getByLabel(/^Command, in/);
  const output = region.getByRole("group", { name: "Output of commands" });
  const run = async (line: string) => {
    await command.fill(line);
    await command.press("Enter");
  };
  await run("head -c 5 README.md; mkdir -p own && cd own && export WHO=me; false");
  await output.getByText("Exit code 1").waitFor();
  await eventually(() => output.textContent()).toContain("Mine");
  await run('printf "\\033[31mred\\033[0m $WHO $PWD\\n"; echo theirs > ../README.md');
  await output.getByText("me /workspace/own").waitFor();
  await eventually(() => output.locator('[data-ansi="red"]').textContent()).toBe("red");
  await command.press("ArrowUp");
  await eventually(() => command.inputValue()).toContain("printf");
  await command.press("ArrowUp");
  await eventually(() => command.inputValue()).toContain("head -c");
  await run("while true; do echo tick; sleep 0.2; done");
  await eventually(() => output.textContent()).toContain("tick");
  await shoot("shell");
  await command.press("Control+c");
  await output.getByText("Stopped").waitFor();
  expect(await page.evaluate(lowContrast)).toEqual([]);

  // Tab completes as in bash, and leaves an empty line, or any after Escape.
  await command.pressSequentially("ca");
  await command.press("Tab");
  await region.getByRole("status").getByText("caller  case  cat").waitFor();
  await shoot("shell-choices");
  await command.pressSequentially("t ../REA");
  await command.press("Tab");
  await eventually(() => command.inputValue()).toBe("cat ../README.md ");
  await command.press("Escape");
  await command.press("Tab");
  const clear = region.getByRole("button", { name: "Clear the output" });
  await eventually(() => clear.evaluate((node) => node === document.activeElement)).toBe(true);
  await command.press("Control+c");
  await eventually(() => command.inputValue()).toBe("");

  await tab(/^Files/).click();
  await region.getByText("The file was changed while you were editing.").waitFor();
  await region.getByRole("button", { name: "Compare" }).click();
  await region.getByText("theirs").first().waitFor();
  await shoot("conflict");
  await region.getByRole("button", { name: "Keep mine" }).click();
  await region.getByText("Saved", { exact: true }).waitFor();
  await region.getByRole("button", { name: "Done" }).click();
  await eventually(() => partsOf(page).fileText.textContent()).toContain("Mine again");

  // Creating, moving and deleting, by keyboard.
  const tools = region.getByRole("group", { name: "Files", exact: true });
  await tools.getByRole("button", { name: "New file" }).press("Enter");
  await region.getByLabel("Path of the new file").fill("notes/todo.txt");
  await page.keyboard.press("Enter");
  await file("todo.txt").waitFor();
  await file("todo.txt").focus();
  await page.keyboard.press("Enter");
  await tools.getByRole("button", { name: "Rename or move notes/todo.txt" }).press("Enter");
  await region.getByLabel("New path").fill("notes/done.txt");
  await page.keyboard.press("Enter");
  await file("done.txt").waitFor();
  await file("notes").click();
  // Where the browser has no dialog for saving, it downloads.
  await page.evaluate(() => Reflect.set(globalThis, "showSaveFilePicker", undefined));
  const saving = page.waitForEvent("download");
  await tools.getByRole("button", { name: "Download notes" }).click();
  expect((await saving).suggestedFilename()).toBe("notes.zip");
  // The file in it is open, and goes with it.
  await region.getByRole("heading", { name: "notes/done.txt" }).waitFor();
  await tools.getByRole("button", { name: "Delete notes" }).press("Enter");
  await region.getByRole("button", { name: "Delete", exact: true }).click();
  await file("notes").waitFor({ state: "detached" });
  await region.getByRole("heading", { name: "notes/done.txt" }).waitFor({ state: "detached" });
  await shoot("tools");

  // Files of the person's machine, also what can't be shown.
  const uploads = tools.getByRole("button", { name: "Upload files" });
  const put = (name: string, buffer: Buffer) =>
    choose(page, () => uploads.click(), { name, mimeType: "", buffer });
  await put("upload.txt", Buffer.from("from the machine\n"));
  await eventually(() => partsOf(page).fileText.textContent()).toContain("from the machine");
  await put("tool.bin", Buffer.concat([Buffer.from([1, 0, 2]), Buffer.alloc(1_199_997, 7)]));
  await region.getByText("1.2 MB binary file").waitFor();
  await put("torn.png", Buffer.from([0x89, 0x50, 0x4e, 0x47]));
  await region.getByText("The browser can’t show this picture").waitFor();
  await file("tool.bin").click();
  await region.getByText("1.2 MB binary file").waitFor();
  const saved = page.waitForEvent("download");
  await region.getByRole("button", { name: "Download", exact: true }).click();
  expect((await saved).suggestedFilename()).toBe("tool.bin");
  await using folder = await mkdtempDisposable(join(tmpdir(), "robota-upload-"));
  await writeFile(join(folder.path, "movie.dat"), Buffer.alloc(21_000_000, 7));
  await choose(page, () => uploads.click(), join(folder.path, "movie.dat"));
  await region.getByText("21.0 MB file, too large to show").waitFor();
  await shoot("huge");
  expect(await barriers(page)).toEqual([]);
  await region.getByRole("button", { name: "Workspaces" }).click();
  const windowed = page.getByRole("dialog", { name: "Workspaces" });
  await windowed.getByRole("button", { name: "Reset the sample files" }).click();
  await shoot("workspaces");
  await page.keyboard.press("Escape");
  await file("README.md").click();
  await eventually(() => partsOf(page).fileText.textContent()).not.toContain("Mine again");
  expect(visitor.complaints).toEqual([]);
});

it("goes on in the shell when its directory is gone, and keeps a command that is half typed", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await ask(page, "list");
  const region = page.getByRole("complementary", { name: "Workspace" });
  const command = region.getByLabel(/^Command, in/);
  const output = region.getByRole("group", { name: "Output of commands" });
  const shell = region.getByRole("tab", { name: "Shell" });
  const run = async (line: string): Promise<void> => {
    await command.fill(line);
    await command.press("Enter");
  };
  await shell.click();
  await run("mkdir -p src/own && cd src/own");
  await region.getByLabel("Command, in /workspace/src/own").waitFor();
  await run("rm -r ../own");
  await run("touch lost.txt");
  await output.getByText("this directory is gone. You are in ~/src now.").waitFor();
  await run("pwd");
  await output.getByText("/workspace/src", { exact: true }).waitFor();

  await command.fill("echo half ty");
  await command.press("ArrowUp");
  await eventually(() => command.inputValue()).toBe("pwd");
  await command.press("ArrowDown");
  await eventually(() => command.inputValue()).toBe("echo half ty");
  await region.getByRole("tab", { name: "Files" }).click();
  // Nothing ran in another directory than the one it was meant for.
  await partsOf(page).file("src").click();
  await partsOf(page).file("slug.js").waitFor();
  expect(await partsOf(page).file("lost.txt").count()).toBe(0);
  await shell.click();
  expect(await command.inputValue()).toBe("echo half ty");
  expect(visitor.complaints).toEqual([]);
});

it("runs what is entered while a command runs, in order, and not after that was stopped", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const region = page.getByRole("complementary", { name: "Workspace" });
  const command = region.getByLabel(/^Command, in/);
  const output = region.getByRole("group", { name: "Output of commands" });
  const enter = async (line: string): Promise<void> => {
    await command.fill(line);
    await command.press("Enter");
  };
  await region.getByRole("tab", { name: "Shell" }).click();
  await enter("sleep 2; export WHO=me; mkdir -p own; cd own");
  await enter("echo $WHO in $PWD");
  await output.getByText("Waiting").waitFor();
  await output.getByText("me in /workspace/own", { exact: true }).waitFor();
  expect(await output.getByText("Waiting").count()).toBe(0);

  await enter("sleep 600");
  await enter("touch never.txt");
  await output.getByText("Waiting").waitFor();
  await command.press("Control+c");
  await output.getByText("Stopped").waitFor();
  await output.getByText("Not run").waitFor();
  await enter("echo there: *");
  await output.getByText("there: *", { exact: true }).last().waitFor();
  expect(visitor.complaints).toEqual([]);
});
