import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { HttpTransport, SessionHost } from "@robota/runtime/transports";
import { type Place, startListening } from "./listening.ts";
import { serveSockets } from "./socket-server.ts";

/** A server on a port of this machine. Disposing ends its connections; the sessions are their owner's. */
export interface ListeningServer extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
}

export interface ListenOptions extends Place {
  transport: HttpTransport;
  /** The sessions behind the transport. */
  sessions: SessionHost;
  onError: (error: unknown) => void;
}

/**
 * Serves sessions over HTTP and WebSockets.
 * @throws {ConfigurationError} where the port can't be had
 */
export async function listen(options: ListenOptions): Promise<ListeningServer> {
  const { transport } = options;
  const listener = getRequestListener((request) => transport.fetch(request));
  // The listener answers failures itself.
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  const sockets = await serveSockets(server, options);
  const url = await startListening(server, options);
  return {
    url,
    async [Symbol.asyncDispose]() {
      await transport.stop();
      await sockets[Symbol.asyncDispose]();
      server.close();
      server.closeAllConnections();
    },
  };
}
