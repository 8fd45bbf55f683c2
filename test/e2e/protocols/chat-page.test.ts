import { afterAll, beforeAll, expect, it } from "vitest";
import { newSessionOn } from "../../support/protocols/session-server.ts";
import { type Chromium, startChromium } from "../chromium.ts";
import { type PageServer, servePage } from "../page-server.ts";
import { startWorkerd, type Workerd } from "../workerd.ts";

const TOKEN = "ann-secret";
let chromium: Chromium;
let pages: PageServer;
let workerd: Workerd;

beforeAll(async () => {
  [chromium, pages] = await Promise.all([
    startChromium(),
    servePage("test/e2e/pages/chat.ts", () => {}),
  ]);
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: {
      API_TOKENS: JSON.stringify({ ann: TOKEN }),
      ALLOWED_ORIGINS: pages.url,
    },
  });
});
afterAll(() => Promise.all([chromium, pages, workerd].map((each) => each[Symbol.asyncDispose]())));

it("lets a page with useChat drive a session of another origin, and finds its turn again after a reload", async () => {
  const session = await newSessionOn({ url: workerd.url, token: TOKEN });
  const page = await chromium.context.newPage();
  await page.goto(`${pages.url}/?${new URLSearchParams({ session, token: TOKEN }).toString()}`);
  const tools = page.locator(".tool");
  await page.locator("input").fill("run sleep 2; echo slept > out.txt; cat out.txt");
  await page.locator("#send").click();
  await page.getByText("Allow").waitFor();

  // A reload shows the question again, where it is answered.
  await page.reload();
  await page.getByText("Allow").click();
  const state = async (): Promise<string> => {
    const response = await fetch(session, { headers: { authorization: `Bearer ${TOKEN}` } });
    return ((await response.json()) as { state: string }).state;
  };
  await expect.poll(state).toBe("open");

  // Another one, while the call runs, shows its end.
  await page.reload();
  await expect.poll(() => tools.allTextContents()).toEqual(["Bash output-available"]);
  await expect.poll(() => page.locator("main").textContent()).toContain("slept");
  await expect.poll(() => page.locator("#status").textContent()).toBe("ready");
});
