import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import {
  SOCKET_PROTOCOL,
  type ServerSocket,
  type SocketFacts,
  type WebSocketTransport,
  webSocketTransport,
} from "@robota/runtime/transports";
import type { WebSocket } from "ws";
import type { ListenOptions } from "./http-server.ts";

/** Frames above the protocol's limit close their socket; what is larger than this is not even read. */
const MAX_FRAME_BYTES = 2 * 1024 * 1024;
/** A peer that has not answered a ping by the next one is gone. */
const PING_EVERY_MS = 30_000;

/** Opens WebSockets to sessions on a server: each upgrade is a request that has to pass all checks of the transport. */
export async function serveSockets(
  server: Server,
  { transport, sessions, onError }: Pick<ListenOptions, "transport" | "sessions" | "onError">,
): Promise<AsyncDisposable> {
  const { WebSocketServer } = await import("ws");
  const sockets = webSocketTransport({
    async open({ sessionId, principal }) {
      const session = await sessions.open(principal.owner, sessionId);
      return session && "fetch" in session ? undefined : session;
    },
    fetch: (request) => transport.fetchAuthorised(request),
    isAllowed: (facts) => transport.isAllowed(facts),
    onError,
  });
  const upgrades = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: (offered) => (offered.has(SOCKET_PROTOCOL) ? SOCKET_PROTOCOL : false),
  });
  const upgrade = async (incoming: IncomingMessage, stream: Duplex, head: Buffer) => {
    let accepted: SocketFacts | undefined;
    const acceptSocket = (facts: SocketFacts): void => void (accepted = facts);
    const response = await transport.fetch(requestOf(incoming), { acceptSocket });
    const facts = accepted;
    if (!facts) return refuse(stream, response);
    upgrades.handleUpgrade(incoming, stream, head, (socket) =>
      connect(socket, sockets, { facts, onError }),
    );
  };
  server.on("upgrade", (incoming, stream, head) => {
    stream.on("error", () => stream.destroy());
    upgrade(incoming, stream, head).catch((error: unknown) => {
      onError(error);
      stream.destroy();
    });
  });
  return {
    async [Symbol.asyncDispose]() {
      await sockets.stop();
      for (const client of upgrades.clients) client.terminate();
    },
  };
}

/** Passes on what comes by a socket, and notices when its peer is gone. */
function connect(
  socket: WebSocket,
  sockets: WebSocketTransport,
  { facts, onError }: { facts: SocketFacts; onError: (error: unknown) => void },
): void {
  const side: ServerSocket = {
    send: (text) => socket.send(text),
    close: (code, reason) => socket.close(code, reason),
  };
  let isAlive = true;
  const pings = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_EVERY_MS);
  socket.on("pong", () => (isAlive = true));
  socket.on("message", (data: Buffer, isBinary) => {
    isAlive = true;
    const frame = isBinary ? new ArrayBuffer(0) : data.toString("utf8");
    sockets.receive(side, frame).catch(onError);
  });
  socket.on("close", () => {
    clearInterval(pings);
    sockets.closed(side);
  });
  // Such as a frame that breaks the protocol: the socket closes by itself.
  socket.on("error", () => undefined);
  sockets.accept(side, facts).catch(onError);
}

function requestOf({ url = "/", method = "GET", headers }: IncomingMessage): Request {
  const given = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    [value].flat().join(", "),
  ]);
  return new Request(new URL(url, `http://${headers.host ?? "localhost"}`), {
    method,
    headers: given,
  });
}

/** Answers an upgrade as any other request, and ends the connection. */
async function refuse(stream: Duplex, response: Response): Promise<void> {
  const { status, headers } = response;
  const body = Buffer.from(await response.arrayBuffer());
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  stream.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines}`);
  stream.end(
    Buffer.concat([
      Buffer.from(`content-length: ${body.length}\r\nconnection: close\r\n\r\n`),
      body,
    ]),
  );
}
