import type { InteractiveSession } from "@robota/runtime";
import type { HttpTransport, ServerSocket, WebSocketTransport } from "@robota/runtime/transports";

import { requestWith } from "./request-with.ts";

type Listener = (event: never) => void;

/** The client's side of a connection in this process, with the parts of a WebSocket that clients use. */
export class PairedSocket {
  readonly #listeners = new Map<string, Set<Listener>>();
  #isClosed = false;
  /** The other side, once the server has accepted it. */
  onSend: (text: string) => void = () => {};
  onClose: () => void = () => {};

  addEventListener(type: string, listener: Listener): void {
    const all = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, all.add(listener));
  }

  send(text: string): void {
    if (this.#isClosed) throw new TypeError("The socket is closed");
    queueMicrotask(() => !this.#isClosed && this.onSend(text));
  }

  close(): void {
    if (this.#isClosed) return;
    this.onClose();
    this.end(1000);
  }

  emit(type: string, event: object): void {
    if (this.#isClosed && type === "message") return;
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
  }

  /** Ends it from the server's side, or by a network that fails. */
  end(code: number): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    queueMicrotask(() => this.emit("close", { code }));
  }
}

export interface SocketNetwork {
  open: (url: string, protocols: string[]) => PairedSocket & WebSocketLike;
  /** All connections, in the order in which they were opened. */
  sockets: PairedSocket[];
  /** Puts another transport in the place of the one that had the sockets, as after a sleep. */
  wake: (transport: WebSocketTransport) => void;
  /** Breaks all connections. */
  cut: () => void;
  /** Codes by which the server closed connections. */
  closed: number[];
  /** Sessions that a socket was opened for. */
  sessions: ReadonlyMap<string, InteractiveSession>;
}

type WebSocketLike = Pick<WebSocket, "send" | "close" | "addEventListener">;

/** Sockets to a server in this process: an upgrade is a request to `http`, and frames go to `transport`. */
export function socketNetwork(
  http: Pick<HttpTransport, "fetch">,
  first: WebSocketTransport,
): SocketNetwork {
  let transport = first;
  const sockets: PairedSocket[] = [];
  const wakes: (() => void)[] = [];
  const sessions = new Map<string, InteractiveSession>();
  const closed: number[] = [];

  const accept = async (client: PairedSocket, url: string, protocols: string[]): Promise<void> => {
    const headers = { upgrade: "websocket", "sec-websocket-protocol": protocols.join(", ") };
    const request = requestWith(url.replace(/^ws/, "http"), { headers });
    let attachment: unknown;
    let awake = 0;
    // A host that sleeps loses its memory.
    const serverSide = (): ServerSocket => {
      const own = ++awake;
      const ifAwake = (run: () => void): void => void (own === awake && run());
      return {
        send: (text) => ifAwake(() => queueMicrotask(() => client.emit("message", { data: text }))),
        close: (code = 1005) =>
          ifAwake(() => {
            closed.push(code);
            // Behind what was sent before.
            queueMicrotask(() => client.end(code));
          }),
        serializeAttachment: (value) => ifAwake(() => (attachment = structuredClone(value))),
        deserializeAttachment: () => attachment,
      };
    };
    const response = await http.fetch(request, {
      acceptSocket(facts, session) {
        sessions.set(session.sessionId, session);
        let server = serverSide();
        client.onSend = (text) => void transport.receive(server, text);
        client.onClose = () => transport.closed(server);
        wakes.push(() => {
          server = serverSide();
          transport.resume(server);
        });
        void transport.accept(server, facts);
      },
    });
    if (response.status !== 204) {
      client.emit("error", {});
      client.end(1006);
    }
  };
  return {
    sockets,
    closed,
    sessions,
    open(url, protocols) {
      const client = new PairedSocket();
      sockets.push(client);
      void accept(client, url, protocols);
      return client as PairedSocket & WebSocketLike;
    },
    wake(next) {
      transport = next;
      for (const wake of wakes) wake();
    },
    cut: () => sockets.forEach((socket) => socket.end(1006)),
  };
}
