import type { Storage } from "../../ports/storage.ts";
import { requireSessionId } from "../session-id.ts";
import { readHeader, readHeaders, type SessionHeader, withoutRecord } from "./header.ts";

/**
 * Headers of the stored sessions, newest first. Unreadable ones are omitted; their sessions can still be opened by id.
 */
export function listSessions(storage: Storage): Promise<SessionHeader[]> {
  return readHeaders(storage);
}

/**
 * The header of one stored session, as `listSessions` has it, by a single read. `undefined` when there is none, or none that
 * can be read: such a session can still be opened by its id.
 * @throws {ValidationError} when `id` is not a session id
 */
export async function readSessionHeader(
  storage: Storage,
  id: string,
): Promise<SessionHeader | undefined> {
  requireSessionId(id);
  const header = await readHeader(storage, id);
  return header && withoutRecord(header);
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
