import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ScriptedProvider } from "@robota/runtime/testing";
import { executorHandler } from "@robota/runtime/transports";
import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scriptAddress, type WireReply, type WireScript } from "../../support/wire/wire-script.ts";
import { startWireServer, type WireServer } from "../../support/wire/wire-server.ts";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";

/** No service's form, so that nothing recognizes it as a key by its looks. */
const KEY = "wire-test-0123456789abcdef-secret";
const PASSPHRASE = "a long passphrase";

let playground: Playground;
let server: WireServer;

beforeAll(async () => {
  [playground, server] = await Promise.all([startPlayground(), startWireServer()]);
});
afterAll(async () => {
  await playground[Symbol.asyncDispose]();
  await server.close();
});

/** The base URL of a server that answers as scripted. */
function wire(text: string, script: Partial<WireScript> = {}): string {
  const replies: WireReply[] = [{ answer: { text: [text] } }];
  return scriptAddress(server.origin, { id: crypto.randomUUID(), replies, ...script });
}

function sheetOf(page: Page) {
  const sheet = page.getByRole("dialog", { name: "Choose a model" });
  return {
    chip: page.getByRole("button", { name: /^Model: / }),
    sheet,
    rung: (title: string): Locator => sheet.getByRole("button", { name: title }),
    address: sheet.getByRole("textbox", { name: /Base URL|Address/ }),
    key: sheet.getByLabel(/^(?:API key|Token)/),
    model: sheet.getByRole("combobox", { name: "Model" }),
    check: sheet.getByRole("button", { name: "Check connection" }),
    outcome: sheet.locator("[data-part=providers-outcome]").first(),
  };
}

/** Opens the sheet at a step of the ladder. */
async function openAt(page: Page, title: string): Promise<ReturnType<typeof sheetOf>> {
  const parts = sheetOf(page);
  await parts.chip.click();
  await parts.sheet.waitFor();
  const rung = parts.rung(title);
  if ((await rung.getAttribute("aria-expanded")) !== "true") await rung.click();
  return parts;
}

async function useModel(page: Page, model: string): Promise<void> {
  const { sheet } = sheetOf(page);
  await sheet.getByRole("button", { name: `Use ${model}` }).click();
  await sheet.waitFor({ state: "hidden" });
}

/** Everything that the page's browser stores for it, and all of its document, as text. */
function everythingStored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const found: string[] = [document.documentElement.outerHTML, location.href];
    for (const input of document.querySelectorAll("input, textarea"))
      found.push((input as HTMLInputElement).value);
    for (const storage of [localStorage, sessionStorage])
      found.push(JSON.stringify(Object.entries(storage)));
    const show = (value: unknown): string => {
      if (value instanceof ArrayBuffer) return show(new Uint8Array(value));
      if (ArrayBuffer.isView(value)) return new TextDecoder("latin1").decode(value);
      if (typeof value === "object" && value !== null)
        return Object.entries(value)
          .map((entry) => entry.map(show).join(":"))
          .join("\n");
      return String(value);
    };
    const result = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.addEventListener("success", () => resolve(request.result));
        request.addEventListener("error", () => reject(new Error("IndexedDB")));
      });
    for (const { name = "" } of await indexedDB.databases()) {
      const database = await result(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const all = database.transaction(store).objectStore(store);
        found.push(`${name}/${store}`);
        found.push(...(await result(all.getAll())).map(show));
        found.push(...(await result(all.getAllKeys())).map(show));
      }
      database.close();
    }
    const walk = async (folder: FileSystemDirectoryHandle): Promise<void> => {
      for await (const handle of folder.values()) {
        if (handle.kind === "directory") await walk(handle as FileSystemDirectoryHandle);
        else found.push(await (await (handle as FileSystemFileHandle).getFile()).text());
      }
    };
    await walk(await navigator.storage.getDirectory());
    return found.join("\n");
  });
}

