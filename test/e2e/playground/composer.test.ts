import { mkdir } from "node:fs/promises";
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
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

/** The page in a state that people see: wide and narrow, light and dark, without barriers. */
async function inspect(page: Page, name: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await settled(page);
    expect(await barriers(page), `${name}, ${scheme}`).toEqual([]);
    for (const width of shots ? [1280, 375] : []) {
      await mkdir(shots ?? "", { recursive: true });
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: `${shots}/${name}-${width}-${scheme}.png` });
    }
    await page.setViewportSize(size);
  }
}

/** A picture of noise, which no format makes small. */
function drawPicture(page: Page, side: number): Promise<string> {
  return page.evaluate(async (pixels) => {
    const canvas = new OffscreenCanvas(pixels, pixels);
    const context = canvas.getContext("2d");
    const image = new ImageData(pixels, pixels);
    for (let at = 0; at < image.data.length; at += 1)
      image.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
    context?.putImageData(image, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 0x8000)
      text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return btoa(text);
  }, side);
}

interface HandedFile {
  name: string;
  type: string;
  base64: string;
}

/** Pastes or drops a file onto the message, as the clipboard and the desktop do; with `sends`, and sends the message at once. */
async function hand(
  page: Page,
  event: "paste" | "drop",
  file: HandedFile,
  sends = false,
): Promise<void> {
  await partsOf(page).message.evaluate(
    (box, { kind, name, type, base64, submits }) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      data.items.add(new File([bytes], name, { type }));
      const options = { bubbles: true, cancelable: true };
      box.dispatchEvent(
        kind === "paste"
          ? new ClipboardEvent("paste", { ...options, clipboardData: data })
          : new DragEvent("drop", { ...options, dataTransfer: data }),
      );
      if (submits) box.closest("form")?.requestSubmit();
    },
    { kind: event, submits: sends, ...file },
  );
}

it("completes files, folders and agents by keyboard, and sends what is mentioned along", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, turns, file, card } = partsOf(page);
  await file("README.md").waitFor();
  const menu = page.getByRole("listbox", { name: "Files and agents" });
  const options = menu.getByRole("option");

  await message.pressSequentially("read @rule");
  await eventually(() => options.first().textContent()).toContain("@src/rules.js");
  await inspect(page, "mention");
  expect(await message.getAttribute("aria-expanded")).toBe("true");
  await message.press("Enter");
  expect(await message.inputValue()).toBe("read @src/rules.js ");
  await menu.waitFor({ state: "detached" });
  await message.press("Enter");
  await turns.first().and(page.locator('[aria-busy="false"]')).waitFor();
  await eventually(() => card("Read").getAttribute("data-phase")).toBe("done");
  const sent = turns.first().getByRole("list", { name: "Attachments" });
  await eventually(() => sent.textContent()).toContain("@src/rules.js");

  // In the middle of a text, through a folder, and put away by Escape.
  await message.fill("list  please");
  await message.press("Home");
  for (let at = 0; at < 5; at += 1) await message.press("ArrowRight");
  await message.pressSequentially("@sr");
  await options.filter({ hasText: "@src/Folder" }).waitFor();
  await message.press("Tab");
  expect(await message.inputValue()).toBe("list @src/ please");
  await eventually(() => options.first().textContent()).toMatch(/^@src\/\w/);
  await message.press("Escape");
  await menu.waitFor({ state: "detached" });
  await message.pressSequentially("ru");
  await eventually(() => options.first().textContent()).toContain("@src/rules.js");
  await message.press("Tab");
  expect(await message.inputValue()).toBe("list @src/rules.js please");

  await message.fill("@gene");
  await eventually(() => options.first().textContent()).toMatch(
    /^@agent-general-purpose.*Subagent$/,
  );
  await options.first().click();
  expect(await message.inputValue()).toBe("@agent-general-purpose ");
  await message.pressSequentially("list src");
  await message.press("Enter");
  await card("Agent").waitFor();
  await turns.last().and(page.locator('[aria-busy="false"]')).waitFor();
  expect(visitor.complaints).toEqual([]);
});

