import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright";
import { createServer } from "vite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { extract, installPacked, pack } from "../../../scripts/packaging/pack.ts";
import { type Chromium, startChromium } from "../chromium.ts";
import { builtSite } from "../playground/site.ts";
import { startWorkerd } from "../workerd.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);
const nodes = [process.execPath, join(root, "test/oldest/node_modules/.bin/node")];
/** Packages of others, as the templates' manifests name them. */
const FOREIGN = [
  "@cloudflare/workers-types",
  "@types/node",
  "@types/react",
  "@types/react-dom",
  "react",
  "react-dom",
  "vite",
];

let project: string;
let creator: string;
let chromium: Chromium | undefined;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "robota-packed-"));
  const packed = async (name: Parameters<typeof pack>[0]): Promise<string> => {
    const folder = join(project, "packed", name);
    await mkdir(folder, { recursive: true });
    return pack(name, folder);
  };
  for (const name of [
    "runtime",
    "shell",
    "adapters-node",
    "adapters-web",
    "adapters-edge",
    "react",
  ] as const)
    installPacked(name, await packed(name), project);
  for (const name of FOREIGN) {
    const link = join(project, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, "test/node_modules", name), link);
  }
  creator = join(project, "creator");
  await mkdir(creator);
  extract(await packed("create"), creator);
  chromium = await startChromium();
}, 900_000);
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await rm(project, { recursive: true });
});

/** Runs `create-robota`, as `npm create robota` does. */
function create(args: readonly string[], node = process.execPath) {
  return run(node, [join(creator, "dist/main.js"), ...args], { cwd: project });
}

/** Serves a folder by Vite's development server, and opens it in a new tab. */
async function openPage(folder: string, use: (page: Page) => Promise<void>): Promise<void> {
  const server = await createServer({
    root: folder,
    configFile: false,
    logLevel: "error",
    // The packages' dependencies are links to where this repository has them.
    server: { host: "127.0.0.1", port: 0, fs: { strict: false }, ws: false },
  });
  try {
    await server.listen();
    const page = await chromium!.context.newPage();
    // The first visit waits for Vite, which bundles the packages then.
    page.setDefaultTimeout(120_000);
    await page.goto(server.resolvedUrls?.local[0] ?? "");
    await use(page);
    await page.close();
  } finally {
    await server.close();
  }
}

it("runs node, git and jq in the tab's shell under Vite's development server, from the packed packages", async () => {
  const folder = join(project, "page");
  await mkdir(folder);
  await writeFile(join(folder, "index.html"), '<script type="module" src="/page.js"></script>');
  await writeFile(
    join(folder, "page.js"),
    `import { browserPlatform } from "@robota/adapters-web";
     const platform = browserPlatform();
     globalThis.run = (command) => platform.shell.exec(command, { cwd: "/" });`,
  );
  await openPage(folder, async (page) => {
    await page.waitForFunction(() => "run" in globalThis);
    for (const [command, stdout] of [
      ["node -e 'import(\"node:path\"); console.log(1 + 1)'", "2\n"],
      [
        "cd /home/user && echo 'export const a: number = 3; console.log(a)' > a.ts && node a.ts",
        "3\n",
      ],
      [
        "mkdir -p /w && cd /w && git init -q && git status --short && echo '{\"a\":[1]}' | jq -c .a",
        "[1]\n",
      ],
    ] as const) {
      const result = await page.evaluate(`run(${JSON.stringify(command)})`);
      expect(result).toMatchObject({ exitCode: 0, stdout });
    }
  });
});

