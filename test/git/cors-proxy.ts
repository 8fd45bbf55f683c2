import { once } from "node:events";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";

export interface CorsProxy extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  /** Requests that went through it, without those that browsers ask first. */
  readonly forwarded: readonly string[];
}

/** Takes `/host/path` of any page to `http://host/path`, as `@isomorphic-git/cors-proxy` does. */
export async function startCorsProxy(): Promise<CorsProxy> {
  const forwarded: string[] = [];
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") {
      response.end();
      return;
    }
    const { host: _ownHost, ...headers } = request.headers;
    forwarded.push(`${request.method} ${request.url}`);
    const onward = forward(
      `http:/${request.url}`,
      { method: request.method ?? "GET", headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    forwarded,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
