import { afterAll, beforeAll, expect, it } from "vitest";
import { type CorsProxy, startCorsProxy } from "../../git/cors-proxy.ts";
import { type GitServer, startGitServer } from "../../git/server.ts";
import { type Playground, startPlayground } from "./site.ts";
import { ask, eventually, partsOf, visit } from "./visitor.ts";

let playground: Playground;
let git: GitServer;
let proxy: CorsProxy;

beforeAll(async () => {
  [playground, git, proxy] = await Promise.all([
    startPlayground(),
    startGitServer(),
    startCorsProxy(),
  ]);
  git.create("small.git", { "readme.txt": "From a private server" });
});
afterAll(() => Promise.all([playground, git, proxy].map((each) => each[Symbol.asyncDispose]())));

it("clones from a server of one's own network once it is listed, and from no other", async () => {
  await using visitor = await visit(playground);
  const { page } = visitor;
  const { conversation, file, asks, allow, message } = partsOf(page);
  const clone = `git clone ${git.url("small.git")} cloned`;
  const servers = page.getByLabel("Private servers, one or more");
  const reload = page.getByRole("button", { name: "Reload to use it" });
  const openDialog = () => page.getByRole("button", { name: "Workspaces" }).click();
  const run = async () => {
    await message.fill(`run ${clone}`);
    await message.press("Enter");
    await asks("Bash").waitFor();
    await allow.click();
  };

  await openDialog();
  await page.getByLabel("Proxy for clone, fetch and push").fill(proxy.url);
  await reload.click();
  await run();
  await eventually(() => conversation.textContent()).toContain("is a loopback address");
  expect(proxy.forwarded).toEqual([]);

  await openDialog();
  await servers.fill(git.url("small.git"));
  await eventually(() => servers.getAttribute("aria-invalid")).toBe("true");
  const hint = page.getByText("is not the address of a server. Write the scheme");
  await hint.waitFor();
  expect(await reload.count()).toBe(0);
  await servers.fill(`http://192.168.7.7:3000, ${new URL(git.url("")).origin}/`);
  await hint.waitFor({ state: "detached" });
  await reload.click();
  await ask(page, "list");
  await run();
  await file("cloned").waitFor();
  await file("cloned").click();
  await file("readme.txt").waitFor();
  expect(proxy.forwarded.length).toBeGreaterThan(1);

  await page.reload();
  await openDialog();
  await eventually(() => servers.inputValue()).toBe(
    `http://192.168.7.7:3000 ${new URL(git.url("")).origin}`,
  );
});
