import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { HttpTransport, SessionHost } from "@robota/runtime/transports";
import { serveSockets } from "./socket-server.ts";

/** A server on a port of this machine. Disposing ends its connections; the sessions are their owner's. */
export interface ListeningServer extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
}

export interface ListenOptions {
  transport: HttpTransport;
  /** The sessions behind the transport. */
  sessions: SessionHost;
  host: string;
  /** 0 for any that is free. */
  port: number;
  onError: (error: unknown) => void;
}

/** Serves sessions over HTTP and WebSockets. Rejects where the port can't be had. */
export async function listen(options: ListenOptions): Promise<ListeningServer> {
  const { transport, host, port } = options;
  const listener = getRequestListener((request) => transport.fetch(request));
  // The listener answers failures itself.
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  const sockets = await serveSockets(server, options);
  server.listen(port, host);
  await once(server, "listening");
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    async [Symbol.asyncDispose]() {
      await transport.stop();
      await sockets[Symbol.asyncDispose]();
      server.close();
      server.closeAllConnections();
    },
  };
}
