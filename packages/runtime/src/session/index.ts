// Names of their own, so that a bundler keeps what loads late out of the first load; see permissions/index.ts.
import { deleteSession as removeSession, listSessions as readHeaders } from "./store/header.ts";
import { deleteSessionLog as deleteLog } from "./trace/log-names.ts";

/** Newest first. A header that can't be read is left out; its session can still be opened by its id. */
export const listSessions: typeof readHeaders = readHeaders;

/**
 * Removes a session's log, what it refers to, what a logger kept of it, and its header. Silent when there is none.
 * @throws {ValidationError} when `id` is no session id
 * @throws {SessionError} `SESSION_BUSY` while it is open
 */
export const deleteSession: typeof removeSession = removeSession;

/**
 * Removes a session's log and its payloads, and those of its subagents that have payloads or are named in `agentIds`.
 * Silent when there is none. @throws {ValidationError} for an id that is none
 */
export const deleteSessionLog: typeof deleteLog = deleteLog;
