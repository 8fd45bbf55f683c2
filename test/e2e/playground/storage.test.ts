import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "./site.ts";
import { ask, partsOf, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
}, 120_000);
afterAll(() => playground[Symbol.asyncDispose]());

it("runs in memory where the browser stores nothing, and says so", async () => {
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
  await partsOf(page).file("README.md").waitFor();
  await ask(page, "list *.txt");
  await page.getByLabel("Permission mode").selectOption({ label: "Allow all" });
  await ask(page, "run cat README.md > copied.txt");
  await partsOf(page).file("copied.txt").waitFor();
  await page
    .getByRole("navigation", { name: "Sessions" })
    .getByRole("button", { name: /^list \*\.txt/ })
    .waitFor();
  expect(visitor.complaints).toEqual([]);
});
