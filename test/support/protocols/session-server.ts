import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import {
  httpTransport,
  type HttpTransportOptions,
  inProcessSessions,
} from "@robota/runtime/transports";
import { memoryPlatform } from "@robota/shell/testing";

/** A server of sessions that a client of another protocol talks to; its model is the offline one. */
export interface SessionServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string;
}

/** Creates a session on the server; resolves to its address. */
export async function newSessionOn({ url, token }: SessionServer): Promise<string> {
  const response = await fetch(`${url}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  const { id } = (await response.json()) as { id: string };
  return `${url}/v1/sessions/${id}`;
}

/** Serves sessions over real HTTP in this process. */
export async function serveSessions(
  options: Partial<HttpTransportOptions> = {},
): Promise<SessionServer & AsyncDisposable> {
  const platform = memoryPlatform({ files: { "/project/README.md": "# A project\n" } });
  const sessions = inProcessSessions({
    storage: platform.storage,
    open: (session) =>
      new InteractiveSession({
        platform,
        provider: new OfflineProvider(),
        cwd: "/project",
        ...session,
      }),
  });
  const token = "ann-secret";
  const transport = httpTransport({ sessions, tokens: { ann: token }, ...options });
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url = "/" } = incoming;
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
    const hasBody = method !== "GET" && method !== "HEAD";
    const body = { body: Readable.toWeb(incoming), duplex: "half" } as RequestInit;
    const request = new Request(`http://${headers.get("host")}${url}`, {
      method,
      headers,
      ...(hasBody ? body : {}),
    });
    void Promise.resolve(transport.fetch(request)).then((response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (!response.body) return outgoing.end();
      // Head first: a stream may be silent for long.
      outgoing.flushHeaders();
      return Readable.fromWeb(response.body as NodeStream)
        .on("error", () => outgoing.destroy())
        .pipe(outgoing)
        .on("error", () => undefined);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    async [Symbol.asyncDispose]() {
      await transport.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}
