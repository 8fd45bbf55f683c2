import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "../site.ts";
import { ask, eventually, partsOf, visit } from "../visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

it("moves nothing for a person who wants less motion", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, stop, asks } = partsOf(page);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await message.fill("slow 60000");
  await message.press("Enter");
  await stop.waitFor();
  const moving = (): Promise<string[]> =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ playState }) => playState === "running")
        .map(({ effect }) => (effect as KeyframeEffect).target?.outerHTML.slice(0, 80) ?? ""),
    );
  await eventually(moving).toEqual([]);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await eventually(async () => (await moving()).length).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.keyboard.press("Escape");
  await page.getByText("Stopped by you").waitFor();
  await message.fill("run touch a");
  await message.press("Enter");
  await asks("Bash").waitFor();
  await eventually(moving).toEqual([]);
});

it("writes its answers at once for a person who wants less motion, and word by word otherwise", async () => {
  const durations: number[] = [];
  for (const motion of [true, false]) {
    await using visitor = await visit(playground, { motion });
    const { page } = visitor;
    await ask(page, "help");
    const start = performance.now();
    // 140 lines, each with a pause where there is motion.
    await ask(page, "long 8000");
    durations.push(performance.now() - start);
  }
  expect(durations[1]).toBeLessThan(durations[0]!);
});

it("shows what is chosen, and how full the context is, in the person's own colours", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { file, guide } = partsOf(page);
  await page.emulateMedia({ forcedColors: "active" });
  await guide("Explore").waitFor();
  await file("README.md").click();
  await page.getByRole("button", { name: "Settings" }).first().click();
  await page.getByRole("radio", { name: "Dark" }).waitFor();
  const background = (selector: string): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((part) => getComputedStyle(part).backgroundColor);
  const pairs: readonly [what: string, chosen: string, other: string][] = [
    ["file", "[role=treeitem][aria-selected=true]", "[role=treeitem][aria-selected=false]"],
    ["tab", "[role=tab][aria-selected=true]", "[role=tab][aria-selected=false]"],
    [
      "theme",
      "[data-part=theme] label:has(:checked)",
      "[data-part=theme] label:not(:has(:checked))",
    ],
    ["meter", "[role=meter] > span", "[role=meter]"],
  ];
  for (const [what, chosen, other] of pairs)
    expect(await background(chosen), what).not.toBe(await background(other));
});

it("announces a request, the end of a reply, and an error", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, asks, allow } = partsOf(page);
  const status = page.locator("[role=status][data-part=visually-hidden]").last();
  await message.fill("run touch hello");
  await message.press("Enter");
  await asks("Bash").waitFor();
  await eventually(() => status.textContent()).toContain("Bash is waiting for approval");
  const alert = page.getByRole("alert").filter({ hasText: "Run touch hello?" });
  await eventually(() => alert.count()).toBe(1);
  await allow.click();
  await eventually(() => status.textContent()).toContain("run touch hello");

  await page.getByRole("button", { name: /^Model: / }).click();
  const sheet = page.getByRole("dialog", { name: "Choose a model" });
  await sheet.getByRole("button", { name: "A local server" }).click();
  // Nothing listens on the port for discarded data.
  await sheet.getByLabel("Base URL").fill("http://127.0.0.1:9/v1");
  await sheet.getByRole("combobox", { name: "Model" }).fill("a-model");
  await sheet.getByRole("button", { name: "Use a-model" }).click();
  await sheet.waitFor({ state: "hidden" });
  await message.fill("Hello");
  await message.press("Enter");
  await eventually(() => status.textContent()).toContain("The turn failed");
});
