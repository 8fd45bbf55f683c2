import type { Principal } from "../http/principal/principal.ts";

/** The part of an accepted WebSocket that a session needs, as all hosts have it. */
export interface ServerSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  /** Keeps a value with the socket while its host sleeps, as Durable Objects do. */
  serializeAttachment?(value: unknown): void;
  deserializeAttachment?(): unknown;
}

/** The session of an accepted socket, and who opened it. */
export interface SocketFacts {
  sessionId: string;
  /** The opener, in whose name the socket's requests are made. */
  principal: Principal;
}

/** All of a socket's state that has to survive a sleep of its host. */
export interface SocketState extends SocketFacts {
  /** The number of the last event that was sent; absent before the client has subscribed. */
  after?: number | undefined;
}

/** The state that a socket was given when its host went to sleep. */
export function stateOf(socket: ServerSocket): SocketState | undefined {
  const value: unknown = socket.deserializeAttachment?.();
  // Written only by `keepState`.
  return typeof value === "object" && value !== null && "sessionId" in value
    ? (value as SocketState)
    : undefined;
}

export function keepState(socket: ServerSocket, state: SocketState): void {
  socket.serializeAttachment?.(state);
}

export function forgetState(socket: ServerSocket): void {
  socket.serializeAttachment?.(null);
}
