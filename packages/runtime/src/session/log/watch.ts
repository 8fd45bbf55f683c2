import { wait } from "../../abort.ts";
import type { Storage } from "../../ports/storage.ts";
import { decodeRecord, epochOf, unlessDamaged } from "./codec.ts";
import type { SessionEvent } from "./events.ts";
import { sessionKey } from "../store/storage-keys.ts";
import { requireSessionId } from "../session-id.ts";

const LOOK_AGAIN_MS = 100;

export interface WatchOptions {
  /** Yields only events with higher numbers. */
  after?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Polling interval in milliseconds; 100 by default. */
  every?: number | undefined;
}

/**
 * Follows a session that another tab or process has open: its stored events, then new ones, until `signal` aborts.
 * Takes no lease and writes nothing. Streamed text arrives with at most a tenth of a second of additional delay.
 * @throws {SessionError} `LOG_VERSION` @throws {StorageError} @throws {ValidationError} when `id` is not a session id
 */
export async function* watchSession(
  storage: Pick<Storage, "read">,
  id: string,
  { after = 0, signal, every = LOOK_AGAIN_MS }: WatchOptions = {},
): AsyncGenerator<SessionEvent, void> {
  requireSessionId(id);
  let [place, highest, latest] = [0, after, 0];
  while (!signal?.aborted) {
    for await (const { seq, value } of storage.read(sessionKey(id), place + 1)) {
      place = seq;
      const events = unlessDamaged(() => decodeRecord(value, id));
      if (!events) continue;
      const epoch = epochOf(value);
      // Records of a writer that lost the session are not part of it.
      if (epoch > 0 && epoch < latest) continue;
      latest = Math.max(latest, epoch);
      for (const event of events) {
        if (event.seq <= highest) continue;
        if (signal?.aborted) return;
        highest = event.seq;
        yield event;
      }
    }
    // Only an abort ends the wait early.
    await wait(every, signal).catch(() => undefined);
  }
}
