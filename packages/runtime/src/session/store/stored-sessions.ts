import type { Storage } from "../../ports/storage.ts";
import { readHeaders, type SessionHeader } from "./header.ts";

/**
 * Headers of the stored sessions, newest first. Unreadable ones are omitted; their sessions can still be opened by id.
 */
export function listSessions(storage: Storage): Promise<SessionHeader[]> {
  return readHeaders(storage);
}

/**
 * Removes a session's log, its payloads, the trace that a logger kept, and its header. Silent when there is none.
 * @throws {ValidationError} when `id` is not a session id
 * @throws {SessionError} `SESSION_BUSY` while it is open
 */
export async function deleteSession(storage: Storage, id: string): Promise<void> {
  const { deleteUnderLease } = await import("./remove-session.ts");
  return deleteUnderLease(storage, id);
}