it("goes from the guide to a local server by the keyboard, and says why a server does not answer", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { chip, sheet, rung, address, outcome, model } = sheetOf(page);
  await partsOf(page).message.waitFor();
  await eventually(() => chip.textContent()).toContain("scripted, not AI");
  await chip.focus();
  await page.keyboard.press("Enter");
  await sheet.waitFor();
  // This browser has no model of its own, so nothing offers one.
  expect(await sheet.getByRole("heading", { level: 3 }).allTextContents()).toEqual([
    expect.stringContaining("Offline guide"),
    expect.stringContaining("A local server"),
    expect.stringContaining("Your own key"),
    expect.stringContaining("An edge endpoint"),
  ]);
  await rung("A local server").focus();
  await page.keyboard.press("Enter");

  const tryAt = async (baseURL: string): Promise<void> => {
    await address.fill(baseURL);
    await address.press("Enter");
  };
  const { origin } = new URL(playground.url);
  await tryAt("http://127.0.0.1:9/v1");
  await eventually(() => outcome.textContent()).toContain("Nothing answers at 127.0.0.1:9");
  await eventually(() => outcome.textContent()).toContain(`OLLAMA_ORIGINS=${origin} ollama serve`);
  await outcome.getByText("As an app or a service").click();
  await eventually(() => outcome.getByRole("button", { name: /^Copy the line/ }).count()).toBe(4);
  await tryAt(`${wire("", { cors: false })}/v1`);
  await eventually(() => outcome.textContent()).toContain("doesn't allow this page");
  await tryAt(`${wire("", { models: { body: "<!doctype html><title>Sign in</title>" } })}/v1`);
  await eventually(() => outcome.textContent()).toContain("A web page answered");
  await tryAt(`${wire("", { models: { status: 503, body: { error: { message: "busy" } } } })}/v1`);
  await eventually(() => outcome.textContent()).toContain("has trouble");
  await tryAt("http://192.168.1.9:11434/v1");
  await eventually(() => sheet.locator("[data-part=providers-problem]").textContent()).toContain(
    "Use https",
  );

  await tryAt(`${wire("Hello from the machine.")}/v1`);
  await eventually(() => outcome.textContent()).toContain("Connected");
  await eventually(() => model.inputValue()).toBe("wire-model");
  await eventually(() => sheet.textContent()).toContain("A small context");
  await sheet.getByRole("button", { name: "Use wire-model" }).focus();
  await page.keyboard.press("Enter");
  await sheet.waitFor({ state: "hidden" });
  const host = new URL(server.origin).host;
  await eventually(() => chip.getAttribute("aria-label")).toBe(`Model: wire-model — ${host}`);
  await ask(page, "Hi");
  const turn = partsOf(page).turns.last();
  await eventually(() => turn.textContent()).toContain("Hello from the machine.");
  await eventually(() => turn.locator("[data-part=byline]").textContent()).toBe(
    `wire-model — ${host}`,
  );

  // A service that is busy for a moment: the page says that it tries again.
  const busy: WireReply = {
    status: 529,
    body: { error: { message: "overloaded" } },
    headers: { "retry-after-ms": "4000" },
  };
  const replies = [busy, { answer: { text: ["At last."] } }];
  await openAt(page, "A local server");
  await address.fill(`${wire("", { replies })}/v1`);
  await useModel(page, "wire-model");
  const { message, conversation } = partsOf(page);
  await message.fill("Again");
  await message.press("Enter");
  await eventually(() => conversation.textContent()).toContain("Retrying 1 of 3…");
  await eventually(() => conversation.textContent()).toContain("At last.");
  expect(await conversation.textContent()).not.toContain("Retrying");
  const faults = visitor.complaints.filter((each) => /exception|Content Security/.test(each));
  expect(faults).toEqual([]);
});

