import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CorsProxy, startCorsProxy } from "../git/cors-proxy.ts";
import { type GitServer, startGitServer } from "../git/server.ts";
import { type Chromium, startChromium } from "./chromium.ts";
import { type PageServer, servePage } from "./page-server.ts";

const FILES = 2000;
const files = Object.fromEntries(
  Array.from({ length: FILES }, (_, n) => [
    `src/part-${n % 40}/file-${n}.txt`,
    `File ${n}\n${createHash("sha256")
      .update(`${n}`)
      .digest("hex")
      .repeat((n % 7) + 1)}\n`,
  ]),
);

interface Ran {
  stdout: string;
  stderr: string;
  exitCode: number;
}

let chromium: Chromium;
let pages: PageServer;
let git: GitServer;
let proxy: CorsProxy;
let onRan = (_ran: Ran): void => {};
let onFailed = (_error: string): void => {};

beforeAll(async () => {
  [chromium, git, proxy] = await Promise.all([startChromium(), startGitServer(), startCorsProxy()]);
  git.create("large.git", files);
  pages = await servePage("test/e2e/pages/clone.ts", (path, body) => {
    if (path === "/ran") onRan(JSON.parse(body));
    else onFailed(body);
  });
});
afterAll(() =>
  Promise.all([chromium, pages, git, proxy].map((each) => each[Symbol.asyncDispose]())),
);

/** Opens a tab that runs `command`; `onEnd` is called in the same turn in which its end is heard. */
async function run(
  command: string,
  options: { proxy?: string; onEnd?: () => Promise<void> } = {},
): Promise<Ran> {
  const ended = Promise.withResolvers<Ran>();
  onRan = (ran) => {
    const next = options.onEnd?.() ?? Promise.resolve();
    next.then(() => ended.resolve(ran), ended.reject);
  };
  onFailed = (error) => ended.reject(new Error(error));
  const page = await chromium.context.newPage();
  const query = new URLSearchParams({
    command,
    proxy: options.proxy ?? "",
    private: new URL(git.url("")).origin,
  });
  await page.goto(`${pages.url}/?${query}`, { waitUntil: "commit" });
  return ended.promise;
}

it("keeps a clone of 2,000 files complete when the browser is killed at its end", async () => {
  const cloned = await run(`git clone ${git.url("large.git")} large`, {
    proxy: proxy.url,
    onEnd: () => chromium.kill(),
  });
  expect(cloned).toMatchObject({ exitCode: 0, stderr: "Cloning into 'large'...\n" });
  expect(proxy.forwarded.length).toBeGreaterThan(1);

  await chromium.start();
  const { stdout, stderr } = await run(
    `cd large; git rev-parse HEAD; git status --porcelain; git ls-files | wc -l
     find src -type f | sort | xargs cat | sha256sum`,
  );
  const names = Object.keys(files).toSorted();
  const sum = createHash("sha256").update(names.map((name) => files[name]).join(""));
  expect([stdout, stderr]).toEqual([
    `${git.git("large.git", "rev-parse", "main")}${FILES}\n${sum.digest("hex")}  -\n`,
    "",
  ]);
});
