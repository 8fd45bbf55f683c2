import { afterAll, beforeAll, expect, it } from "vitest";
import { lowContrast } from "../contrast.ts";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, inBothThemes, partsOf, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

it.each([
  { width: 1280, height: 800 },
  { width: 375, height: 740 },
])("shows agents in the background, each with its state and a way to stop it: %o", async (view) => {
  await using visitor = await visit(playground, view);
  const { page } = visitor;
  const { message, asks, conversation } = partsOf(page);
  const region = page.getByRole("region", { name: "Background agents" });
  const agents = region.getByRole("listitem");
  expect(await region.count()).toBe(0);

  await ask(page, "delegate general-purpose in background: slow 600000");
  await agents.getByText("Working").waitFor();
  await eventually(() => region.textContent()).toContain("general-purpose slow 600000");
  // Turns go on meanwhile.
  await ask(page, "list check.sh");
  await eventually(() => agents.count()).toBe(1);

  await message.fill("delegate general-purpose in background: run touch a");
  await message.press("Enter");
  await asks("Bash").waitFor();
  await agents.getByText("Waits for approval").waitFor();
  await eventually(() => agents.count()).toBe(2);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
  await eventually(() => inBothThemes(page, () => page.evaluate(lowContrast))).toEqual([[], []]);
  const least = view.width < 500 ? 44 : 24;
  for (const button of await region.getByRole("button").all())
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(least);

  await region.getByRole("button", { name: /^Stop general-purpose: run/ }).click();
  await eventually(() => agents.count()).toBe(1);
  await region.getByRole("button", { name: /^Stop general-purpose: slow/ }).click();
  await region.waitFor({ state: "detached" });
  expect(await conversation.locator('[data-state="failed"]').count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
});

it("keeps them at work while another session is open", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { guide } = partsOf(page);
  const region = page.getByRole("region", { name: "Background agents" });
  await ask(page, "delegate general-purpose in background: slow 600000");
  await region.getByText("Working").waitFor();
  await page.getByRole("button", { name: "New session" }).click();
  await guide("Explore").waitFor();
  expect(await region.count()).toBe(0);
  const sessions = page.getByRole("navigation", { name: "Sessions" });
  await sessions.getByRole("button", { name: /^Running:\s*delegate general-purpose/ }).click();
  await region.getByText("Working").waitFor();
});

it("are not left behind by a session that is reopened for new settings", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const agents = page.getByRole("region", { name: "Background agents" });
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  const reopen = inspector.getByRole("button", { name: "Reopen session" });
  await ask(page, "delegate general-purpose in background: slow 600000");
  await agents.getByText("Working").waitFor();
  await page.keyboard.press("Control+Shift+E");
  await inspector.getByRole("tab", { name: "Hooks", exact: true }).click();
  await inspector.getByRole("switch", { name: "Block rm" }).check();
  await reopen.click();
  await inspector.getByText("Agents are still at work").waitFor();
  await agents.getByRole("button", { name: /^Stop general-purpose/ }).click();
  await agents.waitFor({ state: "detached" });
  await reopen.click();
  const inForce = inspector.getByRole("region", { name: "In force", exact: true });
  await eventually(() => inForce.textContent()).toContain("PreToolUse");
  expect(await reopen.count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
});
