import { createCell } from "@robota/react/store";
import {
  type ConnectionState,
  listRemoteSessions,
  RemoteSession,
  type SessionSummary,
} from "@robota/runtime/transports";
import { originOf } from "../connections/address.ts";
import type { Connection } from "../connections/connection.ts";
import { keyRing } from "../connections/keys/key-ring.ts";
import { setConnection } from "./connection-state.ts";

/** Milliseconds for which a request is sent again before a person hears of the trouble. */
const TRY_FOR_MS = 10_000;

/** A server has no token in this page: it was reloaded, or the token is locked. */
class TokenNeeded extends Error {
  override readonly name = "TokenNeeded";
}

/** The place of a server's token among the keys; it goes to the server's origin only. */
export function tokenPlace(server: string): Connection {
  return { service: "remote", provider: `server ${originOf(server)}`, model: "", baseURL: server };
}

export function hasToken(server: string): boolean {
  return keyRing.keyOf(tokenPlace(server)) !== undefined;
}

/** The way to a server. Its token is looked up with each request. @throws {TokenNeeded} */
export function accessTo(server: string): {
  url: string;
  token: () => string | undefined;
  timeoutMs: number;
} {
  if (!hasToken(server)) throw new TokenNeeded("The server's token is needed");
  return { url: server, token: () => keyRing.keyOf(tokenPlace(server)), timeoutMs: TRY_FOR_MS };
}

export async function sessionsOn(server: string): Promise<SessionSummary[]> {
  return listRemoteSessions(accessTo(server));
}

/** Opens a session of a server; without an id, a new one. @throws {TokenNeeded} @throws as `RemoteSession.ready` */
export async function openOn(server: string, id: string | undefined): Promise<RemoteSession> {
  const state = createCell<ConnectionState>("connecting");
  const access = { ...accessTo(server), onConnection: state.set };
  if (id === undefined) {
    const created = await RemoteSession.create(access);
    setConnection(created, state);
    return created;
  }
  const session = new RemoteSession({ ...access, sessionId: id });
  setConnection(session, state);
  try {
    await session.ready;
  } catch (error) {
    await session.shutdown();
    throw error;
  }
  return session;
}