it("keeps a key out of everything but its own requests, switches services in one session, and remembers who answered", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  const sent: { url: string; body: string; headers: string }[] = [];
  context.on("request", (request) => {
    const headers = JSON.stringify(request.headers());
    sent.push({ url: request.url(), body: request.postData() ?? "", headers });
  });
  await partsOf(page).message.waitFor();
  await ask(page, "list");

  const { sheet, key, check, outcome, model, chip } = await openAt(page, "Your own key");
  await sheet.getByText("Requests go to").click();
  const refusal = { status: 401, body: { error: { message: `no such key ${KEY}` } } };
  const { address } = sheetOf(page);
  await address.fill(wire("", { models: refusal }));
  await key.fill(KEY);
  await check.click();
  await eventually(() => outcome.textContent()).toContain("The key was refused");
  expect(await outcome.textContent()).not.toContain(KEY);
  await eventually(() => sheet.getByText("held until you reload").count()).toBe(1);
  await outcome.getByRole("button", { name: "Change key" }).click();
  // The focus goes there, and would take what is typed before it has.
  await eventually(() => key.and(page.locator(":focus")).count()).toBe(1);
  await address.fill(wire("Answer of Anthropic's API."));
  await key.fill(KEY);
  await check.click();
  await eventually(() => outcome.textContent()).toContain("Connected");
  await eventually(() => model.inputValue()).toBe("wire-model");
  // Another origin does not get the key.
  await address.fill("https://elsewhere.example");
  await eventually(() => key.count()).toBe(1);
  await address.fill(wire("Answer of Anthropic's API."));
  expect(await key.count()).toBe(0);
  await useModel(page, "wire-model");
  await ask(page, "Hi");

  await openAt(page, "Your own key");
  await sheet.getByLabel("Service").selectOption({ label: "OpenAI" });
  await sheet.getByText("Requests go to").click();
  await address.fill(`${wire("Answer of the Responses API.")}/v1`);
  await key.fill(KEY);
  await check.click();
  await eventually(() => model.inputValue()).toBe("wire-model");
  await useModel(page, "wire-model");
  await ask(page, "Hi");

  const { turns } = partsOf(page);
  const texts = await turns.allTextContents();
  expect(texts).toEqual([
    expect.stringContaining("Offline guide — scripted, not AI"),
    expect.stringContaining("Answer of Anthropic's API."),
    expect.stringContaining("Answer of the Responses API."),
  ]);
  const isOfWire = ({ url }: { url: string }): boolean => url.startsWith(server.origin);
  for (const request of sent) {
    expect(request.url).not.toContain(KEY);
    expect(request.body).not.toContain(KEY);
    if (!isOfWire(request)) expect(request.headers).not.toContain(KEY);
  }
  expect(sent.filter(isOfWire).some(({ headers }) => headers.includes(KEY))).toBe(true);
  expect(await everythingStored(page)).not.toContain(KEY);

  // A service may repeat it in its answer, which an export then leaves out.
  await openAt(page, "Your own key");
  await address.fill(`${wire(`Your key is ${KEY}.`)}/v1`);
  await useModel(page, "wire-model");
  await ask(page, "Hi");
  await page.keyboard.press("Control+Shift+E");
  await page.getByRole("button", { name: "Session actions" }).click();
  const exporting = page.getByRole("button", { name: "Export as file", exact: true });
  const [download] = await Promise.all([page.waitForEvent("download"), exporting.click()]);
  const exported = await readFile(await download.path(), "utf8");
  expect(exported).toContain("Your key is ");
  expect(exported).not.toContain(KEY);

  // A reload forgets it, the page says so, and a prompt says what to do.
  await page.reload();
  await eventually(() => chip.getAttribute("aria-label")).toContain("key needed");
  await eventually(() => turns.count()).toBe(4);
  await ask(page, "Again");
  const failed = turns.last();
  await eventually(() => failed.textContent()).toContain("There is no key for");
  await eventually(() => failed.textContent()).toContain("Open the model menu");
  await failed.getByRole("button", { name: "Change key" }).click();
  await key.waitFor();
});

