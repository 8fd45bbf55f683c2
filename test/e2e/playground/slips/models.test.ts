import type { BrowserContext, Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "../site.ts";
import { eventually, partsOf, visit } from "../visitor.ts";

const SERVER = "http://localhost:11434";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

/** A local server with two models, one of them loaded. Its list waits for `isAsked`. */
async function serveModels(context: BrowserContext, isAsked: Promise<void>): Promise<void> {
  const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
  await context.route(`${SERVER}/v1/models`, async (route) => {
    await isAsked;
    const data = ["small", "large"].map((id) => ({ id, object: "model" }));
    await route.fulfill({ headers, json: { object: "list", data } });
  });
  await context.route(`${SERVER}/api/ps`, (route) =>
    route.fulfill({ headers, json: { models: [{ name: "small", context_length: 4096 }] } }),
  );
}

async function openSheet(page: Page, rung: string) {
  await page.getByRole("button", { name: /^Model: / }).click();
  const sheet = page.getByRole("dialog", { name: "Choose a model" });
  const step = sheet.getByRole("button", { name: rung });
  await step.waitFor();
  if ((await step.getAttribute("aria-expanded")) !== "true") await step.click();
  return {
    sheet,
    address: sheet.getByRole("textbox", { name: /Base URL|Address/ }),
    model: sheet.getByRole("combobox", { name: "Model" }),
    check: sheet.getByRole("button", { name: "Check connection" }),
  };
}

it("keeps a model that is typed while its server is checked, and applies what it learnt to nothing else", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  const { promise: isAsked, resolve: answer } = Promise.withResolvers<void>();
  await serveModels(context, isAsked);
  const { sheet, address, model, check } = await openSheet(page, "A local server");
  await check.click();
  await sheet.getByRole("button", { name: "Checking…" }).waitFor();
  await model.fill("mine");
  answer();
  await sheet.getByText("2 models").waitFor();
  expect(await model.inputValue()).toBe("mine");

  // The window of the one that is loaded is not that of another.
  await model.fill("small");
  await check.click();
  await sheet.getByText("This model reads 4.1k tokens at once").waitFor();
  await model.fill("large");
  await sheet.getByText("This model reads").waitFor({ state: "detached" });
  await address.fill("http://localhost:11435/v1");
  await sheet.getByText("2 models").waitFor({ state: "detached" });
  await address.fill(`${SERVER}/v1`);
  await sheet.getByRole("button", { name: "Use large" }).click();
  await sheet.waitFor({ state: "hidden" });
  const stored = await page.evaluate(() => localStorage.getItem("robota.connections"));
  expect(JSON.parse(stored ?? "")).toMatchObject({ all: [{ model: "large" }] });
  expect(stored).not.toContain("contextWindow");
});

it("takes a key where the browser stores nothing", async () => {
  await using visitor = await visit(playground);
  const { context } = visitor;
  await context.addInitScript(() => {
    const refuse = (): never => {
      throw new DOMException("The user denied permission", "SecurityError");
    };
    IDBFactory.prototype.open = refuse;
    for (const area of ["localStorage", "sessionStorage"])
      Object.defineProperty(globalThis, area, { get: refuse });
  });
  const page = await context.newPage();
  await page.goto(playground.url);
  await page.getByText("This browser stores nothing for this page").first().waitFor();
  const { sheet, model } = await openSheet(page, "Your own key");
  await sheet.getByLabel("API key").fill("made-up");
  await model.fill("any");
  await sheet.getByRole("button", { name: "Use any" }).click();
  await sheet.waitFor({ state: "hidden" });
  await openSheet(page, "Your own key");
  await sheet.getByText("API key held until you reload").waitFor();
  await sheet.getByRole("button", { name: "Forget", exact: true }).click();
  await sheet.getByLabel("API key").waitFor();
});

it("lets a person try again, or forget, when a stored key is damaged", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await partsOf(page).message.waitFor();
  const { sheet, model } = await openSheet(page, "Your own key");
  await sheet.getByLabel("API key").fill("made-up");
  await sheet.getByLabel("In this browser").check();
  await sheet.getByLabel("New passphrase").fill("a long passphrase");
  await model.fill("any");
  await sheet.getByRole("button", { name: "Use any" }).click();
  await sheet.waitFor({ state: "hidden" });
  await page.evaluate(async () => {
    const opening = indexedDB.open("robota-keys");
    await new Promise((resolve) => opening.addEventListener("success", resolve));
    const vault = opening.result.transaction("vault", "readwrite").objectStore("vault");
    const reading = vault.get("key anthropic");
    await new Promise((resolve) => reading.addEventListener("success", resolve));
    new Uint8Array(reading.result.sealed.data).fill(0);
    const writing = vault.put(reading.result, "key anthropic");
    await new Promise((resolve) => writing.addEventListener("success", resolve));
    opening.result.close();
  });
  await page.reload();
  await partsOf(page).message.waitFor();
  await openSheet(page, "Your own key");
  await sheet.getByPlaceholder("Passphrase").fill("a long passphrase");
  const unlock = sheet.getByRole("button", { name: /^Unlock/ });
  await unlock.click();
  await page.getByText("Keys unlocked").waitFor({ state: "attached" });
  await eventually(() => unlock.isEnabled()).toBe(true);
  expect(visitor.complaints).toEqual([]);
});
