import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "../site.ts";
import { eventually, partsOf } from "../visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

it("is drawn before its code is there, and keeps what is typed and clicked meanwhile", async () => {
  const page = await playground.browser.newPage();
  const { message, guide, conversation, file } = partsOf(page);
  const complaints: string[] = [];
  page.on("console", (line) => {
    if (line.type() === "error") complaints.push(line.text());
  });
  const { promise: isWanted, resolve: want } = Promise.withResolvers<void>();
  await page.route(/\/index-.*\.js$/, async (route) => {
    await isWanted;
    await route.continue();
  });
  await page.goto(playground.url, { waitUntil: "commit" });
  await message.fill("a draft");
  await guide("Explore").click();
  expect(await page.getByRole("article").count()).toBe(0);
  want();
  await conversation.getByRole("article").waitFor();
  await eventually(() => message.inputValue()).toBe("a draft");
  await file("README.md").waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});
