import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { installPacked, pack } from "../../../scripts/packaging/pack.ts";
import { wires } from "../../support/wire/wire-events.ts";
import { type Chromium, startChromium } from "../chromium.ts";

/** Pages that show their first answer, each a program of `main`, and what it may cost until then. */
const PAGES = [
  {
    name: "Robota",
    imports: 'import { Robota } from "@robota/runtime";',
    code: 'const { text: answer } = await new Robota({ provider }).run("Hi");',
    requests: 6,
    kibibytes: 36,
  },
  {
    name: "Session",
    imports: 'import { Session } from "@robota/runtime";',
    code: 'const answer = await new Session({ provider }).run("Hi");',
    requests: 8,
    kibibytes: 75,
  },
  {
    name: "InteractiveSession with browserPlatform",
    imports: `import { InteractiveSession } from "@robota/runtime";
      import { browserPlatform } from "@robota/adapters-web";`,
    code: `const session = new InteractiveSession({ platform: browserPlatform(), provider });
      const { response: answer } = await session.submit("Hi");`,
    requests: 12,
    kibibytes: 123,
  },
];

let project: string;
let chromium: Chromium;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "robota-page-cost-"));
  for (const name of ["runtime", "shell", "adapters-web"] as const) {
    const folder = join(project, "packed", name);
    await mkdir(folder, { recursive: true });
    installPacked(name, pack(name, folder), project);
  }
  chromium = await startChromium();
}, 900_000);
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await rm(project, { recursive: true });
});

/** Builds a page as Vite does by default, and resolves to the folder of its files. */
async function built(name: string, script: string): Promise<string> {
  const folder = join(project, name);
  await mkdir(folder);
  await writeFile(join(folder, "index.html"), '<script type="module" src="/page.js"></script>');
  await writeFile(join(folder, "page.js"), script);
  await build({ root: folder, configFile: false, logLevel: "error" });
  return join(folder, "dist");
}

function answer(response: ServerResponse): void {
  response.setHeader("content-type", "text/event-stream");
  for (const { text } of wires["/messages"]?.events({ text: ["Hello"] }) ?? [])
    response.write(text);
  response.end();
}

/** Serves a page with the model's service, and resolves to its answer and the gzipped sizes of the scripts loaded before. */
async function visit(folder: string): Promise<{ shown: string; sizes: number[] }> {
  const shown = Promise.withResolvers<string>();
  const sizes: number[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/shown") {
      shown.resolve(Buffer.concat(await request.toArray()).toString());
      response.end();
    } else if (request.method === "POST") answer(response);
    else {
      const bytes = await readFile(join(folder, pathname === "/" ? "index.html" : pathname));
      const isScript = pathname.endsWith(".js");
      if (isScript) sizes.push(gzipSync(bytes).length);
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      response.end(bytes);
    }
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.writeHead(404).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const page = await chromium.context.newPage();
  page.on("pageerror", shown.reject);
  try {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return { shown: await shown.promise, sizes };
  } finally {
    await page.close();
    server.closeAllConnections();
    server.close();
  }
}

it.each(PAGES)(
  "until its first answer, a built page with $name loads at most $kibibytes KiB of scripts in $requests files",
  async ({ name, imports, code, requests, kibibytes }) => {
    const script = `${imports}
      import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
      const provider = new AnthropicProvider({
        apiKey: "key",
        model: "wire-model",
        baseURL: location.origin,
        dangerouslyAllowBrowser: true,
      });
      ${code}
      await fetch("/shown", { method: "POST", body: answer });`;
    const { shown, sizes } = await visit(await built(name, script));
    expect(shown).toBe("Hello");
    const sum = sizes.reduce((total, size) => total + size, 0) / 1024;
    console.log(`${name} | ${sum.toFixed(1)} KiB | ${sizes.length} files`);
    expect(sizes.length).toBeLessThanOrEqual(requests);
    expect(sum).toBeLessThanOrEqual(kibibytes);
  },
);
