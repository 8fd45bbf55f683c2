import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";

export interface PageServer extends AsyncDisposable {
  /** Without a slash at the end. The same for as long as the server runs, so that a profile knows its pages again. */
  readonly url: string;
}

const SHELL_WORKER = "packages/adapters-web/src/shell/shell-worker.ts";

/** A module that is in no file; what it imports is found as from a file in the folder `from`. */
export interface WrittenModule {
  code: string;
  from: string;
}

/**
 * Serves a page that runs the module `entry`, bundled, and hands what it posts to `onPost`, by path. The worker of the
 * page's shell is bundled when it is asked for.
 */
export async function servePage(
  entry: string | WrittenModule,
  onPost: (path: string, body: string) => void,
): Promise<PageServer> {
  const script = await bundle(entry);
  let worker: Promise<string> | undefined;
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      readBody(request).then(
        (body) => {
          onPost(request.url ?? "/", body);
          response.end();
        },
        () => response.destroy(),
      );
    } else if (request.url === "/script.js") {
      response.setHeader("content-type", "text/javascript").end(script);
    } else if (request.url === "/shell-worker.js") {
      worker ??= bundle(SHELL_WORKER);
      worker.then(
        (text) => response.setHeader("content-type", "text/javascript").end(text),
        () => response.destroy(),
      );
    } else {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(
        '<!doctype html><title>Test</title><script type="module" src="/script.js"></script>',
      );
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The code of a page's module, with all that it imports. */
export async function bundle(entry: string | WrittenModule): Promise<string> {
  const { outputFiles } = await build({
    ...(typeof entry === "string"
      ? { entryPoints: [entry] }
      : { stdin: { contents: entry.code, resolveDir: entry.from, loader: "ts" } }),
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "chrome130",
    conditions: ["@robota/source"],
    // The virtual shell's engine is one of the things that a page may load later, or not at all.
    external: ["node:*"],
    logLevel: "error",
  });
  return outputFiles[0]!.text;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}
