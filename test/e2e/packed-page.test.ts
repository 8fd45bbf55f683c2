import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { installPacked, pack } from "../../scripts/packaging/pack.ts";
import { startChromium } from "./chromium.ts";

const page = `
  import { browserPlatform } from "@robota/adapters-web";
  const platform = browserPlatform();
  globalThis.run = (command) => platform.shell.exec(command, { cwd: "/" });
`;

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "robota-page-"));
  for (const name of ["runtime", "shell", "adapters-web"] as const) {
    const folder = join(project, "packed", name);
    await mkdir(folder, { recursive: true });
    installPacked(name, pack(name, folder), project);
  }
  await writeFile(join(project, "package.json"), '{ "type": "module" }');
  await writeFile(join(project, "index.html"), '<script type="module" src="/page.js"></script>');
  await writeFile(join(project, "page.js"), page);
});
afterAll(() => rm(project, { recursive: true }));

it("runs node, git and jq in the tab's shell under Vite's development server, from the packed packages", async () => {
  const server = await createServer({
    root: project,
    configFile: false,
    logLevel: "error",
    // The packages' dependencies are links to where this repository has them.
    server: { host: "127.0.0.1", port: 0, fs: { strict: false }, ws: false },
  });
  await using browser = await startChromium();
  try {
    await server.listen();
    const [url = ""] = server.resolvedUrls?.local ?? [];
    const tab = await browser.context.newPage();
    await tab.goto(url);
    await tab.waitForFunction(() => "run" in globalThis);
    const run = (command: string) => tab.evaluate(`run(${JSON.stringify(command)})`);
    expect(await run("node -e 'import(\"node:path\"); console.log(1 + 1)'")).toMatchObject({
      exitCode: 0,
      stdout: "2\n",
    });
    expect(
      await run(
        "cd /home/user && echo 'export const a: number = 3; console.log(a)' > a.ts && node a.ts",
      ),
    ).toMatchObject({
      exitCode: 0,
      stdout: "3\n",
    });
    expect(
      await run(
        "mkdir -p /w && cd /w && git init -q && git status --short && echo '{\"a\":[1]}' | jq -c .a",
      ),
    ).toMatchObject({
      exitCode: 0,
      stdout: "[1]\n",
    });
  } finally {
    await server.close();
  }
});