it("serves the playground, with the headers that it asks for", async () => {
  // As it is published: the manifest, and the built page.
  const folder = join(project, "node_modules/@robota/playground");
  await mkdir(join(folder, "dist"), { recursive: true });
  await cp(join(root, "apps/playground/package.json"), join(folder, "package.json"));
  await cp(await builtSite(), join(folder, "dist/site"), { recursive: true });
  const command = join(project, "node_modules/@robota/adapters-node/dist/node/main.js");
  const program = spawn(process.execPath, [command, "playground", "--port", "0"], {
    env: { HOME: project, PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void program.kill());
  let shown = "";
  program.stdout.on("data", (piece: Buffer) => (shown += String(piece)));
  await expect.poll(() => shown).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\n$/);
  const url = shown.trim();
  const page = await chromium!.context.newPage();
  const answer = await page.goto(url);
  expect(answer?.headers()).toMatchObject({
    "content-security-policy": "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
  });
  await page.getByRole("main").getByRole("button", { name: "Fix the failing test" }).click();
  await page.getByRole("heading", { name: /^Run .+\?$/ }).waitFor();
  await page.close();
  expect((await fetch(`${url}preview.html`)).headers.get("content-security-policy")).toContain(
    "sandbox",
  );
  expect((await fetch(`${url}../package.json`)).status).toBe(404);
  program.kill("SIGTERM");
  expect(await once(program, "exit")).toEqual([143, null]);
});

describe("npm create robota", () => {
  it.each(nodes)("makes a program that holds a conversation at the terminal: %s", async (node) => {
    const name = `node-${nodes.indexOf(node)}`;
    const { stdout } = await create([name, "--template", "node"], node);
    expect(stdout).toContain(`cd ${name}\n  npm install\n  npm start`);
    const folder = join(project, name);
    const program = spawn(node, ["main.ts"], {
      cwd: folder,
      // Without any key, whatever the environment of the tests has.
      env: { HOME: folder, PATH: process.env.PATH ?? "" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let shown = "";
    program.stdout.on("data", (piece: Buffer) => (shown += String(piece)));
    for (const [question, answer] of [
      ["\n> ", "write notes.txt: Hello"],
      ["(y/N) ", "y"],
      ["\n> ", ""],
    ] as const) {
      await expect.poll(() => shown).toContain(question);
      shown = "";
      program.stdin.write(`${answer}\n`);
    }
    expect(await once(program, "exit")).toEqual([0, null]);
    expect(await readFile(join(folder, "notes.txt"), "utf8")).toBe("Hello\n");
  });

  it.each([
    ["at the prompt", [["\n> ", ""]]],
    [
      "instead of an answer",
      [
        ["\n> ", "write notes.txt: Hello\n"],
        ["(y/N) ", ""],
      ],
    ],
    ["while it works", [["\n> ", "help\n"]]],
  ] as const)("makes a program that ends with its input, %s", async (place, inputs) => {
    const name = `ending ${place}`;
    const { stdout } = await create([name, "--template", "node"]);
    expect(stdout).toContain(`cd "${name}"\n`);
    const folder = join(project, name);
    const program = spawn(process.execPath, ["main.ts"], {
      cwd: folder,
      env: { HOME: folder, PATH: process.env.PATH ?? "" },
    });
    let shown = "";
    let complaints = "";
    program.stdout.on("data", (piece: Buffer) => (shown += String(piece)));
    program.stderr.on("data", (piece: Buffer) => (complaints += String(piece)));
    const ended = once(program, "exit");
    for (const [question, input] of inputs) {
      await expect.poll(() => shown).toContain(question);
      shown = "";
      program.stdin.write(input);
    }
    program.stdin.end();
    expect(await ended).toEqual([0, null]);
    expect(complaints).toBe("");
    expect(await readdir(folder)).not.toContain("notes.txt");
  });

  it("makes a page whose session asks, writes, and is there after a reload", async () => {
    await create(["browser", "--template", "browser"]);
    await openPage(join(project, "browser"), async (page) => {
      page.on("dialog", (dialog) => void dialog.accept());
      const send = async (prompt: string): Promise<void> => {
        await page.getByLabel("Prompt").fill(prompt);
        await page.getByRole("button", { name: "Send" }).click();
      };
      const shown = () => page.locator("#output").textContent();
      await send("write notes.txt: Hello");
      // A dialog that opens between the press and the release of a button swallows the click.
      await expect.poll(shown).toContain("Created /workspace/notes.txt");
      await send("run cat notes.txt | tr a-z A-Z");
      await expect.poll(shown).toContain("HELLO");
      await page.reload();
      await page.getByText("user: write notes.txt: Hello").waitFor();
    });
  });

  it("makes a chat in React, with approvals", async () => {
    await create(["react", "--template", "react"]);
    await openPage(join(project, "react"), async (page) => {
      await page.getByLabel("Prompt").fill("write notes.txt: Hello");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByText("Write: done").waitFor();
    });
  });

  it("makes a worker that serves sessions, to callers with its token", async () => {
    await create(["worker", "--template", "worker"]);
    await using workerd = await startWorkerd({
      entry: join(project, "worker/src/index.ts"),
      objects: { AGENTS: "Agent" },
      variables: { TOKEN: "development" },
    });
    const ask = (token: string): Promise<Response> =>
      fetch(`${workerd.url}/v1/sessions/first/messages`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          accept: "text/event-stream",
          "content-type": "application/json",
        },
        body: JSON.stringify({ text: "help" }),
      });
    expect((await ask("wrong")).status).toBe(401);
    expect(await (await ask("development")).text()).toContain("list [glob]");
  });

  it("makes projects that compile, named after their folders, with the packages' own version", async () => {
    const version = JSON.parse(await readFile(join(creator, "package.json"), "utf8")).version;
    for (const template of ["node", "browser", "react", "worker"]) {
      const name = `Typed ${template}`;
      await create([name, "-t", template]);
      const folder = join(project, name);
      await run(join(root, "node_modules/.bin/tsc"), ["-p", folder]);
      const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      expect(manifest.name).toBe(`typed-${template}`);
      expect(manifest.dependencies["@robota/runtime"]).toBe(`^${version}`);
      expect(await readFile(join(folder, ".gitignore"), "utf8")).toContain("node_modules");
    }
  });

  it("leaves a folder that is not empty as it is", async () => {
    const folder = join(project, "taken");
    await mkdir(folder);
    await writeFile(join(folder, "mine.txt"), "mine");
    await expect(create(["taken", "--template", "node"])).rejects.toMatchObject({
      code: 2,
      stderr: "taken is not empty (mine.txt). Give the name of a new folder.\n",
    });
    expect(await readdir(folder)).toEqual(["mine.txt"]);
  });

  it.each([
    [[], "Give a folder."],
    [["new"], "Give --template."],
    [["new", "--template", "vue"], 'There is no template "vue": choose node, browser'],
    [["new", "--temlate", "node"], "Unknown option '--temlate'"],
  ])("says what is missing or wrong where nobody can answer: %j", async (args, message) => {
    await expect(create(args)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
    expect(await readdir(project)).not.toContain("new");
  });
});
