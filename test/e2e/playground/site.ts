import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright";
import { inject } from "vitest";
import { publishedHeaders } from "../../../apps/playground/published-headers.ts";

/** The playground as it is published, and a browser to visit it with. */
export interface Playground extends AsyncDisposable {
  /** Ends with a slash. */
  readonly url: string;
  readonly browser: Browser;
  /** Files that are served with other contents, by their paths. */
  readonly replaced: Map<string, string>;
}

const playground = join(import.meta.dirname, "../../../apps/playground");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** The build that all test files of this process share. */
let built: Promise<string> | undefined;

async function build(): Promise<string> {
  const directory = join(inject("playgroundBuilds"), `${process.pid}`);
  const vite = join(playground, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--logLevel", "error", "--outDir", directory, "--emptyOutDir"];
  // A test runner's environment would build React for development.
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, args, { cwd: playground, env });
  return directory;
}

/** Serves the built playground as a static host would, and starts a browser. */
export async function startPlayground(): Promise<Playground> {
  built ??= build();
  const directory = await built;
  const browser = await chromium.launch({
    executablePath: process.env["ROBOTA_CHROMIUM"] ?? "/usr/bin/chromium",
    args: flags,
  });

  const replaced = new Map<string, string>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = join(directory, normalize(pathname === "/" ? "/index.html" : pathname));
    readFile(file).then(
      (content) => {
        response.setHeader("content-type", types[extname(file)] ?? "application/octet-stream");
        response.setHeaders(new Headers(publishedHeaders(pathname)));
        response.end(replaced.get(pathname) ?? content);
      },
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/`,
    browser,
    replaced,
    async [Symbol.asyncDispose]() {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
