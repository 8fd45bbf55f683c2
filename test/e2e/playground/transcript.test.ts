import { afterAll, beforeAll, expect, it } from "vitest";
import { barriers, settled } from "./audit.ts";
import { type Playground, startPlayground } from "./site.ts";
import { unreachableAnswers } from "./visible.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

it("sends an earlier message again, keeps its former version with its files over a reload, and forks by keys", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { turns, file, fileText, guide, asks } = partsOf(page);
  const versions = page.getByRole("group", { name: "Versions of this message" });
  const sessions = page.getByRole("navigation", { name: "Sessions" }).getByRole("listitem");
  await ask(page, "list *.txt");
  await page.getByLabel("Permission mode").selectOption("Accept edits");
  await ask(page, "write a.txt: one");
  await ask(page, "read a.txt");
  await file("a.txt").click();
  await eventually(() => fileText.textContent()).toBe("one");

  await page.keyboard.press("Alt+ArrowUp");
  await page.keyboard.press("Alt+ArrowUp");
  await page.keyboard.press("e");
  const editor = page.getByLabel("Edit the message");
  await eventually(() => editor.inputValue()).toBe("write a.txt: one");
  await page.getByText("1 file goes back to before this message.").waitFor();
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  await editor.press("Escape");
  const hasFocus = () => turns.nth(1).evaluate((turn) => turn === document.activeElement);
  await eventually(hasFocus).toBe(true);
  await page.keyboard.press("e");
  await editor.fill("write a.txt: two");
  await editor.press("Enter");
  await eventually(() => versions.textContent()).toBe("2 / 2");
  await eventually(() => turns.count()).toBe(2);
  await eventually(() => fileText.textContent()).toBe("two");
  await turns.last().and(page.locator('[aria-busy="false"]')).waitFor();

  await page.reload();
  await eventually(() => versions.textContent()).toBe("2 / 2");
  await versions.getByRole("button", { name: "Previous version" }).click();
  await eventually(() => versions.textContent()).toBe("1 / 2");
  await eventually(() => turns.count()).toBe(3);
  await eventually(() => turns.last().textContent()).toContain("read a.txt");
  await file("a.txt").click();
  await eventually(() => fileText.textContent()).toBe("one");
  await page.getByRole("button", { name: "Next version" }).press("Enter");
  await eventually(() => versions.textContent()).toBe("2 / 2");
  await eventually(() => fileText.textContent()).toBe("two");
  expect(await page.getByText("rewound").count()).toBe(0);
  expect(await barriers(page)).toEqual([]);

  await turns.first().focus();
  await page.keyboard.press("f");
  await eventually(() => sessions.count()).toBe(2);
  await eventually(() => turns.count()).toBe(1);
  await eventually(() => turns.first().textContent()).toContain("list *.txt");
  // Its files are those of that time.
  await ask(page, "list a.*");
  expect(await turns.last().textContent()).toContain("No file in");
  await file("README.md").waitFor();
  expect(await file("a.txt").count()).toBe(0);
  // What is written there, stays there.
  await page.getByLabel("Permission mode").selectOption("Accept edits");
  await ask(page, "write only-here.txt: fork");
  await file("only-here.txt").click();
  await eventually(() => fileText.textContent()).toBe("fork");
  await page.getByRole("button", { name: "New file" }).click();
  await page.getByLabel("Path of the new file").fill("by-hand.txt");
  await page.keyboard.press("Enter");
  await file("by-hand.txt").waitFor();
  await file("README.md").click();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const editing = page.getByRole("textbox", { name: "Text of README.md" });
  await editing.click();
  await page.keyboard.type("Not saved. ");
  await eventually(() => file("README.md").textContent()).toContain("unsaved");
  await page.goBack();
  await file("a.txt").waitFor();
  await eventually(() => fileText.textContent()).not.toContain("Not saved.");
  expect(await file("README.md").textContent()).not.toContain("unsaved");
  expect(await file("only-here.txt").count()).toBe(0);
  expect(await file("by-hand.txt").count()).toBe(0);
  await page.goForward();
  await file("only-here.txt").waitFor();
  await eventually(() => editing.textContent()).toContain("Not saved.");

  // A fork prepares its own sample for a card, not that of the workspace.
  await page.getByRole("button", { name: "New session" }).click();
  await guide("Fix the failing test").click();
  await asks("Bash").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Stopped by you").waitFor();
  await file("check.sh").click();
  await page.getByRole("button", { name: "Delete check.sh" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await eventually(() => file("check.sh").textContent()).toContain("deleted");
  await turns.last().focus();
  await page.keyboard.press("f");
  await page.getByTitle("This session’s own copy").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await asks("Bash").waitFor();
  await eventually(() => file("check.sh").textContent()).not.toContain("deleted");
  await page.goBack();
  await page.getByTitle("This session’s own copy").waitFor({ state: "detached" });
  await eventually(() => file("check.sh").textContent()).toContain("deleted");
  expect(visitor.complaints).toEqual([]);
});

it("undoes every rewind and undoing, also of older turns and after a reload", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { turns, file, message, conversation } = partsOf(page);
  const dialog = page.getByRole("dialog", { name: "Rewind" });
  await ask(page, "list *.txt");
  await page.getByLabel("Permission mode").selectOption("Accept edits");
  await ask(page, "write a.txt: one");
  await ask(page, "write b.txt: two");
  for (const turn of [1, 2]) {
    await turns.nth(turn).getByRole("button", { name: "Undo" }).click();
    await turns.nth(turn).getByText("Changes to 1 file undone").waitFor();
  }
  await page.reload();
  await turns.nth(1).getByRole("button", { name: "Redo" }).click();
  await turns.nth(1).getByText("1 file changed").waitFor();
  await file("a.txt").waitFor();
  await page.getByRole("tab", { name: /^Changes/ }).click();
  await page.getByRole("button", { name: "Redo the changes to b.txt" }).click();
  await turns.nth(2).getByText("1 file changed").waitFor();
  await page.getByRole("tab", { name: /^Files/ }).click();
  await file("b.txt").waitFor();

  await message.press("Escape");
  await message.press("Escape");
  await dialog.getByRole("button", { name: /write a\.txt/ }).click();
  await dialog.getByRole("button", { name: "Rewind", exact: true }).click();
  await dialog.getByText("Conversation and files rewound.").waitFor();
  await page.keyboard.press("Escape");
  await file("a.txt").waitFor({ state: "detached" });
  await page.reload();
  await conversation.getByText("Conversation and files rewound").waitFor();
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  await conversation.getByRole("button", { name: "Undo", exact: true }).click();
  await eventually(() => turns.count()).toBe(3);
  await file("b.txt").waitFor();
  expect(visitor.complaints).toEqual([]);
});

