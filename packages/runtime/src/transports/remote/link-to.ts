import { ValidationError } from "../../errors.ts";
import { HttpLink } from "./http-link.ts";
import type { SessionLink } from "./link.ts";
import { type ClientSocket, SocketLink } from "./socket-link.ts";

export interface RemoteAddress {
  /** Address of the server, such as `https://robota.example`. */
  url: string;
  /** Bearer token, or a function that has the one of the moment. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** The global one when omitted. */
  fetch?: typeof globalThis.fetch | undefined;
  /** `http` when omitted; with `websocket`, one socket has the events and the requests. */
  transport?: "http" | "websocket" | undefined;
  /** Opens a WebSocket; by the global class when omitted. */
  openSocket?: ((url: string, protocols: string[]) => ClientSocket) | undefined;
  /** Milliseconds without a sign of life after which a connection counts as lost; 45,000 when omitted. */
  silenceMs?: number | undefined;
}

/** The way to a session of a server. */
export function linkTo(place: RemoteAddress, sessionId: string): SessionLink {
  const options = {
    address: `${sessionsAddress(place)}/${encodeURIComponent(sessionId)}`,
    token: () => tokenOf(place),
    silenceMs: place.silenceMs,
  };
  const http = new HttpLink({ ...options, fetch: fetchOf(place) });
  if (place.transport !== "websocket") return http;
  const { openSocket: connect = openGlobal } = place;
  return new SocketLink({ ...options, http, connect });
}

function openGlobal(url: string, protocols: string[]): ClientSocket {
  return new WebSocket(url, protocols);
}

/** The address of a server's sessions. @throws {ValidationError} */
export function sessionsAddress({ url }: RemoteAddress): string {
  const { protocol, origin, pathname } = URL.canParse(url) ? new URL(url) : { protocol: "" };
  if (protocol !== "http:" && protocol !== "https:") {
    throw new ValidationError(`"${url}" is not the address of a server`, {
      hint: "Write it like https://robota.example.",
    });
  }
  return `${origin}${pathname?.replace(/\/+$/, "")}/v1/sessions`;
}

export function fetchOf({ fetch }: RemoteAddress): typeof globalThis.fetch {
  return fetch ?? ((input, init) => globalThis.fetch(input, init));
}

export async function tokenOf({ token }: RemoteAddress): Promise<string | undefined> {
  return typeof token === "function" ? token() : token;
}
