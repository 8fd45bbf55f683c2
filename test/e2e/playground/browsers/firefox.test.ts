import puppeteer, { type Browser, type Locator, type Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serveSite, type Site } from "../serve-site.ts";
import { builtSite } from "../site.ts";

// Playwright asks this Firefox for something that it does not know; Puppeteer drives it by WebDriver BiDi.
let browser: Browser;
let site: Site;

beforeAll(async () => {
  site = await serveSite(await builtSite());
  browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env["ROBOTA_FIREFOX"] ?? "/usr/bin/firefox-esr",
  });
});
afterAll(async () => {
  await browser?.close();
  await site?.[Symbol.asyncDispose]();
});

function partsOf(page: Page) {
  const found = (path: string): Locator<Element> => page.locator(`::-p-xpath(${path})`);
  return {
    button: (name: string) => found(`//button[contains(normalize-space(.), "${name}")]`),
    asks: (verb: string) =>
      found(`//*[@data-part="approval-dock"]//h2[starts-with(normalize-space(.), "${verb} ")]`),
    conversationHas: (text: string) =>
      found(`//*[@role="log"]//*[contains(normalize-space(.), "${text}")]`),
  };
}

it("gives a first minute in Firefox: a card, its approvals, a reload in between, and the same without a network", async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.setViewport({ width: 1280, height: 800 });
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  const { button, asks, conversationHas } = partsOf(page);

  await page.goto(site.url);
  await button("Fix the failing test").click();
  await asks("Run").wait();
  await button("Allow once").click();
  await asks("Edit").wait();
  await page.reload();
  await asks("Edit").wait();
  await button("Allow once").click();
  await asks("Run").wait();
  await button("Allow once").click();
  await conversationHas("0 failed").wait();
  expect(complaints).toEqual([]);

  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await site[Symbol.asyncDispose]();
  await page.reload();
  await conversationHas("0 failed").wait();
});