it("finds words of the conversation on a phone", async () => {
  await using visitor = await visit(playground, { width: 375, height: 700 });
  const { page } = visitor;
  await ask(page, "list *.txt");
  await page.getByRole("button", { name: "Search the conversation" }).click();
  await page.getByRole("search").getByRole("searchbox").fill("cases");
  await eventually(() => page.getByRole("search").getByRole("status").textContent()).toMatch(
    /^1 \/ \d/,
  );
  expect(visitor.complaints).toEqual([]);
});

it("shows a plan as a card, keeps planning with words, and carries it out once it is approved", async () => {
  await using visitor = await visit(playground, { width: 375, height: 740, dark: true });
  const { page } = visitor;
  const { turns, card, asks, allow, conversation } = partsOf(page);
  const plan = page.getByRole("region", { name: "Plan" });
  const mode = page.getByLabel("Permission mode");
  await ask(page, "list *.txt");
  await mode.selectOption("Plan");
  await ask(page, "read README.md");
  expect(await plan.count()).toBe(0);
  // The last thing to be drawn below a plan.
  const refusal = card("Write").getByText("“Plan” mode allows no changes.");
  const outOfReach = () => page.evaluate(unreachableAnswers, "[data-part=plan] > footer");
  await ask(page, "plan list *.txt; write planned.txt: now");
  await plan.getByText("write planned.txt: now").waitFor();
  expect(await card("Write").getAttribute("data-phase")).toBe("denied");
  await refusal.waitFor();
  await eventually(outOfReach).toEqual([]);
  await settled(page);
  expect(await barriers(page)).toEqual([]);

  await page.setViewportSize({ width: 1280, height: 800 });
  await plan.getByRole("button", { name: "Keep planning…" }).click();
  const words = plan.getByLabel("What should change in the plan");
  await words.fill("plan list *.txt; list *.md; write better.txt: now");
  await words.press("Enter");
  await eventually(() => turns.count()).toBe(4);
  await eventually(() => plan.textContent()).toContain("better.txt");
  await eventually(() => refusal.count()).toBe(2);
  await eventually(outOfReach).toEqual([]);
  expect(await mode.inputValue()).toBe("plan");
  await plan.getByRole("button", { name: "Approve" }).click();
  await asks("Write").waitFor();
  expect(await mode.inputValue()).toBe("default");
  await allow.click();
  await eventually(() => card("Write").last().getAttribute("data-phase")).toBe("done");
  await eventually(() => plan.count()).toBe(0);
  await eventually(() => conversation.textContent()).toContain("Created /workspace/better.txt");
  expect(visitor.complaints).toEqual([]);
});

