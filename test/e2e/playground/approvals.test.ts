import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Playground, startPlayground } from "./site.ts";
import {
  ANSWER_BUTTONS,
  ANSWERS,
  SCOPE_BUTTONS,
  unreachableAnswers,
  unreadableLines,
} from "./visible.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
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
      const { dock, note } = partsOf(page);
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
        // Twice as large, the note scrolls with the request; the buttons stay where they are.
        if (text > 1) {
          expect(await page.evaluate(unreachableAnswers, ANSWER_BUTTONS), what).toEqual([]);
          await note.evaluate((element) => element.scrollIntoView({ block: "center" }));
        }
        expect(await page.evaluate(unreachableAnswers, ANSWERS), what).toEqual([]);
        const deny = page.getByRole("button", { name: "Deny" });
        await eventually(() => deny.isEnabled()).toBe(true);
        await deny.click();
        await dock.waitFor({ state: "detached" });
      }
      expect(visitor.complaints).toEqual([]);
    });
  },
);

it.each([
  { width: 1280, height: 800 },
  { width: 640, height: 400 },
  { width: 375, height: 812 },
  { width: 375, height: 330 },
])("shows the buttons of a lasting allowance on $width × $height", async ({ width, height }) => {
  await using visitor = await visit(playground, { width, height });
  const { page } = visitor;
  for (const command of ["touch one", "echo many words for a list of words > words.txt"]) {
    await request(page, `run ${command}`, "Bash");
    await page.getByRole("button", { name: "Always…" }).click();
    await page.getByRole("form", { name: "Always allow" }).waitFor();
    expect(await page.evaluate(unreachableAnswers, SCOPE_BUTTONS)).toEqual([]);
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Deny" }).click();
    await partsOf(page).dock.waitFor({ state: "detached" });
  }
});

it("shows the answers to a request as they will be while presses are still ignored", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, asks } = partsOf(page);
  const opacities = await page.evaluateHandle(() => {
    const seen = new Set<string>();
    new MutationObserver(() => {
      for (const button of document.querySelectorAll("[data-part=approval-actions] button"))
        seen.add(getComputedStyle(button).opacity);
    }).observe(document, { childList: true, subtree: true });
    return seen;
  });
  await message.fill("run touch one");
  await message.press("Enter");
  await asks("Bash").waitFor();
  await eventually(() => opacities.evaluate((seen) => [...seen])).toEqual(["1"]);
});

it("remembers an allowance as the person wrote it, says why later calls ran, and takes it back", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { dock, card, allow } = partsOf(page);
  await request(page, "run touch one", "Bash");
  await allow.click();
  await dock.waitFor({ state: "detached" });

  await request(page, "run touch two", "Bash");
  await eventually(() => dock.textContent()).toContain(
    "No rule matches. “Ask first” mode asks before commands.",
  );
  await page.getByRole("button", { name: "Always…" }).click();
  const form = page.getByRole("form", { name: "Always allow" });
  const pattern = form.getByLabel("Calls that match");
  await form.getByText("Matches this call.").waitFor();
  await pattern.fill("Bash(rm *)");
  await form.getByText(/Does not match this call/).waitFor();
  await pattern.fill("Bash(touch *)");
  await form.getByText(/Of 1 Bash call before, it matches 1: touch one\./).waitFor();
  await form.getByLabel("This workspace").check();
  await form.getByRole("button", { name: "Allow and remember" }).click();

  await dock.waitFor({ state: "detached" });
  await eventually(() => card("Bash").count()).toBe(2);
  await ask(page, "run touch three");
  const third = card("Bash").last();
  await third.getByRole("button").first().click();
  await third.getByRole("tab", { name: "Decision" }).click();
  const facts = third.getByRole("tabpanel");
  await eventually(() => facts.textContent()).toMatch(
    /^You were not asked, because a rule allows it\.RuleBash\(touch \*\)Fromyour answers in this session/,
  );

  const second = card("Bash").nth(1);
  await second.getByRole("button").first().click();
  await second.getByRole("tab", { name: "Decision" }).click();
  await second.getByRole("button", { name: "Revoke rule" }).click();
  await second.getByText("The rule is no longer in force.").waitFor();
  await request(page, "run touch four", "Bash");
  expect(visitor.complaints).toEqual([]);
});

