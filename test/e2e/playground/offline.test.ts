import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground[Symbol.asyncDispose]());

it("loses only the region whose part can't be loaded, which can be tried again", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  await ask(page, "list *.txt");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Show inspector" }).click();
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByText("Events couldn't be loaded.").waitFor();
  // The rest of the page goes on, as far as its parts are there.
  await ask(page, "list *.sh");
  await context.setOffline(false);
  const events = inspector.getByRole("tabpanel", { name: "Events" });
  await events.getByRole("button", { name: "Try again" }).click();
  await events.getByRole("list").waitFor();
});

it("says that a part can't be loaded however late the page is drawn again, and asks for it no more", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  let asked = 0;
  await page.route(/\/panels-/, async (route) => {
    asked += 1;
    // The page has drawn that it waits by then.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await route.abort();
  });
  // React's next work waits in a port, and here longer than any timer.
  await page.addInitScript(() => {
    const send = Reflect.get(MessagePort.prototype, "postMessage") as () => void;
    MessagePort.prototype.postMessage = function (...message: unknown[]) {
      setTimeout(() => Reflect.apply(send, this, message), 30);
    };
  });
  await page.reload();
  await ask(page, "list *.txt");
  await page.getByRole("button", { name: "Show inspector" }).click();
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByText("Events couldn't be loaded.").waitFor();
  await inspector.getByRole("button", { name: "Actions couldn't be loaded. Try again." }).waitFor();
  const before = asked;
  await ask(page, "list *.sh");
  expect(asked).toBe(before);
  await page.unroute(/\/panels-/);
  await inspector.getByRole("button", { name: "Try again", exact: true }).click();
  await inspector.getByRole("tabpanel", { name: "Events" }).getByRole("list").waitFor();
});

it("has loaded what the first question needs before anyone asks for it", async () => {
  await using visitor = await visit(playground);
  const { page, context } = visitor;
  await eventually(() => page.evaluate(loadedScripts)).toEqual(
    expect.arrayContaining([
      "session",
      "conversation",
      "turn",
      "shell-worker",
      "shell",
      "commands",
    ]),
  );
  await context.setOffline(true);
  await partsOf(page).guide("Fix the failing test").click();
  await partsOf(page).asks("Bash").waitFor();
});

/** Runs in the page: names of the scripts that are there, without their hashes. */
function loadedScripts(): string[] {
  return performance
    .getEntriesByType("resource")
    .filter((entry) => (entry as PerformanceResourceTiming).responseEnd > 0)
    .flatMap(({ name }) => /\/assets\/(.+)-[\w-]{8}\.js$/.exec(name)?.[1] ?? []);
}

it("works without a network after the first load, and offers a release without interrupting a turn", async () => {
  await using visitor = await visit(playground, { keepsPage: true });
  const { page, context } = visitor;
  const { message, stop, conversation } = partsOf(page);
  await message.waitFor();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const manifest = await page.evaluate(async () => {
    const { href } = document.querySelector<HTMLLinkElement>("link[rel=manifest]")!;
    return (await fetch(href)).json() as Promise<{ icons: { src: string }[] }>;
  });
  expect(manifest.icons.length).toBeGreaterThanOrEqual(3);

  await context.setOffline(true);
  await page.reload();
  await ask(page, "list *.txt");
  await page.getByLabel("Permission mode").selectOption({ label: "Allow all" });
  await ask(page, "run grep -c . README.md && echo works offline");
  await eventually(() => conversation.textContent()).toContain("works offline");
  await partsOf(page).file("README.md").click();
  await partsOf(page).fileText.waitFor();
  await ask(page, "run echo '<p>kept</p><img src=far.png>' > kept.html");
  await partsOf(page).file("kept.html").click();
  await page.getByRole("tab", { name: "Preview" }).click();
  await page.frameLocator("iframe").frameLocator("iframe").getByText("kept").waitFor();
  await page.goto(`${playground.url}?workspace=playground`);
  await message.waitFor();
  await context.setOffline(false);

  await message.fill("slow 600000");
  await message.press("Enter");
  await stop.waitFor();
  const released = `self.PRECACHE = ${JSON.stringify({ version: "next", files: ["index.html"] })};`;
  playground.replaced.set("/precache.js", released);
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await page.getByText("It waits for the running turn.").first().waitFor();
  const reload = page.getByRole("button", { name: "Reload" });
  expect(await reload.count()).toBe(0);
  await stop.click();
  await Promise.all([page.waitForEvent("load"), reload.click()]);
  await eventually(() => page.evaluate(() => caches.keys())).toContain("robota-page-next");
  // The files of the version before are still there.
  expect(await page.evaluate(() => caches.keys())).toHaveLength(2);
  await eventually(() => conversation.textContent()).toContain("Stopped by you");
});
