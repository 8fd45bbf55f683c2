import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "../site.ts";
import { ask, eventually, partsOf, visit } from "../visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

it("brings a session back whose deletion was confirmed by a double click", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await ask(page, "list *.txt");
  const list = page.getByRole("navigation", { name: "Sessions" });
  await list.getByRole("button", { name: /^list \*\.txt/ }).hover();
  await list.getByRole("button", { name: "Delete list *.txt" }).click();
  await list.getByRole("button", { name: "Delete", exact: true }).evaluate(async (button) => {
    (button as HTMLElement).click();
    await new Promise((resolve) => setTimeout(resolve));
    (button as HTMLElement).click();
  });
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  const row = list.getByRole("button", { name: /^list \*\.txt/ });
  await row.waitFor();
  await row.click();
  await eventually(() => partsOf(page).conversation.textContent()).toContain("cases.txt");
  expect(visitor.complaints).toEqual([]);
});

it("runs a card once that is clicked twice before its session is open", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { guide, turns } = partsOf(page);
  await guide("Explore").evaluate((button) => {
    for (const _ of [1, 2]) (button as HTMLElement).click();
  });
  await turns.first().and(page.locator('[aria-busy="false"]')).waitFor();
  await ask(page, "list *.txt");
  expect(await turns.count()).toBe(2);
  expect(visitor.complaints).toEqual([]);
});

it("says that a session can't be deleted which another tab has opened meanwhile, and deletes others", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  await ask(page, "list *.txt");
  const address = page.url();
  const list = page.getByRole("navigation", { name: "Sessions" });
  await list.getByRole("button", { name: "New session" }).click();
  await ask(page, "list *.sh");
  const confirm = async (title: string) => {
    await list.getByRole("button", { name: title }).first().press("Delete");
    await list.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText(`Deleted “${title}”`).first().waitFor();
  };
  await confirm("list *.txt");
  const other = await context.newPage();
  await other.goto(address);
  await partsOf(other).message.waitFor();
  await ask(other, "list *.js");
  await confirm("list *.sh");
  await page.getByText("is open in another tab or process").first().waitFor();
  await list.getByRole("button", { name: /^list \*\.txt/ }).waitFor();
  expect(visitor.complaints).toEqual([]);
});

it("goes on with the queue after another prompt of it was edited in the middle of an edit", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, turns } = partsOf(page);
  await message.fill("slow 60000");
  await message.press("Enter");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  const queue = page.getByRole("region", { name: "Queue" });
  for (const [at, text] of ["list a*", "list b*", "list c*"].entries()) {
    await message.fill(text);
    await message.press("Enter");
    await eventually(() => queue.getByRole("listitem").count()).toBe(at + 1);
  }
  await queue.getByRole("button", { name: "Edit “list a*”" }).click();
  await eventually(() => queue.textContent()).toContain("held");
  await queue.getByRole("button", { name: "Edit “list b*”" }).click();
  await queue.getByRole("textbox").press("Enter");
  await eventually(() => queue.textContent()).not.toContain("held");
  await queue.getByRole("button", { name: "Pause" }).waitFor();
  expect(await queue.textContent()).not.toContain("Paused");

  // A prompt that is taken back into the message box is edited no more.
  await queue.getByRole("button", { name: "Edit “list c*”" }).click();
  await eventually(() => queue.textContent()).toContain("held");
  await message.focus();
  await message.press("ArrowUp");
  await eventually(() => message.inputValue()).toBe("list c*");
  await queue.getByRole("button", { name: "Resume" }).click();
  await queue.getByRole("button", { name: "Pause" }).waitFor();
  expect(await turns.count()).toBe(1);
  expect(visitor.complaints).toEqual([]);
});