it("says in sentences why a call ran, did not run, or waits, by the names that the page has for its modes", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { card, dock, note, allow } = partsOf(page);
  const mode = page.getByLabel("Permission mode");
  const decision = async (tool: string): Promise<string> => {
    const last = card(tool).last();
    const tab = last.getByRole("tab", { name: "Decision" });
    if (!(await tab.isVisible())) await last.getByRole("button").first().click();
    await tab.click();
    return last.getByRole("tabpanel").innerText();
  };

  await ask(page, "read README.md");
  expect(await decision("Read")).toMatch(
    /^You were not asked, because “Ask first” mode allows what changes nothing\.\s+Show permissions$/,
  );
  await request(page, "run touch one", "Bash");
  expect(await decision("Bash")).toMatch(
    /^It waits for an answer\.\s+Why asked\s+No rule matches\. “Ask first” mode asks before commands\./,
  );
  await note.fill("not now");
  await page.getByRole("button", { name: "Deny" }).click();
  await dock.waitFor({ state: "detached" });
  expect(await decision("Bash")).toMatch(
    /^You denied it\. Nothing was run\.\s+Your reason\s+not now\s+Why asked\s+No rule matches\./,
  );
  await request(page, "run touch two", "Bash");
  await allow.click();
  await dock.waitFor({ state: "detached" });
  expect(await decision("Bash")).toMatch(/^You allowed it this once\.\s+Why asked/);

  for (const [chosen, sentence] of [
    ["Plan", "Nothing was run, because “Plan” mode allows no changes."],
    [
      "Accept edits",
      "You were not asked, because “Accept edits” mode allows reading and changing files.",
    ],
    [
      "Allow all",
      "You were not asked, because “Allow all” mode allows whatever no rule objects to.",
    ],
  ] as const) {
    await mode.selectOption({ label: chosen });
    await ask(page, `write ${chosen.length}.txt: hello`);
    expect(await decision("Write")).toContain(sentence);
  }

  // The inspector explains calls in the same words.
  await page.keyboard.press("Control+Shift+E");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByRole("tab", { name: "Permissions" }).click();
  await inspector.getByLabel("Call to explain").fill("Bash(touch a.txt)");
  await inspector.getByRole("button", { name: "Explain" }).click();
  await eventually(() => inspector.getByRole("status").allInnerTexts()).toContainEqual(
    expect.stringMatching(
      /Runs without asking\s+Reason\s+“Allow all” mode allows whatever no rule objects to\./,
    ),
  );
  expect(visitor.complaints).toEqual([]);
});

it("names the agent that asks, keeps what was entered for each request, and shows its calls inside of its own", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { dock, note, allow, card, message } = partsOf(page);
  await message.fill("delegate general-purpose in background: run touch a");
  await message.press("Enter");
  await dock.waitFor();
  await request(page, "run touch b", "Bash");
  await eventually(() => dock.textContent()).toContain("1 of 2");
  await eventually(() => dock.textContent()).toContain("The agent general-purpose asks");
  await note.fill("for the first");
  const list = page.getByRole("list", { name: "Open requests" });
  await list.getByRole("button", { name: "Run touch b?", exact: true }).click();
  await eventually(() => note.inputValue()).toBe("");
  expect(await dock.textContent()).not.toContain("The agent general-purpose asks");
  await list.getByRole("button", { name: "general-purpose: Run touch a?" }).click();
  await eventually(() => note.inputValue()).toBe("for the first");

  const agent = page.getByRole("region", { name: "Agent general-purpose" });
  await agent.getByText("Waiting for you").waitFor();
  await eventually(() => allow.isEnabled()).toBe(true);
  await allow.click();
  await eventually(() => agent.locator("[data-phase=done]").count()).toBe(1);
  await eventually(() => allow.isEnabled()).toBe(true);
  await allow.click();
  await dock.waitFor({ state: "detached" });
  await eventually(() => card("Bash").last().getAttribute("data-phase")).toBe("done");
  expect(visitor.complaints).toEqual([]);
});

it("shows the colours of programs, before and after they ran", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { dock, allow, card } = partsOf(page);
  await request(page, String.raw`run printf '\033[31mred\033[0m\033[2K\n' | tee colours`, "Bash");
  const tried = dock.getByLabel("Output of the dry run");
  await eventually(() => tried.locator("[data-ansi=red]").textContent()).toBe("red");
  await eventually(() => tried.textContent()).toContain(String.raw`\u{1b}[2K`);
  await eventually(() => allow.isEnabled()).toBe(true);
  await allow.click();
  await eventually(() => card("Bash").getAttribute("data-phase")).toBe("done");
  await card("Bash").getByRole("button").first().click();
  await card("Bash").getByRole("tab", { name: "Output" }).click();
  await eventually(() => card("Bash").locator("[data-ansi=red]").textContent()).toBe("red");
  expect(visitor.complaints).toEqual([]);
});

it("scrolls by wheel, key and touch, and gives way to a keyboard on a phone", async () => {
  await using desk = await visit(playground);
  const approval = desk.page.locator("[data-part=approval]");
  const left = (): Promise<number> =>
    approval.evaluate((box) => Math.round(box.scrollHeight - box.clientHeight - box.scrollTop));
  await request(desk.page, `write big.txt: ${lines(60)}`, "Write");
  await approval.hover();
  await desk.page.mouse.wheel(0, 5_000);
  await eventually(left).toBeLessThan(2);
  await approval.evaluate((box) => box.scrollTo(0, 0));
  await desk.page.keyboard.press("Alt+a");
  await desk.page.keyboard.press("End");
  await eventually(left).toBeLessThan(2);

  await desk.context.close();
  await using phone = await visit(playground, { width: 375, height: 740 });
  const { message, note } = partsOf(phone.page);
  await request(phone.page, `write big.txt: ${lines(60)}`, "Write");
  await message.waitFor({ state: "hidden" });
  const sheet = phone.page.locator("[data-part=approval]");
  const client = await phone.context.newCDPSession(phone.page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", y?: number) =>
    client.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: y === undefined ? [] : [{ x: 180, y }],
    });
  await touch("touchStart", 400);
  for (let y = 380; y >= 150; y -= 20) await touch("touchMove", y);
  await touch("touchEnd");
  await eventually(() => sheet.evaluate((box) => box.scrollTop)).toBeGreaterThan(100);
  await note.tap();
  await phone.page.setViewportSize({ width: 375, height: 330 });
  await eventually(() => phone.page.evaluate(unreachableAnswers, ANSWERS)).toEqual([]);
  for (const button of await sheet.getByRole("button").all())
    if (await button.isVisible())
      expect(
        (await button.boundingBox())?.height,
        (await button.textContent()) ?? "",
      ).toBeGreaterThanOrEqual(40);
});