it("sends pictures and files that are pasted, dropped or chosen, and says why others are not", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, turns, conversation } = partsOf(page);
  await partsOf(page).file("README.md").waitFor();
  const draft = page.getByRole("region", { name: "Message" });
  const chips = draft.getByRole("list", { name: "Attachments" }).getByRole("listitem");
  const problem = draft.getByRole("alert");
  const picture = { name: "shot.png", type: "image/png", base64: await drawPicture(page, 40) };

  await hand(page, "paste", picture);
  await eventually(() => chips.first().textContent()).toMatch(/^shot\.png\d\.\d kB$/);
  await eventually(() =>
    chips
      .first()
      .locator("img")
      .evaluate((image: HTMLImageElement) => image.naturalWidth),
  ).toBe(40);
  await hand(page, "drop", { name: "notes.txt", type: "text/plain", base64: btoa("one\ntwo\n") });
  await eventually(() => chips.count()).toBe(2);
  const attach = page.getByRole("button", { name: "Attach pictures or files" });
  const pdf = {
    name: "paper.pdf",
    mimeType: "application/pdf",
    buffer: Buffer.from("%PDF-1.7\n…"),
  };
  await choose(page, () => attach.click(), pdf);
  await eventually(() => chips.count()).toBe(3);

  // Nothing is sent that a model could not use.
  await hand(page, "drop", { name: "tool.bin", type: "", base64: btoa("\u0001\u0000\u0002") });
  await eventually(() => problem.textContent()).toContain("tool.bin can't be sent: only pictures");
  await hand(page, "paste", { name: "bad.png", type: "image/png", base64: btoa("\u0089PNG\r\n") });
  await eventually(() => problem.textContent()).toBe("bad.png is no picture that can be read.");
  const long = { name: "long.txt", type: "text/plain", base64: btoa("x".repeat(300_000)) };
  await hand(page, "drop", long);
  await eventually(() => problem.textContent()).toContain(
    "long.txt has 300 kB. Text files in a message can have 200 kB.",
  );
  expect(await chips.count()).toBe(3);
  await inspect(page, "attachments");

  // A large picture is made smaller.
  await hand(page, "paste", {
    ...picture,
    name: "huge.png",
    base64: await drawPicture(page, 1300),
  });
  await eventually(() => chips.last().textContent()).toMatch(/^huge\.png\d\.\d MB$/);
  expect(await chips.last().locator("img").getAttribute("src")).toMatch(/^data:image\/jpeg/);
  await chips.last().getByRole("button", { name: "Remove huge.png" }).click();
  await chips.nth(2).getByRole("button", { name: "Remove paper.pdf" }).click();
  await eventually(() => chips.count()).toBe(2);

  // Behind a running turn they wait with their text, and come back with it.
  await message.fill("slow 60000");
  await draft.getByRole("button", { name: "Remove notes.txt" }).click();
  await message.press("Enter");
  await partsOf(page).stop.waitFor();
  await page.getByRole("heading", { name: "slow 60000" }).waitFor();
  await hand(page, "paste", picture);
  await message.fill("list *.md");
  expect(await page.getByRole("button", { name: "Steer" }).count()).toBe(0);
  await message.press("Enter");
  await page.getByRole("region", { name: "Queue" }).getByLabel("1 attached").waitFor();
  await eventually(() => chips.count()).toBe(0);
  await message.press("ArrowUp");
  expect(await message.inputValue()).toBe("list *.md");
  await eventually(() => chips.count()).toBe(1);
  await partsOf(page).stop.click();
  await turns.first().and(page.locator('[aria-busy="false"]')).waitFor();

  // The person's message shows them, and a script says that it does not look.
  await message.press("Enter");
  await turns.nth(1).and(page.locator('[aria-busy="false"]')).waitFor();
  await eventually(() => conversation.textContent()).toContain(
    "I can't look at the picture you sent",
  );
  await eventually(() => chips.count()).toBe(0);
  await page.reload();
  const shown = turns.nth(1).getByRole("list", { name: "Attachments" }).locator("img");
  await eventually(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(40);
  await inspect(page, "sent");
  await ask(page, "list *.txt");
  expect(visitor.complaints).toEqual([]);
});

it("sends a picture alone: the session has its name, and the queue and an edit keep it", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { message, turns, file } = partsOf(page);
  await file("README.md").waitFor();
  const draft = page.getByRole("region", { name: "Message" });
  const chips = draft.getByRole("list", { name: "Attachments" }).getByRole("listitem");
  const send = page.getByRole("button", { name: "Send", exact: true });
  const picture = { name: "shot.png", type: "image/png", base64: await drawPicture(page, 40) };
  const idle = page.locator('[aria-busy="false"]');

  expect(await send.isDisabled()).toBe(true);
  await hand(page, "paste", picture);
  await eventually(() => chips.count()).toBe(1);
  await inspect(page, "picture-alone");
  await send.click();
  const turn = page.getByRole("article", { name: "Turn: shot.png" });
  await turn.and(idle).waitFor();
  await eventually(() => turn.textContent()).toContain("I can't look at the picture you sent");
  expect(await chips.count()).toBe(0);
  await page.getByRole("heading", { name: "shot.png", level: 1 }).waitFor();
  await page.getByRole("button", { name: /^shot\.png/ }).waitFor();

  // Behind a running turn it waits under its name, and can be taken back.
  await message.fill("slow 60000");
  await message.press("Enter");
  await partsOf(page).stop.waitFor();
  await hand(page, "paste", { ...picture, name: "later.png" });
  await eventually(() => chips.count()).toBe(1);
  await message.press("Enter");
  const queue = page.getByRole("region", { name: "Queue" });
  await queue.getByText("later.png").waitFor();
  await message.press("ArrowUp");
  await eventually(() => chips.count()).toBe(1);
  await queue.waitFor({ state: "detached" });
  await chips.getByRole("button", { name: "Remove later.png" }).click();
  await partsOf(page).stop.click();
  await turns.last().and(idle).waitFor();

  // Sent while it is still being read, it goes with its message, and nothing is sent without one that can't go.
  await message.fill("list *.md");
  await hand(page, "paste", { ...picture, name: "quick.png" }, true);
  const sent = page.getByRole("article", { name: "Turn: list *.md" });
  await sent.getByRole("list", { name: "Attachments" }).getByText("quick.png").waitFor();
  await sent.and(idle).waitFor();
  const count = await turns.count();
  await message.fill("what is it?");
  const broken = { ...picture, base64: btoa("\u0089PNG\r\n"), name: "bad.png" };
  await hand(page, "paste", broken, true);
  await draft.getByRole("alert").getByText("bad.png is no picture that can be read.").waitFor();
  await eventually(() => message.inputValue()).toBe("what is it?");
  expect(await turns.count()).toBe(count);
  await message.fill("");

  // Sent again without words, and with the same picture, as it was.
  await turn.getByRole("button", { name: "Edit and send again" }).click();
  await page.getByLabel("Edit the message").press("Enter");
  await turns.first().getByText("2 / 2").waitFor();
  await turns.first().and(idle).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "shot.png", level: 1 }).waitFor();
  await turns.first().getByRole("list", { name: "Attachments" }).getByText("shot.png").waitFor();
  await inspect(page, "picture-alone-sent");
  expect(visitor.complaints).toEqual([]);
});

