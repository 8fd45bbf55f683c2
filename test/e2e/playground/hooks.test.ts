import { afterAll, beforeAll, expect, it } from "vitest";
import { bundle } from "../page-server.ts";
import { type Playground, startPlayground } from "./site.ts";
import { eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

it("shows a call that a hook blocked, and why", async () => {
  await using visitor = await visit(playground);
  const { context, page, complaints } = visitor;
  await partsOf(page).file("README.md").waitFor();

  // The page sets up no hooks. A session of another program on the same files and storage does.
  const code = await bundle("test/e2e/pages/hooked-session.ts");
  const address = `${playground.url}hooked-session.html`;
  const body = `<!doctype html><script type="module">${code.replaceAll("</script", "<\\/script")}</script>`;
  await context.route(address, (route) => route.fulfill({ contentType: "text/html", body }));
  const other = await context.newPage();
  await other.goto(address);
  await other.evaluate(() => globalThis.run("write notes.txt: hello"));
  await other.close();

  await page.reload();
  await page
    .getByRole("navigation", { name: "Sessions" })
    .getByRole("button", { name: /^write notes\.txt/ })
    .click();
  const { card, conversation, file } = partsOf(page);
  await eventually(() => card("Write").textContent()).toContain("Blocked by a hook");
  await eventually(() => card("Write").textContent()).toContain("Frozen.");
  await eventually(() => conversation.textContent()).toContain("was blocked by a hook");
  expect(await file("notes.txt").count()).toBe(0);
  expect(complaints).toEqual([]);
});
