import { eventsOf } from "../log/codec.ts";
import type { SessionEvent } from "../log/events.ts";
import { createEventCheck } from "./check.ts";
import { openIncoming, takeLines } from "./incoming.ts";
import { invalid } from "./lines.ts";

/** A session's exported events, without the contents of files. */
export interface ExportedEvents {
  /** Id of the exported session. */
  sessionId: string;
  events: SessionEvent[];
}

/**
 * Reads the output of `exportSession`, checked and bounded as for an import, without storing anything.
 * @throws {ValidationError} @throws {SessionError} `LOG_VERSION`, `LOG_CORRUPT` when it was truncated or changed
 */
export async function exportedEvents(stream: ReadableStream<Uint8Array>): Promise<ExportedEvents> {
  const { id: sessionId, first, lines } = await openIncoming(stream);
  const events: SessionEvent[] = [];
  const check = await createEventCheck();
  try {
    await takeLines(first, lines, ({ event }) => {
      const record = event === undefined ? undefined : check.record(event);
      if (!record) return;
      const next = eventsOf(record, sessionId);
      const last = events.at(-1)?.seq ?? 0;
      if ((next[0]?.seq ?? 0) <= last) throw invalid(`the event ${record.seq} is out of order`);
      events.push(...next);
    });
  } finally {
    await lines.return();
  }
  return { sessionId, events };
}
