import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { TransportAdapter } from "../../interactive/transport-adapter.ts";
import { logError, sessionRoutes, type SessionRoutesOptions } from "../http/session-routes.ts";
import type { UsageCounter } from "../http/limits/usage-counter.ts";
import { CLOSE } from "./frames.ts";
import { type ServerSocket, type SocketFacts, type SocketState, stateOf } from "./socket.ts";
import {
  type ConnectionOptions,
  SocketConnection,
  type SocketLimits,
} from "./socket-connection.ts";

export interface WebSocketTransportOptions {
  /** Finds the session of a socket that was accepted; without it, only attached sessions are served. */
  open?: ((facts: SocketFacts) => Promise<InteractiveSession | undefined>) | undefined;
  /**
   * Answers the requests of sockets, as `sessionRoutes` does and by default: with the routes that serve HTTP, a key counts
   * once for both.
   */
  fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** Options of those routes when they are made here. */
  routes?: SessionRoutesOptions | undefined;
  /**
   * Tells, before each request and each stored event, whether the principal may still do what it might when the socket was
   * accepted; it may when omitted. A socket that may not is closed, and gets nothing more.
   */
  isAllowed?: ((facts: SocketFacts) => boolean | Promise<boolean>) | undefined;
  /** Counts each request of a socket with the principal's others, as the option of `httpTransport` does. */
  countRequest?: UsageCounter["request"] | undefined;
  limits?: Partial<SocketLimits> | undefined;
  /** Called with failures of the server; `console.error` by default. */
  onError?: ((error: unknown) => void) | undefined;
}

/**
 * Sessions over WebSockets, of which it takes accepted ones. A host that sleeps between frames, such as a Durable Object with
 * hibernation, passes on what wakes it by `receive` and `closed`, and calls `resume` for the sockets that it finds.
 */
export interface WebSocketTransport extends TransportAdapter {
  /** Takes an accepted socket, and greets its client. */
  accept(socket: ServerSocket, facts: SocketFacts): Promise<void>;
  /** Takes a frame. */
  receive(socket: ServerSocket, data: string | ArrayBuffer): Promise<void>;
  /** Is told that a socket is gone. */
  closed(socket: ServerSocket): void;
  /** Sends events to a socket again that was accepted before the host slept. */
  resume(socket: ServerSocket): void;
}

const DEFAULT_LIMITS: SocketLimits = {
  frameBytes: 1024 * 1024,
  framesPerSecond: 50,
  requests: 16,
  window: 256 * 1024,
  slowMs: 60_000,
  socketsPerSession: 8,
};

/** Serves sessions over WebSockets that the host has accepted: events, requests and flow control in frames of JSON. */
export function webSocketTransport(options: WebSocketTransportOptions = {}): WebSocketTransport {
  const { isAllowed = () => true, countRequest, onError = logError } = options;
  const attached = new Map<string, InteractiveSession>();
  const open = async (facts: SocketFacts): Promise<InteractiveSession | undefined> => {
    const session = attached.get(facts.sessionId) ?? (await options.open?.(facts));
    await session?.ready;
    return session;
  };
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const fetch =
    options.fetch ??
    sessionRoutes(
      (context) =>
        open({
          sessionId: context.req.param("id") ?? "",
          principal: context.var.principal,
        }),
      options.routes,
    ).fetch;
  const connectionOptions: ConnectionOptions = {
    open,
    fetch,
    isAllowed,
    countRequest,
    onError,
    limits,
  };
  const known = new Map<ServerSocket, SocketConnection>();

  const add = (socket: ServerSocket, state: SocketState): SocketConnection => {
    const connection = new SocketConnection(socket, state, connectionOptions);
    known.set(socket, connection);
    const ofSession = [...known].filter(([, one]) => one.sessionId === state.sessionId);
    const [oldest] = ofSession;
    if (oldest && ofSession.length > limits.socketsPerSession) {
      known.delete(oldest[0]);
      oldest[1].close(CLOSE.replaced, "Too many newer ones are open.");
    }
    return connection;
  };
  /** The connection of a socket, also of one from before a sleep. */
  const find = (socket: ServerSocket): SocketConnection | undefined => {
    const connection = known.get(socket);
    if (connection) return connection;
    const state = stateOf(socket);
    if (!state) return undefined;
    const woken = add(socket, state);
    woken.resume();
    return woken;
  };

  return {
    name: "ws",
    attach(session) {
      const { sessionId } = session;
      attached.set(sessionId, session);
      session.on("event", ({ type }) => {
        if (type === "session_shutdown" && attached.get(sessionId) === session)
          attached.delete(sessionId);
      });
    },
    // Takes sockets as they are accepted.
    async start() {},
    async stop() {
      for (const connection of known.values())
        connection.close(CLOSE.goingAway, "This server was stopped.");
      known.clear();
      attached.clear();
    },
    async accept(socket, facts) {
      await add(socket, facts).begin();
    },
    async receive(socket, data) {
      const connection = find(socket);
      if (connection) await connection.receive(data);
      else socket.close(CLOSE.refused, "This socket was not accepted here.");
    },
    closed(socket) {
      known.get(socket)?.closed();
      known.delete(socket);
    },
    resume: (socket) => void find(socket),
  };
}
