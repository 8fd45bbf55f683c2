import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startChromium } from "../chromium.ts";
import { servePage } from "../page-server.ts";

const root = join(import.meta.dirname, "../../..");

/** The program of the guide's section about a tab. */
async function documentedProgram(): Promise<string> {
  const guide = await readFile(join(root, "docs/getting-started.md"), "utf8");
  const [, program] = /^## A browser tab$[^]*?^```ts\n([^]*?)^```$/m.exec(guide) ?? [];
  if (program === undefined) throw new Error("The guide has no program for a tab");
  return program;
}

it("the documented page asks, writes and runs, and is there after a reload", async () => {
  const entry = {
    code: `document.body.append(Object.assign(document.createElement("pre"), { id: "output" }));
      ${await documentedProgram()}
      document.title = "Done";`,
    from: join(root, "test/e2e"),
  };
  await using pages = await servePage(entry, () => undefined);
  await using chromium = await startChromium();
  const page = await chromium.context.newPage();
  const asked: string[] = [];
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void dialog.accept();
  });
  await page.goto(pages.url);
  const output = page.locator("#output");
  const answer = (): Promise<string | null> => output.textContent();
  const isDone = (): Promise<unknown> => page.waitForFunction(() => document.title === "Done");
  await isDone();
  expect(problems).toEqual([]);
  expect(await answer()).toContain("HELLO, ADA!");
  expect(asked).toContain("Allow Write?");
  await page.reload();
  await isDone();
  expect(problems).toEqual([]);
  // The file of the first session.
  expect(await answer()).toContain("/workspace/notes.txt has not been read in this session");
  expect(await answer()).toContain("HELLO, ADA!");
});
