import { afterAll, beforeAll, expect, it } from "vitest";
import { serveSite, type Site } from "../serve-site.ts";
import { builtSite } from "../site.ts";
import { startWebKit, type WebKit } from "./webkit.ts";

let browser: WebKit;
let site: Site;

beforeAll(async () => {
  site = await serveSite(await builtSite());
  browser = await startWebKit();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

const button = (name: string): string => `//button[contains(normalize-space(.), "${name}")]`;
const asks = (verb: string): string =>
  `//*[@data-part="approval-dock"]//h2[starts-with(normalize-space(.), "${verb} ")]`;
const enabled = (name: string): string => `${button(name)}[not(@disabled)]`;
const inConversation = (text: string): string =>
  `//*[@role="log"]//*[contains(normalize-space(.), "${text}")]`;

it("gives a first minute in WebKit: a card, its approvals, a reload in between, and the same without a network", async () => {
  await browser.open(site.url);
  await browser.click(button("Fix the failing test"));
  await browser.see(asks("Run"));
  await browser.click(enabled("Allow once"));
  await browser.see(asks("Edit"));
  await browser.reload();
  await browser.see(asks("Edit"));
  await browser.click(enabled("Allow once"));
  await browser.see(asks("Run"));
  await browser.click(enabled("Allow once"));
  await browser.see(inConversation("0 failed"));

  // Not `ready`, which a driver waits for no longer than 30 s.
  await expect
    .poll(() =>
      browser.run(
        "return navigator.serviceWorker.getRegistration().then((one) => one?.active?.state)",
      ),
    )
    .toBe("activated");
  await site[Symbol.asyncDispose]();
  await browser.reload();
  await browser.see(inConversation("0 failed"));
  expect(await browser.run("return document.querySelectorAll('[data-part=crash]').length")).toBe(0);
});
