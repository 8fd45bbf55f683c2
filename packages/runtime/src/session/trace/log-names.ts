import type { Storage } from "../../ports/storage.ts";
import { requireSessionId } from "../session-id.ts";

/** Default directory of logs. */
export const LOG_DIRECTORY = "logs";

/** The log of a session, or of one of its subagents. */
export interface LogPlace {
  /** The prefix of logs in the storage; `logs` when omitted. */
  directory?: string;
  /** Selects the log of this subagent of the session. */
  agentId?: string;
}

/** The name of a session's log, or of one of its subagents, in storage. @throws {ValidationError} for an invalid id */
export function logName(
  sessionId: string,
  { directory = LOG_DIRECTORY, agentId }: LogPlace = {},
): string {
  requireSessionId(sessionId);
  if (agentId === undefined) return `${directory}/${sessionId}`;
  requireSessionId(agentId);
  return `${directory}/${sessionId}/subagents/${agentId}`;
}

/** The key of a payload of the log `name`. */
export function payloadKey(name: string, sha256: string): string {
  return `${name}.payloads/${sha256}`;
}

/** The path of a payload relative to its log, on a host with files. */
export function relativePayloadPath(name: string, sha256: string): string {
  return `${payloadKey(name.slice(name.lastIndexOf("/") + 1), sha256)}.json`;
}

/**
 * Removes a session's log and its payloads, and those of its subagents that have payloads or are named in `agentIds`.
 * Silent when there is none. @throws {ValidationError} for an invalid id
 */
export async function deleteSessionLog(
  storage: Storage,
  sessionId: string,
  { directory = LOG_DIRECTORY, agentIds = [] }: { directory?: string; agentIds?: string[] } = {},
): Promise<void> {
  const own = logName(sessionId, { directory });
  const agents = agentIds.map((agentId) => logName(sessionId, { directory, agentId }));
  const keys = await Promise.all([storage.keys(`${own}.payloads/`), storage.keys(`${own}/`)]);
  for (const key of keys.flat()) {
    await storage.delete(key);
    const [log, isPayload] = key.split(".payloads/");
    if (log !== undefined && isPayload !== undefined) agents.push(log);
  }
  for (const name of new Set([...agents, own])) await storage.deleteLog(name);
}
