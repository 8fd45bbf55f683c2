import type { SessionConnection } from "./store/connection.ts";
import type { EventRow } from "./store/event-rows.ts";
import { createCell, type Readable } from "./store/readable.ts";
import { sessionStore } from "./store/session-store.ts";
import { useReadable } from "./use-readable.ts";

const noRows: Readable<readonly EventRow[]> = createCell<readonly EventRow[]>([]);

/**
 * Every event of a session, for an event log. Pieces of one stream share a row.
 * @param session nothing while the session is not open yet
 * @example
 * function Log({ session }: { session: InteractiveSession }) {
 *   return useEvents(session).map(({ event, count }, index) => (
 *     <p key={index}>{event.seq} {event.type} {count > 1 && `× ${count}`}</p>
 *   ));
 * }
 */
export function useEvents(session: SessionConnection | undefined): readonly EventRow[] {
  return useReadable(session ? sessionStore(session).rows : noRows);
}
