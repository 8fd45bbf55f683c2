import type { SessionConnection } from "./store/connection.ts";
import { createCell, type Readable } from "./store/readable.ts";
import { sessionStore } from "./store/session-store.ts";
import { emptyView, type SessionView } from "./store/session-view.ts";

const noSession: Readable<SessionView> = createCell(emptyView);

/** A hook's source: the session's store, or an empty view while no session is open. */
export function viewOf(session: SessionConnection | undefined): Readable<SessionView> {
  return session ? sessionStore(session) : noSession;
}
