import type { SessionEvent, Storage } from "@robota/runtime";
import { watchSession } from "@robota/runtime/sessions";

/** Every stored event of a session, also of one that is open, here or in another tab. Takes no lease. */
export async function storedEvents(storage: Storage, id: string): Promise<SessionEvent[]> {
  const stop = new AbortController();
  let isRead = false;
  // The log is followed until it is looked at for the second time.
  const once: Pick<Storage, "read"> = {
    async *read(name, from) {
      if (isRead) return stop.abort();
      isRead = true;
      yield* storage.read(name, from);
    },
  };
  const events: SessionEvent[] = [];
  for await (const event of watchSession(once, id, { signal: stop.signal, every: 0 }))
    events.push(event);
  return events;
}
