import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serveWeather } from "../../support/mcp/http-server.ts";
import { type Chromium, startChromium } from "../chromium.ts";
import { type PageServer, servePage } from "../page-server.ts";
import type {} from "../pages/mcp-client.ts";

let chromium: Chromium;
let pages: PageServer;
let page: Page;

beforeAll(async () => {
  [chromium, pages] = await Promise.all([
    startChromium(),
    servePage("test/e2e/pages/mcp-client.ts", () => undefined),
  ]);
  page = await chromium.context.newPage();
  await page.goto(pages.url);
  await page.waitForFunction(() => "mcpTab" in globalThis);
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
});

/** A turn in which the model calls these tools, one after the other; their results. */
function turn(...calls: [name: string, args?: Record<string, string>][]): Promise<string[]> {
  const script = calls.map(([name, args = {}]) => ({ toolCalls: [{ name, args }] }));
  return page.evaluate((replies) => mcpTab.turn("go", replies), script);
}

/** The names that the model is offered in one more turn. */
const toolNames = () =>
  page.evaluate(async () => {
    await mcpTab.turn("go", []);
    return mcpTab.toolNames();
  });

const status = () =>
  page.evaluate(async () => (await mcpTab.command("mcp")).data as { servers: unknown[] });

it.each(["2026-07-28", "2025-11-25"] as const)(
  "uses everything of a server of another origin, in the protocol of %s",
  async (protocol) => {
    await using server = await serveWeather(protocol);
    await page.evaluate((url) => mcpTab.open(url), server.url);

    expect(await turn(["mcp__weather__forecast", { city: "Bern" }])).toEqual(["12 °C in Bern"]);
    expect(await page.evaluate(() => mcpTab.asked())).toEqual(["mcp__weather__forecast"]);
    expect((await status()).servers).toMatchObject([
      { name: "weather", state: "connected", protocol, prompts: ["trip"], resources: 1 },
    ]);

    // Resources: a tool, and a mention.
    const resource = "weather:weather://map";
    expect(await turn(["ListMcpResources"], ["ReadMcpResource", { resource }])).toEqual([
      `${resource}  The map`,
      "It rains in the north",
    ]);
    await page.evaluate(() => mcpTab.turn("What is on @weather:weather://map?", []));
    expect(await page.evaluate(() => mcpTab.request())).toContain("It rains in the north");

    // A prompt as a command.
    await page.evaluate(() => mcpTab.command("mcp__weather__trip", "Rome"));
    expect(await page.evaluate(() => mcpTab.request())).toContain("Plan a trip to Rome");

    // A question to the person behind a call.
    expect(await turn(["mcp__weather__greet"])).toEqual(["Hello Ada, pleased to meet you"]);

    expect(await page.evaluate(() => mcpTab.asked())).toContain("mcp__weather__elicitation");

    // Progress, and a stop that reaches the server.
    const waiting = turn(["mcp__weather__wait"]);
    await expect.poll(() => page.evaluate(() => mcpTab.outputs())).toContain("1/2 half\n");
    await page.evaluate(() => mcpTab.abort());
    await waiting;
    await server.weather.cancelled;

    // A list that changes.
    server.addTool("news");
    await expect.poll(toolNames).toContain("mcp__weather__news");
    expect(await turn(["mcp__weather__news"])).toEqual(["I am new"]);

    // A server that goes and comes back, with nothing known of its clients.
    await server.stop();
    const [failed] = await turn(["mcp__weather__forecast", { city: "Rome" }]);
    expect(failed).not.toContain("°C");
    await server.start();
    expect(await turn(["mcp__weather__forecast", { city: "Oslo" }])).toEqual(["12 °C in Oslo"]);
    server.addTool("later");
    await expect.poll(toolNames).toContain("mcp__weather__later");

    // One that forgets its clients while nobody calls it.
    await server.stop();
    await server.start();
    expect(await turn(["mcp__weather__forecast", { city: "Lima" }])).toEqual(["12 °C in Lima"]);
    expect(server.weather.cities).toEqual(["Bern", "Oslo", "Lima"]);
    await page.evaluate(() => mcpTab.close());
  },
);