it("does in the page what commands of a terminal ask for, and says what it can't", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { guide, message, turns } = partsOf(page);
  const answer = page.getByLabel("Answer of the command");
  const command = async (text: string): Promise<void> => {
    await message.fill(text);
    await message.press("Escape");
    await message.press("Enter");
  };
  await guide("Fix the failing test").waitFor();
  await command("/fork");
  await answer.getByText("There is nothing to fork yet.").waitFor();
  await command("/exit");
  await answer.getByText("Close this tab to leave. The session is kept.").waitFor();

  await ask(page, "list *.txt");
  await ask(page, "list *.md");
  await page.getByRole("button", { name: "New session" }).click();
  await guide("Fix the failing test").waitFor();
  await ask(page, "list *.json");
  await command("/resume");
  const choice = page.getByRole("listbox", { name: "Actions and sessions" }).getByRole("option");
  await eventually(() => choice.allTextContents()).toEqual([
    "Open “list *.json”",
    "Open “list *.txt”",
  ]);
  await page.keyboard.type("txt");
  await eventually(() => choice.count()).toBe(1);
  await page.keyboard.press("Enter");
  await eventually(() => turns.last().textContent()).toContain("list *.md");
  expect(visitor.complaints).toEqual([]);
});

it("lists in its help everything that can be typed after a slash, with where it comes from", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { guide, message } = partsOf(page);
  const answer = page.getByLabel("Answer of the command");
  await guide("Fix the failing test").waitFor();
  await message.fill("/");
  const offered = page.getByRole("listbox", { name: "Commands" }).getByRole("option");
  await eventually(() => offered.allTextContents()).toContain(
    "/move[address]Continue this session on a serverThis page",
  );
  const names = await offered.getByRole("code").allTextContents();
  expect(names.length).toBeGreaterThan(20);
  const command = async (text: string): Promise<void> => {
    await message.fill(text);
    await message.press("Escape");
    await message.press("Enter");
  };
  await command("/help");
  await eventually(() => answer.textContent()).toMatch(/^Built-in\n/);
  const help = (await answer.textContent()) ?? "";
  for (const name of names) expect(help).toMatch(new RegExp(`^${name} `, "m"));
  expect(help).toMatch(/\n\nThis page\n\/move \[address\]  Continue this session on a server$/);
  await inspect(page, "help");

  await command("/help move");
  await eventually(() => answer.textContent()).toMatch(/^This page\n\/move /);
  await command("/? mode");
  await eventually(() => answer.textContent()).toMatch(/^\/mode .*\n.*\/mode plan/s);
  expect(visitor.complaints).toEqual([]);
});

it.each([
  { width: 1280, height: 800 },
  { width: 375, height: 740 },
])(
  "shows each command of the slash menu in a few lines, and none beyond its edge: %o",
  async (view) => {
    await using visitor = await visit(playground, view);
    const { page } = visitor;
    await ask(page, "list");
    await partsOf(page).message.fill("/");
    const list = page.getByRole("listbox", { name: "Commands" });
    await list.locator("small").first().waitFor();
    const rows = await list.getByRole("option").evaluateAll((options) =>
      options.map(({ textContent, scrollWidth, clientWidth, clientHeight }) => ({
        textContent,
        isWhole: scrollWidth <= clientWidth,
        lines: Math.floor(
          clientHeight / Number.parseFloat(getComputedStyle(document.body).fontSize),
        ),
      })),
    );
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter(({ isWhole, lines }) => !isWhole || lines > 5)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  },
);
