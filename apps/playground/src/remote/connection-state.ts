import { createCell, type Readable } from "@robota/react/store";
import type { ConnectionState, RemoteSession } from "@robota/runtime/transports";

const states = new WeakMap<RemoteSession, Readable<ConnectionState>>();
const local = createCell<ConnectionState>("open");

/** Remembers where the state of a session's connection is told. */
export function setConnection(session: RemoteSession, state: Readable<ConnectionState>): void {
  states.set(session, state);
}

/** The connection to the server of a session. One that runs in this tab needs none. */
export function connectionOf(session: RemoteSession | undefined): Readable<ConnectionState> {
  return (session && states.get(session)) ?? local;
}
