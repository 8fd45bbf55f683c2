import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Playground, startPlayground } from "./site.ts";
import { unreachableAnswers, unreadableLines } from "./visible.ts";
import { eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
}, 120_000);
afterAll(() => playground[Symbol.asyncDispose]());

/** Sends a prompt whose call waits for a person. */
async function request(page: Page, prompt: string, tool: string): Promise<void> {
  const { message, asks } = partsOf(page);
  await message.fill(prompt);
  await message.press("Enter");
  await asks(tool).waitFor();
}

const lines = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => `line ${index}`).join("\n"));

const wishes: readonly { what: string; prompt: string; tool: string; shows: RegExp[] }[] = [
  {
    what: "a long new file",
    prompt: `write big.txt: ${lines(60)}`,
    tool: "Write",
    shows: [/Create big\.txt \(\+60\)\?/, /line 59/],
  },
  {
    what: "a command that changes and deletes files",
    prompt: `run echo ${"x".repeat(800)} > README.md && rm cases.txt package.json`,
    tool: "Bash",
    shows: [/2 files deleted, 1 changed/, /cases\.txt/, /package\.json/, /Dry run: exit code 0/],
  },
  {
    what: "a command of many lines",
    prompt: `run touch a; ${"echo 'a word or two' >> notes.txt; ".repeat(25)}`,
    tool: "Bash",
    shows: [/a word or two/],
  },
  {
    what: "a long address",
    prompt: `fetch https://example.com/${"path/".repeat(80)}end`,
    tool: "WebFetch",
    shows: [/path\/end/],
  },
];

describe.each([
  { width: 1280, height: 800, text: 1 },
  { width: 640, height: 400, text: 1 },
  { width: 375, height: 330, text: 1 },
  { width: 375, height: 740, text: 2 },
])(
  "what is to be approved, on $width × $height with letters × $text",
  ({ width, height, text }) => {
    it("can be read to its last line, with the answers in sight", async () => {
      await using visitor = await visit(playground, { width, height });
      const { page } = visitor;
      const { dock } = partsOf(page);
      await page.evaluate((times) => {
        const root = document.documentElement;
        root.style.fontSize = `${times * 100}%`;
        for (const name of ["--size", "--size-small", "--size-code"]) {
          const size = getComputedStyle(root).getPropertyValue(name);
          if (size.endsWith("px"))
            root.style.setProperty(name, `${Number.parseFloat(size) * times}px`);
        }
      }, text);
      for (const { what, prompt, tool, shows } of wishes) {
        await request(page, prompt, tool);
        const all = page.getByRole("button", { name: "Show all changes" });
        if (await all.count()) await all.click();
        for (const shown of shows) expect(await dock.textContent(), what).toMatch(shown);
        expect(await page.evaluate(unreadableLines), what).toEqual([]);
        expect(await page.evaluate(unreachableAnswers), what).toEqual([]);
        const deny = page.getByRole("button", { name: "Deny" });
        await eventually(() => deny.isEnabled()).toBe(true);
        await deny.click();
        await dock.waitFor({ state: "detached" });
      }
      expect(visitor.complaints).toEqual([]);
    });
  },
);
