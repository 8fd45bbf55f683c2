import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { publishedHeaders } from "../../../apps/playground/published-headers.ts";

const playground = join(import.meta.dirname, "../../../apps/playground");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

/** Flags of a Chromium that visits it. */
export const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // The headless shell offers to download a model of its own, which the page then offers, too.
  "--disable-blink-features=AIPromptAPI",
];

/** Builds the playground as it is published. */
export async function buildSite(directory: string): Promise<void> {
  const vite = join(playground, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--logLevel", "error", "--outDir", directory, "--emptyOutDir"];
  // A test runner's environment would build React for development.
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, args, { cwd: playground, env });
}

export interface Site extends AsyncDisposable {
  /** Ends with a slash. */
  readonly url: string;
  /** Files that are served with other contents, by their paths. */
  readonly replaced: Map<string, string>;
}

/** Serves a built playground as a static host would; `compressed` also in that it sends files gzipped. */
export async function serveSite(
  directory: string,
  options: { compressed?: boolean } = {},
): Promise<Site> {
  const replaced = new Map<string, string>();
  const packed = new Map<string, Promise<Buffer>>();
  const read = async (path: string): Promise<Buffer> => {
    if (!options.compressed) return readFile(path);
    const known = packed.get(path) ?? readFile(path).then((bytes) => promisify(gzip)(bytes));
    packed.set(path, known);
    return known;
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = join(directory, normalize(pathname === "/" ? "/index.html" : pathname));
    read(path).then(
      (content) => {
        response.setHeader("content-type", types[extname(path)] ?? "application/octet-stream");
        if (options.compressed) response.setHeader("content-encoding", "gzip");
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
    replaced,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
