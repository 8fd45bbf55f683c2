import { afterAll, beforeAll, expect, it } from "vitest";
import { type MarketplaceServer, serveMarketplace } from "../support/bundles/marketplace-server.ts";
import { type Chromium, startChromium } from "./chromium.ts";
import { type PageServer, servePage } from "./page-server.ts";

let chromium: Chromium;
let pages: PageServer;
let market: MarketplaceServer;
let onRan = (_ran: string): void => {};
let onFailed = (_error: string): void => {};

function startMarket(): Promise<MarketplaceServer> {
  return serveMarketplace(
    { name: "greeter", keywords: ["hello"] },
    {
      "plugin.json": {
        name: "greeter",
        version: "1.0.0",
        description: "Greets people",
        keywords: ["hello"],
        permissions: { allow: ["plugin__greeter__greet"] },
        tools: [
          { name: "greet", description: "Greets", command: 'cat "$ROBOTA_PLUGIN_ROOT/words.txt"' },
        ],
      },
      "words.txt": "WORDS of the bundle",
      "commands/hello.md": "Say hello to $ARGUMENTS",
      "hooks/hooks.json": {
        hooks: {
          UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo CONTEXT of a hook" }] }],
        },
      },
    },
  );
}

beforeAll(async () => {
  [chromium, market] = await Promise.all([startChromium(), startMarket()]);
  pages = await servePage("test/e2e/pages/bundles.ts", (path, body) => {
    if (path === "/ran") onRan(body);
    else onFailed(body);
  });
});
afterAll(async () => {
  await Promise.all([chromium, pages, market].map((each) => each[Symbol.asyncDispose]()));
});

async function visit(query: string): Promise<unknown> {
  const ran = Promise.withResolvers<string>();
  onRan = ran.resolve;
  onFailed = (error) => ran.reject(new Error(error));
  const page = await chromium.context.newPage();
  await page.goto(`${pages.url}/${query}`, { waitUntil: "commit" });
  const result: unknown = JSON.parse(await ran.promise);
  await page.close();
  return result;
}

it("installs a plugin from a local marketplace in a tab, uses it in a turn, disables and removes it", async () => {
  const first = await visit(`?${new URLSearchParams({ market: market.url })}`);
  expect(first).toMatchObject({
    found: ["greeter@local"],
    shown: expect.stringContaining("Hook UserPromptSubmit"),
    answer: "Hello, Ada!",
    used: { hasTool: true },
    disabled: { hasTool: false },
    command: null,
  });
  const { used, disabled } = first as Record<string, { words: string }>;
  for (const part of ["Say hello to Ada", "CONTEXT of a hook", "WORDS of the bundle"])
    expect(used?.words).toContain(part);
  expect(used?.words.split("CONTEXT of a hook")).toHaveLength(2);
  expect(disabled?.words.split("CONTEXT of a hook")).toHaveLength(2);
  expect(await visit("")).toEqual({
    left: [{ name: "greeter", enabled: false }],
    after: [],
    files: ["registry.json"],
  });
});