it("searches the conversation, opens what is folded in, and opens a workspace that is made", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { card, file, conversation } = partsOf(page);
  const field = page.getByLabel("Search the conversation");
  const hits = page.getByRole("search").getByRole("status");
  await ask(page, "read README.md\nlist *.json");
  await ask(page, "find slug in src/*");
  await ask(page, "list *.md");
  await conversation.focus();
  await page.keyboard.press("Control+f");
  await field.fill("package.json");
  await eventually(() => hits.textContent()).toMatch(/^1 \/ \d/);
  await eventually(() =>
    page.evaluate(() => CSS.highlights.get("search")?.size ?? 0),
  ).toBeGreaterThan(0);
  const first = card("Glob").first().getByRole("button").first();
  await field.press("Shift+Enter");
  await eventually(() => hits.textContent()).toMatch(/^(\d+) \/ \1$/);
  // The group of reading calls folds out, and the card in it.
  await field.fill("*.json");
  await eventually(async () => {
    await field.press("Enter");
    return first.getAttribute("aria-expanded", { timeout: 500 }).catch(() => "folded in");
  }).toBe("true");
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  await field.fill("nowhere to be found");
  await eventually(() => hits.textContent()).toBe("0 / 0");
  await field.press("Escape");
  await eventually(() => field.count()).toBe(0);

  await page.getByRole("button", { name: "Workspaces" }).click();
  const dialog = page.getByRole("dialog", { name: "Workspaces" });
  await dialog.getByLabel("Name of a new workspace").fill("Fresh");
  await dialog.getByRole("button", { name: "New workspace" }).click();
  await page.waitForURL(/\?workspace=/);
  await page.getByTitle("Fresh").waitFor();
  await page.getByText("The workspace is empty.").waitFor();
  expect(await file("README.md").count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
});

it("shows a message and Stop at once while earlier messages are summarised", async () => {
  await using visitor = await visit(playground, { motion: true });
  const { page } = visitor;
  await page.evaluate(() =>
    localStorage.setItem("robota.settings", JSON.stringify({ autoCompactThreshold: 0.03 })),
  );
  await page.reload();
  await ask(page, "long 6000");
  // The summary of a script is there within a moment, so the page is watched rather than asked.
  await page.evaluate(() => {
    const look = (): void => {
      const waiting = document.querySelector("[data-part=prompt][data-waiting]");
      const stop = document.querySelector("[data-part=composer] [aria-label=Stop]");
      if (waiting && stop) document.documentElement.dataset["seen"] = waiting.textContent ?? "";
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  await ask(page, "list *.txt");
  await eventually(() => page.locator("html").getAttribute("data-seen")).toBe("list *.txt");
  await page.getByText(/^Earlier messages summarised/).waitFor();
  await eventually(() => page.locator("[data-waiting]").count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
});
