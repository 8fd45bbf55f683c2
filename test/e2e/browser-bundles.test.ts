import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { membersOf, zipOf } from "../support/bundles/bundle-files.ts";
import { type Chromium, startChromium } from "./chromium.ts";
import { type PageServer, servePage } from "./page-server.ts";

let chromium: Chromium;
let pages: PageServer;
let market: Server;
let onRan = (_ran: string): void => {};
let onFailed = (_error: string): void => {};

/** A marketplace on this machine, which permits pages to read it. */
async function startMarket(): Promise<Server> {
  const archive = await zipOf(
    membersOf({
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
    }),
  );
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const plugin = { name: "greeter", source: "./greeter.zip", keywords: ["hello"], sha256 };
  const index = JSON.stringify({ name: "local", plugins: [plugin] });
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    if (request.url === "/marketplace.json") response.end(index);
    else if (request.url === "/greeter.zip") response.end(archive);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

beforeAll(async () => {
  [chromium, market] = await Promise.all([startChromium(), startMarket()]);
  pages = await servePage("test/e2e/pages/bundles.ts", (path, body) => {
    if (path === "/ran") onRan(body);
    else onFailed(body);
  });
});
afterAll(async () => {
  market.closeAllConnections();
  market.close();
  await Promise.all([chromium, pages].map((each) => each[Symbol.asyncDispose]()));
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

it(
  "installs a plugin from a local marketplace in a tab, uses it in a turn, disables and removes it",
  { timeout: 120_000 },
  async () => {
    const { port } = market.address() as AddressInfo;
    const address = `http://127.0.0.1:${port}/marketplace.json`;
    const first = await visit(`?${new URLSearchParams({ market: address })}`);
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
  },
);
