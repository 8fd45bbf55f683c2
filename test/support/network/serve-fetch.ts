import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";

/** A handler of requests behind real HTTP, on loopback. */
export interface FetchServer extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
}

/** Serves what `handle` answers. A request's signal aborts when its client has gone. */
export async function serveFetch(
  handle: (request: Request) => Response | Promise<Response>,
  port = 0,
): Promise<FetchServer> {
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url = "/" } = incoming;
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
    const hasBody = method !== "GET" && method !== "HEAD";
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort());
    const body = { body: Readable.toWeb(incoming), duplex: "half" } as RequestInit;
    const request = new Request(`http://${headers.get("host")}${url}`, {
      method,
      headers,
      signal: gone.signal,
      ...(hasBody ? body : {}),
    });
    void Promise.resolve(handle(request)).then(
      (response) => {
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        if (!response.body) return outgoing.end();
        // Head first: a stream may be silent for long.
        outgoing.flushHeaders();
        return Readable.fromWeb(response.body as NodeStream)
          .on("error", () => outgoing.destroy())
          .pipe(outgoing)
          .on("error", () => undefined);
      },
      () => outgoing.destroy(),
    );
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
