import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";

export interface PageServer extends AsyncDisposable {
  /** Without a slash at the end. The same for as long as the server runs, so that a profile knows its pages again. */
  readonly url: string;
}

/** Serves a page that runs the module `entry`, bundled, and hands what it posts to `onPost`, by path. */
export async function servePage(
  entry: string,
  onPost: (path: string, body: string) => void,
): Promise<PageServer> {
  const script = await bundle(entry);
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

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "chrome130",
    conditions: ["@robota/source"],
    // The virtual shell's engine is one of the things that a page may load later, or not at all.
    external: ["node:*", "just-bash", "just-bash/*"],
    logLevel: "error",
  });
  return outputFiles[0]!.text;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}