it("offers the browser's own model where there is one, and downloads it only on request", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  // Chromium has the interface and no model: this one stands in for it.
  await page.addInitScript(() => {
    let state = "downloadable";
    const model = {
      availability: () => Promise.resolve(state),
      create: ({ monitor }: { monitor?: (target: EventTarget) => void } = {}) => {
        const target = new EventTarget();
        monitor?.(target);
        for (const loaded of [0, 0.5, 1])
          target.dispatchEvent(Object.assign(new Event("downloadprogress"), { loaded }));
        state = "available";
        return Promise.resolve({
          contextUsage: 0,
          contextWindow: 8192,
          measureContextUsage: () => Promise.resolve(10),
          promptStreaming: () =>
            new ReadableStream({
              start(controller) {
                for (const piece of ['{"say":', '"From the browser."}']) controller.enqueue(piece);
                controller.close();
              },
            }),
          destroy: () => undefined,
        });
      },
    };
    Object.defineProperty(globalThis, "LanguageModel", { value: model });
  });
  await page.reload();
  await partsOf(page).message.waitFor();
  const { sheet, chip } = await openAt(page, "Your browser's own model");
  await eventually(() => sheet.textContent()).toContain("Experimental");
  await sheet.getByRole("button", { name: /^Download the browser's model/ }).click();
  await sheet.getByRole("button", { name: "Use the browser's model" }).click();
  await sheet.waitFor({ state: "hidden" });
  await eventually(() => chip.getAttribute("aria-label")).toContain("on this device");
  await ask(page, "Hi");
  await eventually(() => partsOf(page).turns.last().textContent()).toContain("From the browser.");
});

it("keeps a key in the tab, or encrypted with a passphrase, and forgets it on request", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await partsOf(page).message.waitFor();
  const { sheet, key, model, chip, address } = await openAt(page, "Your own key");
  await sheet.getByLabel("Service").selectOption({ label: "Another URL" });
  await address.fill(`${wire("Hello again.")}/v1`);
  await key.fill(KEY);
  await sheet.getByLabel("In this tab").check();
  await model.fill("wire-model");
  await useModel(page, "wire-model");
  await page.reload();
  await eventually(() => chip.getAttribute("aria-label")).toContain("wire-model");
  await ask(page, "Hi");
  await eventually(() => partsOf(page).turns.last().textContent()).toContain("Hello again.");

  await openAt(page, "Your own key");
  await sheet.getByRole("button", { name: "Forget" }).click();
  await key.fill(KEY);
  await sheet.getByLabel("In this browser").check();
  await sheet.getByLabel("New passphrase").fill("short");
  await sheet.getByRole("button", { name: "Use wire-model" }).click();
  await eventually(() => sheet.getByRole("alert").textContent()).toContain("at least 10");
  await sheet.getByLabel("New passphrase").fill(PASSPHRASE);
  await useModel(page, "wire-model");
  const stored = await everythingStored(page);
  expect(stored).toContain("robota-keys/vault");
  for (const secret of [KEY, PASSPHRASE]) expect(stored).not.toContain(secret);

  await page.reload();
  await eventually(() => chip.getAttribute("aria-label")).toContain("key locked");
  await chip.click();
  const passphrase = sheet.getByLabel("Your stored keys are locked");
  await passphrase.fill("another passphrase");
  await passphrase.press("Enter");
  await eventually(() => sheet.textContent()).toContain("That isn't the passphrase.");
  await passphrase.fill(PASSPHRASE);
  await passphrase.press("Enter");
  await passphrase.waitFor({ state: "hidden" });
  await page.keyboard.press("Escape");
  await eventually(() => partsOf(page).turns.count()).toBe(1);
  await ask(page, "Hi again");
  await eventually(() => partsOf(page).turns.last().textContent()).toContain("Hello again.");

  await page.reload();
  await eventually(() => chip.getAttribute("aria-label")).toContain("key locked");
  await chip.click();
  await sheet.getByRole("button", { name: "Forgot it?" }).click();
  await sheet.getByRole("button", { name: "Forget all stored keys" }).click();
  await passphrase.waitFor({ state: "hidden" });
  await eventually(() => chip.getAttribute("aria-label")).not.toContain("locked");
});

it("runs a model behind an edge endpoint with a token", async () => {
  const provider = new ScriptedProvider([{ text: "From the edge." }], { model: "edge-model" });
  const { origin } = new URL(playground.url);
  const handler = executorHandler(provider, { tokens: { me: KEY }, allowedOrigins: [origin] });
  const endpoint = createServer((request, response) => void pass(handler, request, response));
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  const { port } = endpoint.address() as AddressInfo;
  try {
    await using visitor = await visit(playground, { width: 375, height: 740 });
    const { page } = visitor;
    await partsOf(page).message.waitFor();
    const { sheet, key, check, outcome, model, address } = await openAt(page, "An edge endpoint");
    await address.fill(`http://127.0.0.1:${port}/v1/executor`);
    await key.fill("wrong");
    await check.click();
    await eventually(() => outcome.textContent()).toContain("The key was refused");
    await outcome.getByRole("button", { name: "Change key" }).click();
    await key.fill(KEY);
    await check.click();
    await eventually(() => outcome.textContent()).toContain("Connected");
    await model.fill("edge-model");
    for (const control of await sheet.getByRole("button").all()) {
      const box = await control.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
    expect(await sheet.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    await useModel(page, "edge-model");
    await ask(page, "Hi");
    await eventually(() => partsOf(page).turns.last().textContent()).toContain("From the edge.");
  } finally {
    endpoint.closeAllConnections();
    endpoint.close();
  }
});

async function pass(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/", headers } = incoming;
  const hasBody = method === "POST";
  const body = hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null;
  const init = { method, headers: headers as Record<string, string>, body, duplex: "half" };
  const response = await handler(new Request(`http://${headers.host}${url}`, init));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as never), outgoing).catch(() => undefined);
}
