import type { Storage } from "../../ports/storage.ts";
import { requireSessionId } from "../session-id.ts";
import { sessionKey } from "../store/storage-keys.ts";
import type { SessionEvent } from "./events.ts";
import { BEGINNING, decodeAll, readRecords } from "./log-reader.ts";

/** Records that are read at first, and the factor by which more are read where they hold too few turns. */
const RECORDS = 256;
const GROWTH = 4;
const MOST_RECORDS = 4096;

export interface LastTurnsOptions {
  /** The least number of turns; 10 by default. */
  turns?: number | undefined;
}

/**
 * The events of the last turns of a long stored session, from the beginning of a turn on, for showing them while the
 * session opens: runs of deltas are one event. Reads only the end of the log, however long that is. Empty for a log that
 * is short enough to be read as a whole, and where these turns do not follow from the end alone, as soon after a rewind.
 * @throws {StorageError} @throws {SessionError} `LOG_VERSION`
 * @throws {ValidationError} when `id` is not a session id
 */
export async function readLastTurns(
  storage: Pick<Storage, "append" | "read">,
  id: string,
  { turns = 10 }: LastTurnsOptions = {},
): Promise<SessionEvent[]> {
  requireSessionId(id);
  const log = sessionKey(id);
  const end = await storage.append(log, []);
  for (let count = RECORDS; count < end && count <= MOST_RECORDS; count *= GROWTH) {
    const values: Uint8Array[] = [];
    for await (const { value } of storage.read(log, end - count + 1)) values.push(value);
    const { records, damage } = readRecords(values, BEGINNING, decodeAll(values, id));
    // Only the whole log tells their order.
    if (damage.misplacedRecords > 0) return [];
    const events = records.map(({ event }) => event);
    const rewind = events.findLastIndex(isRewound);
    const first = events.findIndex((event, at) => at > rewind && isTurn(event));
    if (events.slice(Math.max(0, first)).filter(isTurn).length >= turns) return events.slice(first);
    if (rewind >= 0) return [];
  }
  return [];
}

function isTurn({ type, parentId }: SessionEvent): boolean {
  return type === "turn_start" && parentId === undefined;
}

/** Restoring files leaves the conversation as it is. */
function isRewound(event: SessionEvent): boolean {
  return event.type === "rewind" && event.what !== "files";
}
