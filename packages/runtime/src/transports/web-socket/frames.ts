import type { SessionEvent } from "../../session/log/events.ts";

/** The subprotocol of a session's WebSocket: JSON frames of this version. */
export const SOCKET_PROTOCOL = "robota.v1";
/** Begins the name of the subprotocol with a bearer token in base64url, for browsers, which can send no header. */
export const BEARER_PROTOCOL = "robota.bearer.";
export const FRAME_VERSION = 1;

/** The client's keep-alive; always this text, so that a host can answer it without waking the session. */
export const PING = '{"v":1,"type":"ping"}';
/** The answer to `PING`. */
export const PONG = '{"v":1,"type":"pong"}';

/** A request to a route of the session; answered by a response with its id. */
export interface RequestFrame {
  v: typeof FRAME_VERSION;
  type: "request";
  /** Chosen by the client. */
  id: string;
  method: string;
  /** Behind the session's address, such as `messages`; empty for the session itself. */
  path: string;
  body?: unknown;
  /** As the header Idempotency-Key. */
  key?: string;
}

export type ClientFrame =
  | RequestFrame
  /** Events behind this number are wanted, once for a socket. */
  | { v: typeof FRAME_VERSION; type: "subscribe"; after: number }
  /** Characters of events that arrived so far. Without it, no more than a window of them is sent. */
  | { v: typeof FRAME_VERSION; type: "ack"; received: number }
  | { v: typeof FRAME_VERSION; type: "ping" };

export type ServerFrame =
  /** The first frame: the session's state, as GET answers it. */
  | { v: typeof FRAME_VERSION; type: "hello"; state: unknown }
  | { v: typeof FRAME_VERSION; type: "event"; event: SessionEvent }
  | {
      v: typeof FRAME_VERSION;
      type: "response";
      id: string;
      status: number;
      body?: unknown;
      /** The number of the session's last event. */
      seq?: number;
      retryAfterMs?: number;
    }
  /** The last frame of a socket that is refused: an RFC 9457 problem. */
  | { v: typeof FRAME_VERSION; type: "problem"; problem: unknown }
  | { v: typeof FRAME_VERSION; type: "pong" };

/** Reasons for closing a socket, beside those of the protocol itself. */
export const CLOSE = {
  goingAway: 1001,
  unsupported: 1003,
  tooLarge: 1009,
  failed: 1011,
  malformed: 4400,
  refused: 4401,
  notFound: 4404,
  tooSlow: 4408,
  replaced: 4409,
  flooded: 4429,
} as const;

/** A frame of a client; `undefined` for anything else. */
export function readClientFrame(text: string): ClientFrame | undefined {
  const frame = parsed(text);
  if (frame?.["v"] !== FRAME_VERSION) return undefined;
  const { type, id, method, path, key, after, received } = frame;
  const isFrame =
    type === "ping" ||
    (type === "subscribe" && isCount(after)) ||
    (type === "ack" && isCount(received)) ||
    (type === "request" &&
      isText(id, 64) &&
      isText(method, 8) &&
      isText(path, 1024) &&
      (key === undefined || isText(key, 255)));
  return isFrame ? (frame as unknown as ClientFrame) : undefined;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown, maxLength: number): boolean {
  return typeof value === "string" && value.length <= maxLength;
}
